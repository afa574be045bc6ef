// A row for each scheduler: how fair it was, how long it took, what it cost; what went wrong, where something
// did. In as many blocks below each other as the width asks for.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "model/seconds.hpp"
#include "report/comparison.hpp"
#include "report/figures.hpp"
#include "report/overlay_figures.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using simulation::OverlayRun;

constexpr std::size_t kNameWidth = 40;
const std::string kIndent = "  ";

// A column of figures, its heading in two lines.
struct Figure {
  std::string above, heading;
  std::vector<std::string> values;  // [rules]
};
using Figures = std::vector<Figure>;

template <class Text>
Figure figure(const OverlayRuns& all, std::string above, std::string heading, const Text& text) {
  Figure figure{std::move(above), std::move(heading), {}};
  for (std::size_t i = 0; i < all.runs.size(); ++i) figure.values.push_back(text(i, all.runs[i]));
  return figure;
}

// With as many decimals as the largest deserves.
Figure small_figure(const OverlayRuns& all, const std::string& above, const std::string& heading,
                    double OverlayRun::*value) {
  std::vector<double> values;
  for (const OverlayRun& run : all.runs) values.push_back(run.*value);
  const int decimals = decimals_for(values);
  return figure(all, above, heading,
                [&](std::size_t, const OverlayRun& run) { return fixed(run.*value, decimals); });
}

Figure count(const OverlayRuns& all, const std::string& above, const std::string& heading,
             std::int64_t OverlayRun::*value) {
  return figure(all, above, heading,
                [&](std::size_t, const OverlayRun& run) { return std::to_string(run.*value); });
}

Figures fairness(const OverlayRuns& all) {
  Figures figures = {small_figure(all, "least", "share", &OverlayRun::min_share)};
  if (all.scenario.runtime)
    figures.push_back(small_figure(all, "mean of", "least", &OverlayRun::mean_min_share));
  figures.push_back(
      figure(all, "", "gini", [](std::size_t, const OverlayRun& run) { return fixed(run.gini, 4); }));
  figures.push_back(small_figure(all, "devi-", "ation", &OverlayRun::deviation));
  figures.push_back(figure(all, "", "wrong",
                           [](std::size_t, const OverlayRun& run) { return percent(wrong_part(run), 2); }));
  return figures;
}

Figures course(const OverlayRuns& all) {
  Figures figures = {
      count(all, "", "placed", &OverlayRun::placements),
      figure(all, "", "ticks", [](std::size_t, const OverlayRun& run) { return fixed(run.ticks, 0); })};
  if (ratio_to_centralised(all, 0)) {
    figures.push_back(figure(all, "ticks", "ratio", [&](std::size_t i, const OverlayRun&) {
      return fixed(*ratio_to_centralised(all, i), 2);
    }));
  }
  figures.push_back(figure(all, "messages", "a tick", [](std::size_t, const OverlayRun& run) {
    return fixed(run.messages_per_tick_and_node, 2);
  }));
  figures.push_back(figure(all, "bytes", "a tick", [](std::size_t, const OverlayRun& run) {
    return fixed(run.bytes_per_tick_and_node, 0);
  }));
  figures.push_back(count(all, "", "broken", &OverlayRun::violation_count));
  return figures;
}

// Empty when the network was good and nobody went.
Figures mishaps(const OverlayRuns& all) {
  const auto dropped = [](const OverlayRun& run) {
    return std::accumulate(run.dropped.begin(), run.dropped.end(), std::int64_t{0});
  };
  const bool any = std::any_of(all.runs.begin(), all.runs.end(), [&](const OverlayRun& run) {
    return run.lost + run.moved + run.restarted + dropped(run) > 0;
  });
  if (!any) return {};
  return {count(all, "messages", "lost", &OverlayRun::lost),
          figure(all, "messages", "dropped",
                 [&](std::size_t, const OverlayRun& run) { return std::to_string(dropped(run)); }),
          count(all, "users", "moved", &OverlayRun::moved),
          count(all, "tasks", "restarted", &OverlayRun::restarted)};
}

std::string block(const OverlayRuns& all, const Figures& figures) {
  Table table{.columns = {{}}, .rows = {{{""}}, {{"scheduler"}}}};
  for (const Figure& each : figures) {
    table.columns.push_back({.align = Align::decimal});
    table.rows[0].push_back({each.above, 1, Align::right});
    table.rows[1].push_back({each.heading, 1, Align::right});
  }
  table.add_rule();
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    std::vector<Cell> row{{shorten(printable(all.scenario.names[i]), kNameWidth)}};
    for (const Figure& each : figures) row.push_back({each.values[i]});
    table.rows.push_back(std::move(row));
  }
  return render(table) + "\n";
}

// Side by side where that is not too wide, else below each other.
std::string blocks(const OverlayRuns& all, std::size_t width) {
  const Figures fair = fairness(all);
  const Figures work = course(all);
  Figures both = fair;
  both.insert(both.end(), work.begin(), work.end());
  std::string text = block(all, both);
  if (widest_line(text) > width) text = block(all, fair) + block(all, work);
  if (const Figures wrong = mishaps(all); !wrong.empty()) text += block(all, wrong);
  return text;
}

std::string title(const OverlayRuns& all) {
  return printable(fmt::format("{}: {} on {} of {}, a tick every {} s, seed {}", all.title,
                               counted(all.cluster.user_count(), "user"),
                               counted(static_cast<std::size_t>(total_servers(all.cluster)), "server"),
                               all.scenario.cluster, seconds_text(all.scenario.tick), all.seed));
}

std::string legend(const OverlayRuns& all, std::size_t width) {
  const bool central = ratio_to_centralised(all, 0).has_value();
  std::string text = broken(
      fmt::format("share: dominant share; least: of a user, at the end{}; deviation: the shares' sample "
                  "standard deviation; wrong: part of the placements that were of a user who was not a "
                  "poorest one; ticks: to the last placement{}; messages and bytes: that a node sends; "
                  "broken: promises (docs/overlay-faults.md)",
                  all.scenario.runtime ? ", mean: over the time after the first tenth" : "",
                  central ? "; ratio: to those of centralised-drf" : ""),
      width, kIndent);
  for (const std::string& notice : notices_of(all))
    text += broken("note: " + printable(notice), width, kIndent);
  return text;
}

}  // namespace

std::string simulation_table(const OverlayRuns& all, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  return broken(title(all), page, kIndent) + "\n" + blocks(all, page) + legend(all, page);
}

}  // namespace mirab::report
