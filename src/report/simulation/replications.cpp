// Several runs of one scenario: the figures that are compared, then their spread.

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "lab/simulation/base/statistics.hpp"
#include "report/page/html.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

// The figures of a run that are compared between runs that differ in the seed.

#include <string>
#include <vector>

#include "report/simulation/runs.hpp"

namespace mirab::report {

/// One figure of a run.
struct SummaryFigure {
  nlohmann::ordered_json key;  ///< what it is of, in JSON
  std::string row;             ///< what it is of, in the table
  std::string (*text)(double);
  double value;
};

/// What one contender came to.
struct ContenderSummary {
  std::vector<std::string> label;  ///< in lines
  std::vector<SummaryFigure> figures;
};

// Contenders and figures are the same in all runs of a scenario, in the same order.
std::vector<ContenderSummary> summary_of(const TrafficRun& run);
std::vector<ContenderSummary> summary_of(const ReplayRun& run);
std::vector<ContenderSummary> summary_of(const DemandsRun& run);
std::vector<ContenderSummary> summary_of(const OverlayRuns& run);

namespace {

using Json = nlohmann::ordered_json;

std::string part(double value) { return fixed(value, 4); }
std::string percentage(double value) { return percent(value, 2); }
std::string tenths(double value) { return fixed(value, 1); }

}  // namespace

std::vector<ContenderSummary> summary_of(const TrafficRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const Choice& mechanism : run.scenario.mechanisms) {
    contenders.push_back({label_lines(mechanism.text), {}});
  }
  for (const simulation::TrafficPoint& point : run.outcome.points) {
    const std::string& name = run.scenario.classes[point.job_class].name;
    const Json key = {{"load", point.load},
                      {"mechanism", run.scenario.mechanisms[point.mechanism].text},
                      {"class", name},
                      {"figure", "service_rate"}};
    contenders[point.mechanism].figures.push_back(
        {key, fmt::format("{} {}", point.load, shorten(name, kMediumNameWidth)), part, point.service_rate});
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const ReplayRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const simulation::ReplayOutcome& outcome : run.outcomes) {
    ContenderSummary contender{label_lines(outcome.discipline), {}};
    contender.label.push_back(outcome.placement);
    const auto key = [&](const std::string& figure) {
      return Json{{"discipline", outcome.discipline}, {"placement", outcome.placement}, {"figure", figure}};
    };
    contender.figures = {
        {key("started"), "started", tenths, static_cast<double>(outcome.started)},
        {key("starved_users"), "users starved", tenths, static_cast<double>(outcome.starved)},
        {key("mean_unfairness"), "unfairness, mean", percentage, mean_unfairness(outcome)},
        {key("waiting"), "waiting, mean", duration, outcome.waiting.mean},
        {key("slowdown"), "slowdown, mean", part, outcome.slowdown.mean},
        {key("unfairness"), "unfairness, share·s", share_seconds, outcome.unfairness}};
    for (std::size_t r = 0; r < run.resources.size(); ++r) {
      Json of_resource = key("utilization");
      of_resource["resource"] = run.resources[r];
      contender.figures.push_back({std::move(of_resource),
                                   shorten(run.resources[r], kMediumNameWidth) + " granted", percentage,
                                   outcome.utilization[r]});
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const DemandsRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const simulation::MechanismCourse& course : run.outcome.mechanisms) {
    ContenderSummary contender{label_lines(course.mechanism), {}};
    for (const simulation::Series& series : course_series(course, run.scenario.resources)) {
      const Json key = {{"mechanism", course.mechanism}, {"figure", series.name}};
      contender.figures.push_back({key, series.name, part, mean_of(series.values)});
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const OverlayRuns& all) {
  std::vector<ContenderSummary> contenders;
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const simulation::OverlayRun& run = all.runs[i];
    const auto figure = [&](const char* name, const char* row, std::string (*text)(double), double value) {
      return SummaryFigure{Json{{"scheduler", all.scenario.names[i]}, {"figure", name}}, row, text, value};
    };
    ContenderSummary contender{label_lines(all.scenario.names[i]), {}};
    contender.figures = {figure("min_share", "lowest share", part, run.min_share),
                         figure("mean_min_share", "mean of lowest share", part, run.mean_min_share),
                         figure("gini", "gini", part, run.gini),
                         figure("deviation", "deviation", part, run.deviation),
                         figure("wrong", "out of turn", percentage, wrong_part(run)),
                         figure("placements", "placed", tenths, static_cast<double>(run.placements)),
                         figure("ticks", "ticks", tenths, run.ticks)};
    if (const std::optional<double> ratio = ratio_to_centralised(all, i))
      contender.figures.push_back(figure("ratio", "ratio of ticks", part, *ratio));
    contender.figures.push_back(
        figure("messages_per_tick_and_node", "messages a tick", part, run.messages_per_tick_and_node));
    contender.figures.push_back(
        figure("bytes_per_tick_and_node", "bytes a tick", tenths, run.bytes_per_tick_and_node));
    contender.figures.push_back(
        figure("violations", "promises broken", tenths, static_cast<double>(run.violation_count)));
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

// The spread of a scenario's figures over independent replications: runs that differ in the seed alone.
//
// Source: Law, Simulation Modeling and Analysis, sections 9.4.1 (replications that end by themselves), 9.5.2
// (replications after a warm-up), 4.5 (the interval).
//
//   x̄ ± t s/√R,  s² = Σ (x_i - x̄)² / (R - 1)
//
// where x_i is the figure of run i of R, and t of Student's law with R - 1 degrees of freedom. Runs are
// independent, as batches within one run are not.
// Known failures: it takes the x_i for normal, so with a handful of seeds and a figure that is mostly 0, such
// as a waiting time where queues are rare, it is wrong. An error that every run has, such as a warm-up that
// is too short, is in the mean, and the interval says nothing of it. Cost: O(figures) for each run.

namespace {

using Json = nlohmann::ordered_json;
using simulation::Interval;

std::uint64_t seed_of(const TrafficRun& run) { return run.outcome.seed; }
std::uint64_t seed_of(const ReplayRun& run) { return run.seed; }
std::uint64_t seed_of(const DemandsRun& run) { return run.outcome.seed; }
std::uint64_t seed_of(const OverlayRuns& run) { return run.seed; }

std::string_view kind_of(const TrafficRun&) { return "traffic"; }
std::string_view kind_of(const ReplayRun&) { return "trace"; }
std::string_view kind_of(const DemandsRun&) { return "demands"; }
std::string_view kind_of(const OverlayRuns&) { return "overlay"; }

template <class Run>
Json runs_json(const std::vector<Run>& runs) {
  Json all = Json::array();
  for (const Run& run : runs) all.push_back(simulation_json(run));
  return all;
}

// In one list, since each says its seed.
Json runs_json(const std::vector<OverlayRuns>& runs) {
  Json all = Json::array();
  for (const OverlayRuns& of_seed : runs) {
    Json alone = simulation_json(of_seed);
    for (Json& run : alone["runs"]) all.push_back(std::move(run));
  }
  return all;
}

template <class Run>
std::vector<std::uint64_t> seeds_of(const std::vector<Run>& runs) {
  std::vector<std::uint64_t> seeds;
  for (const Run& run : runs) seeds.push_back(seed_of(run));
  return seeds;
}

// `seeds 1 to 5`, or each of them.
std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  const auto gap = std::adjacent_find(seeds.begin(), seeds.end(),
                                      [](std::uint64_t a, std::uint64_t b) { return b != a + 1; });
  if (gap != seeds.end()) return fmt::format("seeds {}", fmt::join(seeds, ", "));
  return fmt::format("seeds {} to {}", seeds.front(), seeds.back());
}

// A figure over all runs: of each, in their order, and their mean.
struct OverRuns {
  std::vector<double> values;
  Interval interval;
};

// The figures of all runs: those of the first, and what they come to, [contender][figure].
struct Spread {
  std::vector<ContenderSummary> contenders;
  std::vector<std::vector<OverRuns>> figures;
};

template <class Run>
Spread spread_of(const std::vector<Run>& runs) {
  std::vector<std::vector<ContenderSummary>> all;
  for (const Run& run : runs) all.push_back(summary_of(run));
  Spread spread{all.front(), {}};
  for (std::size_t c = 0; c < spread.contenders.size(); ++c) {
    spread.figures.emplace_back();
    for (std::size_t f = 0; f < spread.contenders[c].figures.size(); ++f) {
      std::vector<double> values;
      for (const auto& contenders : all) values.push_back(contenders[c].figures[f].value);
      const Interval interval = simulation::mean_interval(values);
      spread.figures.back().push_back({std::move(values), interval});
    }
  }
  return spread;
}

template <class Run>
Json spread_json(const std::vector<Run>& runs) {
  Json entries = Json::array();
  const Spread spread = spread_of(runs);
  for (std::size_t c = 0; c < spread.contenders.size(); ++c) {
    for (std::size_t f = 0; f < spread.contenders[c].figures.size(); ++f) {
      const auto& [values, interval] = spread.figures[c][f];
      Json entry = spread.contenders[c].figures[f].key;
      entry["mean"] = interval.mean;
      entry["interval"] = {interval.low, interval.high};
      entry["values"] = values;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

// The notices of the runs: of all of them once, of one with its seed.
template <class Run>
std::vector<std::string> notices_of_all(const std::vector<Run>& runs) {
  std::vector<std::string> notices;
  if constexpr (requires(const Run& run) { notices_of(run); }) {
    std::map<std::string, std::size_t> times;
    for (const Run& run : runs)
      for (const std::string& notice : notices_of(run)) ++times[notice];
    for (const Run& run : runs) {
      for (const std::string& notice : notices_of(run)) {
        if (times[notice] < runs.size())
          notices.push_back(fmt::format("seed {}: {}", seed_of(run), notice));
        else if (&run == &runs.front())
          notices.push_back(notice);
      }
    }
  }
  return notices;
}

// Puts `field` before every record but the header, which gets `name`, or is left out when there is none. A
// line break within quotes ends no record.
std::string with_column(const std::string& csv, const std::string& name, const std::string& field) {
  const std::size_t body = csv.find('\n') + 1;
  std::string text = name.empty() ? "" : name + "," + csv.substr(0, body);
  bool starts = true;
  bool quoted = false;
  for (const char c : csv.substr(body)) {
    if (starts) text += field + ",";
    text += c;
    if (c == '"') quoted = !quoted;
    starts = c == '\n' && !quoted;
  }
  return text;
}

}  // namespace

template <class Run>
std::string replications_table(const std::vector<Run>& runs, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  const Spread spread = spread_of(runs);
  std::vector<std::vector<std::string>> labels;
  for (const ContenderSummary& contender : spread.contenders) labels.push_back(contender.label);
  SideBySide table(fmt::format("mean of {} runs", runs.size()), std::move(labels));
  for (std::size_t f = 0; f < spread.contenders.front().figures.size(); ++f) {
    std::vector<std::string> values;
    for (std::size_t c = 0; c < spread.contenders.size(); ++c) {
      const Interval& interval = spread.figures[c][f].interval;
      const auto text = spread.contenders[c].figures[f].text;
      values.push_back(fmt::format("{} ± {}", text(interval.mean), text((interval.high - interval.low) / 2)));
    }
    table.add(spread.contenders.front().figures[f].row, std::move(values));
  }
  const std::string title = fmt::format("{}: {}", runs.front().title, seeds_text(seeds_of(runs)));
  std::string text = broken(printable(title), page) + "\n" + table.text(width) +
                     broken("±: half of the 95 % interval of the mean, from the runs", page);
  for (const std::string& notice : notices_of_all(runs)) text += broken("note: " + printable(notice), page);
  return text;
}

template <class Run>
Json replications_json(const std::vector<Run>& runs) {
  return {{"version", 1},
          {"kind", kind_of(runs.front())},
          {"seeds", seeds_of(runs)},
          {"spread", spread_json(runs)},
          {"runs", runs_json(runs)},
          {"notices", notices_of_all(runs)}};
}

template <class Run>
std::string replications_html(std::string_view page, const std::vector<Run>& runs, const PageOrigin& origin) {
  Json data = page_json(runs.front());
  if (runs.size() > 1) {
    data["seeds"] = seeds_of(runs);
    data["spread"] = spread_json(runs);
  }
  return embed(page, data, runs.front().title, origin);
}

template <class Run>
std::string replications_csv(const std::vector<Run>& runs) {
  std::string csv;
  for (const Run& run : runs) {
    csv += with_column(simulation_csv(run), csv.empty() ? "seed" : "", std::to_string(seed_of(run)));
  }
  return csv;
}

template std::string replications_table(const std::vector<TrafficRun>&, std::size_t);
template std::string replications_table(const std::vector<ReplayRun>&, std::size_t);
template std::string replications_table(const std::vector<DemandsRun>&, std::size_t);
template std::string replications_table(const std::vector<OverlayRuns>&, std::size_t);
template Json replications_json(const std::vector<TrafficRun>&);
template Json replications_json(const std::vector<ReplayRun>&);
template Json replications_json(const std::vector<DemandsRun>&);
template Json replications_json(const std::vector<OverlayRuns>&);
template std::string replications_csv(const std::vector<TrafficRun>&);
template std::string replications_html(std::string_view, const std::vector<TrafficRun>&, const PageOrigin&);
template std::string replications_csv(const std::vector<ReplayRun>&);
template std::string replications_html(std::string_view, const std::vector<ReplayRun>&, const PageOrigin&);
template std::string replications_csv(const std::vector<DemandsRun>&);
template std::string replications_html(std::string_view, const std::vector<DemandsRun>&, const PageOrigin&);
template std::string replications_csv(const std::vector<OverlayRuns>&);
template std::string replications_html(std::string_view, const std::vector<OverlayRuns>&, const PageOrigin&);

}  // namespace mirab::report
