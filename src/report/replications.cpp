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
#include "report/replications.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "report/replication_summary.hpp"
#include "report/side_by_side.hpp"
#include "report/text_width.hpp"
#include "simulation/interval.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::Interval;

const std::string kIndent = "  ";

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

// The figures of all runs: those of the first, and what they come to, [contender][figure].
struct Spread {
  std::vector<ContenderSummary> contenders;
  std::vector<std::vector<Interval>> intervals;
};

template <class Run>
Spread spread_of(const std::vector<Run>& runs) {
  std::vector<std::vector<ContenderSummary>> all;
  for (const Run& run : runs) all.push_back(summary_of(run));
  Spread spread{all.front(), {}};
  for (std::size_t c = 0; c < spread.contenders.size(); ++c) {
    spread.intervals.emplace_back();
    for (std::size_t f = 0; f < spread.contenders[c].figures.size(); ++f) {
      std::vector<double> values;
      for (const auto& contenders : all) values.push_back(contenders[c].figures[f].value);
      spread.intervals.back().push_back(simulation::mean_interval(values));
    }
  }
  return spread;
}

// What is to be told of the runs: of all of them once, of one with its seed.
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
      const Interval& interval = spread.intervals[c][f];
      const auto text = spread.contenders[c].figures[f].text;
      values.push_back(fmt::format("{} ± {}", text(interval.mean), text((interval.high - interval.low) / 2)));
    }
    table.add(spread.contenders.front().figures[f].row, std::move(values));
  }
  const std::string title = fmt::format("{}: {}", runs.front().title, seeds_text(seeds_of(runs)));
  std::string text = broken(printable(title), page, kIndent) + "\n" + table.text(page) +
                     broken("±: half of the 95 % interval of the mean, from the runs", page, kIndent);
  for (const std::string& notice : notices_of_all(runs))
    text += broken("note: " + printable(notice), page, kIndent);
  return text;
}

template <class Run>
Json replications_json(const std::vector<Run>& runs) {
  Json entries = Json::array();
  const Spread spread = spread_of(runs);
  for (std::size_t c = 0; c < spread.contenders.size(); ++c) {
    for (std::size_t f = 0; f < spread.contenders[c].figures.size(); ++f) {
      const Interval& interval = spread.intervals[c][f];
      Json entry = spread.contenders[c].figures[f].key;
      entry["mean"] = interval.mean;
      entry["interval"] = {interval.low, interval.high};
      entries.push_back(std::move(entry));
    }
  }
  return {{"version", 1},
          {"kind", kind_of(runs.front())},
          {"seeds", seeds_of(runs)},
          {"spread", std::move(entries)},
          {"runs", runs_json(runs)},
          {"notices", notices_of_all(runs)}};
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
template std::string replications_csv(const std::vector<ReplayRun>&);
template std::string replications_csv(const std::vector<DemandsRun>&);
template std::string replications_csv(const std::vector<OverlayRuns>&);

}  // namespace mirab::report
