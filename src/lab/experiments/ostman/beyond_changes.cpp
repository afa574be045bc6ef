// ostman-beyond-ending, -pause and -churn: tasks that end, users that pause, servers that come and go.
#include <string>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/ostman/beyond.hpp"
#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// `ostman-beyond-ending`: tasks that end. A user's share then falls, its home's utility rises, and the
// gradient has to turn: what chapter 6 of the thesis fears, and does not measure. Rise::climb tells the
// centre at once, from neighbour to better neighbour, against shuffles alone (Rise::gossip, the thesis').
// What climbed stays known after its server fell again, and hinders others, unless those that fell are
// remembered.

namespace {

using overlay::OverlayOptions;
using overlay::Rise;
using overlay::Scheduler;
using std::chrono::seconds;

enum EndingWays : std::size_t {
  central,
  dgdrf_gossip,
  dgdrf_climb,
  dgdrf_remembered,
  pdgdrf_gossip,
  pdgdrf_climb,
  pdgdrf_remembered,
  level_gossip
};

simulation::OverlayScenario ending(Duration duration) {
  simulation::OverlayScenario scenario;
  scenario.runtime = seconds(30);  // 300 ticks
  scenario.duration = duration;
  return scenario;
}

std::vector<Configuration> ways_of_ending() {
  std::vector<Configuration> result = {way("centralised-drf", Scheduler::centralised_drf, 2)};
  for (const Configuration& rule : rules_with(4)) {
    result.push_back({.name = rule.name + ", gossip", .rules = rule.rules});
    Configuration climb =
        with({.name = rule.name + ", climb", .rules = rule.rules}, &OverlayOptions::rise, Rise::climb);
    result.push_back(climb);
    climb.name += ", 8 remembered";
    climb.rules.options.gossip.remember = 8;
    result.push_back(climb);
  }
  return result;
}

Reproduction run_ending(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const SideBySide plan{.machines = quick ? 20UL : 60UL,
                        .users = quick ? 6UL : 20UL,
                        .seeds = quick ? 2UL : 5UL,
                        .ways = ways_of_ending(),
                        .scenario = [quick](const Problem&) { return ending(seconds(quick ? 30 : 200)); }};
  const std::vector<SeedRuns> runs = run_side_by_side(plan, options);
  const auto wrong_less = [&](EndingWays gossip, EndingWays climb) {
    return differences(measured(runs[gossip], wrong_part), measured(runs[climb], wrong_part));
  };
  const auto share_more = [&](EndingWays gossip, EndingWays climb) {
    return differences(measured(runs[climb], mean_least_share), measured(runs[gossip], mean_least_share));
  };

  Reproduction result;
  result.findings = {
      more("part out of turn of DGDRF, gossip less climb (above 0)", wrong_less(dgdrf_gossip, dgdrf_climb)),
      more("part out of turn of PDGDRF, gossip less climb (above 0)",
           wrong_less(pdgdrf_gossip, pdgdrf_climb)),
      not_less("mean lowest share of DGDRF over time, climb less gossip (not below 0)",
               share_more(dgdrf_gossip, dgdrf_climb)),
      not_less("mean lowest share of PDGDRF over time, climb less gossip (not below 0)",
               share_more(pdgdrf_gossip, pdgdrf_climb)),
      more("part out of turn of DGDRF, gossip less climb with 8 remembered (above 0)",
           wrong_less(dgdrf_gossip, dgdrf_remembered)),
      not_less("mean lowest share of PDGDRF over time, climb with 8 remembered less gossip (not below 0)",
               share_more(pdgdrf_gossip, pdgdrf_remembered)),
      at_least("mean lowest share of level over time, without climb, over the centralised one (0.95 or more)",
               ratios(runs[level_gossip], runs[central], mean_least_share), 0.95)};
  const std::vector<Column> columns = {{"part out of turn", wrong_part, 4},
                                       {"mean lowest share", mean_least_share, 5},
                                       {"over centralised", mean_least_share, 3, true},
                                       {"placements / centralised", placements_of, 3, true},
                                       {"messages", messages_of, 0}};
  result.tables = {table_of_ways("Tasks that run 300 ticks in the mean", plan, runs, columns)};
  result.remarks.push_back(
      "Placements over the centralised ones say how far a scheduler is behind: the centralised one serves "
      "one task a tick, while tasks end; who serves several a tick may be ahead of it.");
  return result;
}

}  // namespace

Experiment ostman_beyond_ending_row() {
  return {.id = "ostman-beyond-ending",
          .paper = "beyond Östman, chapter 6",
          .title = "Tasks that end: news of a rise that climbs, beside shuffles alone",
          .data = kDrawnFromTheTrace,
          .run = run_ending};
}

// `ostman-beyond-pause`: a user without a task for a while. In the thesis no user is served while it is the
// poorest (chapter 6: not Pareto-optimal); Idle::skip leaves it out until it has a task again.

namespace {

using overlay::Idle;
using overlay::OverlayOptions;
using std::chrono::seconds;

enum PauseWays : std::size_t { dgdrf_block, dgdrf_skip, pdgdrf_block, pdgdrf_skip, level_block, level_skip };

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

std::vector<Configuration> ways_of_pause() {
  std::vector<Configuration> both;
  for (const Configuration& way : rules_with(2)) {
    both.push_back({.name = way.name + ", block", .rules = way.rules});
    both.push_back(
        with({.name = way.name + ", skip", .rules = way.rules}, &OverlayOptions::idle, Idle::skip));
  }
  return both;
}

Reproduction run_pause(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SideBySide plan{.machines = quick ? 16UL : 100UL,
                  .users = quick ? 6UL : 20UL,
                  .seeds = quick ? 2UL : 5UL,
                  .ways = ways_of_pause(),
                  .scenario = until_it_returns};
  const std::vector<SeedRuns> during = run_side_by_side(plan, options);
  plan.scenario = undisturbed;
  const std::vector<SeedRuns> without = run_side_by_side(plan, options);
  plan.scenario = paused;
  const std::vector<SeedRuns> in_the_end = run_side_by_side(plan, options);

  const std::vector<Column> to_its_return = {{"placements", placements_of, 0}, {"used", used_part, 3}};
  const std::vector<Column> at_the_end = {
      {"lowest share", least_share, 5}, {"placements", placements_of, 0}, {"used", used_part, 3}};
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
          .run = run_pause};
}

// `ostman-beyond-churn`: servers join, leave and crash while users are served, and users move to another home
// (Östman, chapter 6: left open). Every promise of docs/explanation/overlay-safety.md is checked after every
// event.

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

std::vector<Configuration> ways_of_churn() {
  std::vector<Configuration> result = rules_with(2);
  for (Configuration& way : result) way.rules.options.patience.lease = kLease;
  return result;
}

Reproduction run_churn(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SideBySide plan{.machines = quick ? 20UL : 100UL,
                  .users = quick ? 5UL : 20UL,
                  .seeds = quick ? 2UL : 5UL,
                  .ways = ways_of_churn()};
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
    result.findings.push_back(at_least("lowest share of " + plan.ways[w].name +
                                           " over the undisturbed one, with 5 % of the servers gone (0.9 or "
                                           "more)",
                                       ratios(disturbed[w], calm[w], least_share), 0.9));
  const std::vector<Column> columns = {{"lowest share", least_share, 5}, {"placements", placements_of, 0},
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
          .run = run_churn};
}

}  // namespace mirab::experiments
