// An overlay as a table, JSON and CSV; first the figures that these forms share.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay/check.hpp"
#include "model/seconds.hpp"
#include "report/outcome/comparison.hpp"
#include "report/simulation/runs.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

using simulation::OverlayRun;

double wrong_part(const OverlayRun& run) {
  const auto placements = static_cast<double>(std::max<std::int64_t>(run.placements, 1));
  return static_cast<double>(run.wrong.front()) / placements;
}

std::optional<double> ratio_to_centralised(const OverlayRuns& all, std::size_t index) {
  const auto& rules = all.scenario.rules;
  const auto central = std::find_if(rules.begin(), rules.end(), [](const simulation::OverlayRules& each) {
    return each.scheduler == overlay::Scheduler::centralised_drf;
  });
  if (central == rules.end()) return {};
  const double ticks = all.runs[static_cast<std::size_t>(central - rules.begin())].ticks;
  if (ticks <= 0) return {};
  return all.runs[index].ticks / ticks;
}

std::vector<std::string> server_names(const Problem& cluster) {
  std::vector<std::string> names;
  for (const Server& server : cluster.servers()) {
    for (std::int64_t copy = 0; copy < server.count; ++copy) {
      names.push_back(server.count == 1 ? server.name : fmt::format("{}/{}", server.name, copy));
    }
  }
  return names;
}

std::vector<std::string> notices_of(const OverlayRuns& all) {
  std::vector<std::string> notices;
  for (const Error& notice : simulation::notices(all.cluster, all.scenario))
    notices.push_back(describe(notice));
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const OverlayRun& run = all.runs[i];
    if (const auto& left = run.left_over)
      notices.push_back(fmt::format(
          "under {} {} more {} would fit: user {} has the lowest share and no waiting task, so no other user "
          "is served (`idle: skip` serves them)",
          all.scenario.names[i], left->tasks, left->tasks == 1 ? "task" : "tasks", left->user));
    if (run.violation_count == 0) continue;
    std::string notice = fmt::format(
        "{}: {} broken", all.scenario.names[i],
        run.violation_count == 1 ? "a promise was" : fmt::format("{} promises were", run.violation_count));
    if (!run.violations.empty()) {
      const simulation::Violation& first = run.violations.front();
      notice += fmt::format("; the first: {}: {}, at {}", first.promise, first.what,
                            duration(in_seconds(first.at)));
    }
    notices.push_back(std::move(notice));
  }
  return notices;
}

// A row for each scheduler: how fair it was, how long it took, what it cost; what went wrong, where something
// did. In as many blocks below each other as the width asks for.

namespace {

using simulation::OverlayRun;

constexpr std::size_t kRunNameWidth = 40;

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
  Figures figures = {small_figure(all, "lowest", "share", &OverlayRun::min_share)};
  if (all.scenario.runtime)
    figures.push_back(small_figure(all, "mean of", "lowest", &OverlayRun::mean_min_share));
  figures.push_back(
      figure(all, "", "gini", [](std::size_t, const OverlayRun& run) { return fixed(run.gini, 4); }));
  figures.push_back(small_figure(all, "devi-", "ation", &OverlayRun::deviation));
  figures.push_back(figure(all, "out of", "turn",
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

// Empty when the network was good and no node left.
Figures fault_figures(const OverlayRuns& all) {
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
    std::vector<Cell> row{{shorten(printable(all.scenario.names[i]), kRunNameWidth)}};
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
  if (const Figures wrong = fault_figures(all); !wrong.empty()) text += block(all, wrong);
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
  std::string text =
      broken(fmt::format(
                 "share: dominant share; lowest: of a user, at the end{}; deviation: the shares' sample "
                 "standard deviation; out of turn: part of the placements whose user did not have the lowest "
                 "share; ticks: to the last placement{}; messages and bytes: that a node sends; "
                 "broken: promises (docs/explanation/overlay-faults.md)",
                 all.scenario.runtime ? ", mean: over the time after the first tenth" : "",
                 central ? "; ratio: to those of centralised-drf" : ""),
             width);
  for (const std::string& notice : notices_of(all)) text += broken("note: " + printable(notice), width);
  return text;
}

}  // namespace

std::string simulation_table(const OverlayRuns& all, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  return broken(title(all), page) + "\n" + blocks(all, page) + legend(all, page);
}

namespace {

using Json = nlohmann::ordered_json;
using simulation::OverlayFrame;

/// The nearest number with this many significant digits.
double rounded(double value, int significant) {
  if (value == 0) return 0;  // not -0, the utility of a user who has nothing yet
  const int exponent = significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double scale = std::pow(10.0, std::abs(exponent));  // exact up to 10^22
  return exponent >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

Json utilities(const OverlayFrame& frame) {
  Json values = Json::array();
  for (const double utility : frame.utility) {
    values.push_back(std::isfinite(utility) ? Json(rounded(utility, 6)) : Json());
  }
  return values;
}

Json fullness(const OverlayFrame& frame) {
  Json values = Json::array();
  for (const double used : frame.used) values.push_back(std::round(used * 1000) / 1000);
  return values;
}

/// The step between frames that are kept, so that there are at most `most` entries; at least one.
std::size_t stride(const std::vector<OverlayFrame>& frames, std::size_t most) {
  std::size_t entries = 0;
  for (const OverlayFrame& frame : frames) {
    entries += frame.utility.size() + frame.used.size();
    for (const auto& neighbours : frame.view) entries += neighbours.size();
  }
  if (entries <= most) return 1;
  return std::min(frames.size(), (entries + most - 1) / std::max<std::size_t>(most, 1));
}

}  // namespace

Json frames_json(const std::vector<OverlayFrame>& frames, std::size_t most_entries) {
  Json json = {{"ticks", Json::array()},
               {"utility", Json::array()},
               {"view", Json::array()},
               {"used", Json::array()},
               {"placements", Json::array()}};
  const std::size_t step = stride(frames, most_entries);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (f % step != 0 && f + 1 != frames.size()) continue;
    json["ticks"].push_back(frames[f].tick);
    json["utility"].push_back(utilities(frames[f]));
    json["view"].push_back(frames[f].view);
    json["used"].push_back(fullness(frames[f]));
    json["placements"].push_back(frames[f].placements);
  }
  return json;
}

namespace {

using Json = nlohmann::ordered_json;
using simulation::OverlayRun;

constexpr std::size_t kAllEntries = SIZE_MAX;

Json kinds_json(const OverlayRun& run) {
  Json kinds = Json::array();
  for (const simulation::MessageCount& each : run.kinds) {
    kinds.push_back({{"kind", each.kind}, {"messages", each.messages}, {"bytes", each.bytes}});
  }
  return kinds;
}

// By reason.
Json dropped_json(const OverlayRun& run) {
  Json dropped = Json::object();
  for (std::size_t reason = 0; reason < run.dropped.size(); ++reason) {
    dropped[std::string(overlay::name_of(static_cast<overlay::Drop>(reason)))] = run.dropped[reason];
  }
  return dropped;
}

Json violations_json(const OverlayRun& run) {
  Json violations = Json::array();
  for (const simulation::Violation& each : run.violations) {
    violations.push_back({{"promise", each.promise}, {"what", each.what}, {"at", in_seconds(each.at)}});
  }
  return violations;
}

Json shares_json(const Problem& cluster, const OverlayRun& run) {
  Json shares = Json::object();
  for (std::size_t n = 0; n < run.shares.size(); ++n) shares[cluster.users()[n].name] = run.shares[n];
  return shares;
}

Json run_json(const OverlayRuns& all, std::size_t index) {
  const OverlayRun& run = all.runs[index];
  const std::optional<double> ratio = ratio_to_centralised(all, index);
  Json json = {{"scheduler", all.scenario.names[index]},
               {"rule", overlay::row_of(all.scenario.rules[index].scheduler).name},
               {"seed", run.seed},
               {"min_share", run.min_share},
               {"gini", run.gini},
               {"deviation", run.deviation},
               {"mean_min_share", run.mean_min_share},
               {"wrong", run.wrong.front()},
               {"wrong_within", run.wrong},
               {"wrong_over_time", run.wrong_over_time},
               {"placements", run.placements},
               {"ticks", run.ticks},
               {"ratio", ratio ? Json(*ratio) : Json()},
               {"messages", run.messages},
               {"bytes", run.bytes},
               {"messages_per_tick_and_node", run.messages_per_tick_and_node},
               {"bytes_per_tick_and_node", run.bytes_per_tick_and_node},
               {"kinds", kinds_json(run)},
               {"lost", run.lost},
               {"dropped", dropped_json(run)},
               {"moved", run.moved},
               {"restarted", run.restarted},
               {"used", by_resource(all.cluster.resources(), run.used)},
               {"shares", shares_json(all.cluster, run)},
               {"violations", run.violation_count},
               {"violated", violations_json(run)}};
  if (all.scenario.frames > 0) json["frames"] = frames_json(run.frames, kAllEntries);
  return json;
}

}  // namespace

Json simulation_json(const OverlayRuns& all) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < all.runs.size(); ++i) runs.push_back(run_json(all, i));
  return {{"version", 1},
          {"kind", "overlay"},
          {"seed", all.seed},
          {"cluster", all.scenario.cluster},
          {"resources", all.cluster.resources()},
          {"servers", server_names(all.cluster)},
          {"users", all.cluster.user_count()},
          {"tick", in_seconds(all.scenario.tick)},
          {"tolerances", all.scenario.tolerances},
          {"runs", std::move(runs)},
          {"notices", notices_of(all)}};
}

namespace {

using simulation::OverlayRun;

// One column for each tolerance but the first, which is 0.
std::vector<std::string> header(const OverlayRuns& all) {
  std::vector<std::string> fields = {"scheduler", "min_share", "gini", "deviation", "wrong"};
  for (std::size_t t = 1; t < all.scenario.tolerances.size(); ++t) {
    fields.push_back("wrong_within_" + csv_number(all.scenario.tolerances[t]));
  }
  for (const char* name :
       {"placements", "ticks", "ratio", "messages", "bytes", "messages_per_tick_and_node",
        "bytes_per_tick_and_node", "violations", "mean_min_share", "lost", "dropped", "moved", "restarted"}) {
    fields.emplace_back(name);
  }
  return fields;
}

std::vector<std::string> record(const OverlayRuns& all, std::size_t index) {
  const OverlayRun& run = all.runs[index];
  std::vector<std::string> fields = {all.scenario.names[index], csv_number(run.min_share),
                                     csv_number(run.gini), csv_number(run.deviation)};
  for (const std::int64_t wrong : run.wrong) fields.push_back(std::to_string(wrong));
  const std::optional<double> ratio = ratio_to_centralised(all, index);
  const auto dropped = std::accumulate(run.dropped.begin(), run.dropped.end(), std::int64_t{0});
  const std::vector<std::string> rest = {std::to_string(run.placements),
                                         csv_number(run.ticks),
                                         ratio ? csv_number(*ratio) : "",
                                         std::to_string(run.messages),
                                         std::to_string(run.bytes),
                                         csv_number(run.messages_per_tick_and_node),
                                         csv_number(run.bytes_per_tick_and_node),
                                         std::to_string(run.violation_count),
                                         csv_number(run.mean_min_share),
                                         std::to_string(run.lost),
                                         std::to_string(dropped),
                                         std::to_string(run.moved),
                                         std::to_string(run.restarted)};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

}  // namespace

std::string simulation_csv(const OverlayRuns& all) {
  std::string csv = csv_record(header(all));
  for (std::size_t i = 0; i < all.runs.size(); ++i) csv += csv_record(record(all, i));
  return csv;
}

}  // namespace mirab::report
