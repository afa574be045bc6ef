// `ostman-beyond-churn`: servers join, leave and crash while users are served, and users move to another home
// (Östman, chapter 6: left open). Every promise of docs/overlay-safety.md is checked after every event.
#include <string>

#include "experiments/means.hpp"
#include "experiments/ostman/beyond.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

using simulation::Memory;
using std::chrono::seconds;

constexpr std::uint32_t kLease = 200;  // ticks

double moved_of(const simulation::OverlayRun& run) { return static_cast<double>(run.moved); }
double restarted_of(const simulation::OverlayRun& run) { return static_cast<double>(run.restarted); }
double violations_of(const simulation::OverlayRun& run) { return static_cast<double>(run.violation_count); }

// Of every 20 servers one leaves, one joins late, one only stops for a while, and one dies and comes back
// empty: spread over the first 40 s, 400 ticks.
simulation::OverlayScenario churn(const Problem& cluster) {
  simulation::OverlayScenario scenario;
  const auto servers = static_cast<std::uint32_t>(cluster.server_count());
  for (std::uint32_t first = 0; first + 20 <= servers; first += 20) {
    const Duration at = seconds(5 + 35 * first / servers);
    scenario.faults.joins.push_back({.at = at, .node = first + 3});
    scenario.faults.leaves.push_back({.at = at, .node = first + 7});
    scenario.faults.crashes.push_back(
        {.at = at, .node = first + 11, .back = at + seconds(20), .memory = Memory::kept});
    scenario.faults.crashes.push_back(
        {.at = at, .node = first + 17, .back = at + seconds(20), .memory = Memory::lost});
  }
  return scenario;
}

double sum(std::span<const SeedRuns> runs, Measure measure) {
  double result = 0;
  for (const SeedRuns& seeds : runs) {
    for (const simulation::OverlayRun& run : seeds) result += measure(run);
  }
  return result;
}

std::vector<Way> ways() {
  std::vector<Way> result = rules_with(2);
  for (Way& way : result) way.rules.options.patience.lease = kLease;
  return result;
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SideBySide plan{.machines = quick ? 20UL : 100UL,
                  .users = quick ? 5UL : 20UL,
                  .seeds = quick ? 2UL : 5UL,
                  .ways = ways()};
  const std::vector<SeedRuns> calm = run_side_by_side(plan, options);
  plan.scenario = churn;
  const std::vector<SeedRuns> disturbed = run_side_by_side(plan, options);

  Reproduction result;
  const double violations = sum(disturbed, violations_of) + sum(calm, violations_of);
  result.findings = {required("broken promises: allocations lost or doubled, servers over capacity (0)",
                              violations, violations == 0),
                     required("users that moved to another home, all runs together (above 0)",
                              sum(disturbed, moved_of), sum(disturbed, moved_of) > 0),
                     required("tasks that were lost with their server and submitted again (above 0)",
                              sum(disturbed, restarted_of), sum(disturbed, restarted_of) > 0)};
  // One server in twenty left for good.
  for (std::size_t w = 0; w < plan.ways.size(); ++w)
    result.findings.push_back(at_least("least share of " + plan.ways[w].name +
                                           " over the undisturbed one, with 5 % of the servers gone (0.9 or "
                                           "more)",
                                       ratios(disturbed[w], calm[w], least_share), 0.9));
  const std::vector<Column> columns = {{"least share", least_share, 5},  {"placements", placements_of, 0},
                                       {"moved", moved_of, 1},           {"restarted", restarted_of, 1},
                                       {"violations", violations_of, 0}, {"ticks", ticks_of, 0}};
  result.tables = {table_of_ways("With churn", plan, disturbed, columns),
                   table_of_ways("Undisturbed", plan, calm, columns)};
  return result;
}

}  // namespace

Experiment ostman_beyond_churn_row() {
  return {.id = "ostman-beyond-churn",
          .paper = "beyond Östman, chapter 6",
          .title = "Servers join, leave and crash, and users move",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
