// `ostman-beyond-pause`: a user without a task for a while. In the thesis nobody is served while it is the
// poorest (chapter 6: not Pareto-optimal); Idle::skip leaves it out until it has a task again.
#include <string>

#include "experiments/means.hpp"
#include "experiments/ostman/beyond.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

using overlay::Idle;
using overlay::OverlayOptions;
using std::chrono::seconds;

enum Ways : std::size_t { dgdrf_block, dgdrf_skip, pdgdrf_block, pdgdrf_skip, level_block, level_skip };

constexpr seconds kFrom{5};  // ticks are of 100 ms
constexpr seconds kTo{65};

simulation::OverlayScenario paused(const Problem& cluster) {
  simulation::OverlayScenario scenario;
  scenario.pauses = {{.from = kFrom, .to = kTo, .user = cluster.users().front().name}};
  return scenario;
}

simulation::OverlayScenario until_it_returns(const Problem& cluster) {
  simulation::OverlayScenario scenario = paused(cluster);
  scenario.duration = kTo;
  return scenario;
}

simulation::OverlayScenario undisturbed(const Problem& /*cluster*/) {
  simulation::OverlayScenario scenario;
  scenario.duration = kTo;
  return scenario;
}

std::vector<Way> ways() {
  std::vector<Way> both;
  for (const Way& way : rules_with(2)) {
    both.push_back({.name = way.name + ", block", .rules = way.rules});
    both.push_back(
        with({.name = way.name + ", skip", .rules = way.rules}, &OverlayOptions::idle, Idle::skip));
  }
  return both;
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SideBySide plan{.machines = quick ? 16UL : 100UL,
                  .users = quick ? 6UL : 20UL,
                  .seeds = quick ? 2UL : 5UL,
                  .ways = ways(),
                  .scenario = until_it_returns};
  const std::vector<SeedRuns> during = run_side_by_side(plan, options);
  plan.scenario = undisturbed;
  const std::vector<SeedRuns> without = run_side_by_side(plan, options);
  plan.scenario = paused;
  const std::vector<SeedRuns> in_the_end = run_side_by_side(plan, options);

  const std::vector<Column> to_its_return = {{"placements", placements_of, 0}, {"used", used_part, 3}};
  const std::vector<Column> at_the_end = {
      {"least share", least_share, 5}, {"placements", placements_of, 0}, {"used", used_part, 3}};
  Reproduction result;
  result.findings = {
      more("placements of DGDRF until the user is back, skip less block (above 0)",
           differences(measured(during[dgdrf_skip], placements_of),
                       measured(during[dgdrf_block], placements_of))),
      more("the same of PDGDRF (above 0)", differences(measured(during[pdgdrf_skip], placements_of),
                                                       measured(during[pdgdrf_block], placements_of))),
      more("the same of level (above 0)", differences(measured(during[level_skip], placements_of),
                                                      measured(during[level_block], placements_of))),
      more("used part with DGDRF, skip less block (above 0)",
           differences(measured(during[dgdrf_skip], used_part), measured(during[dgdrf_block], used_part))),
      at_least("placements of DGDRF with skip over those without a pause (0.8 or more)",
               ratios(during[dgdrf_skip], without[dgdrf_skip], placements_of), 0.8)};
  result.tables = {table_of_ways("When the user comes back", plan, during, to_its_return),
                   table_of_ways("At the same time, without a pause", plan, without, to_its_return),
                   table_of_ways("In the end, when nothing fits any more", plan, in_the_end, at_the_end)};
  result.remarks.push_back(
      "Tasks do not end here, so a user that comes back to a cluster that others filled meanwhile stays "
      "poorer with skip than with block, which kept it free: the last table. With tasks that end it catches "
      "up.");
  return result;
}

}  // namespace

Experiment ostman_beyond_pause_row() {
  return {.id = "ostman-beyond-pause",
          .paper = "beyond Östman, chapter 6",
          .title = "Users without a pending task no longer block the others",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
