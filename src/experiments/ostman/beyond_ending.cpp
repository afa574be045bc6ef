// `ostman-beyond-ending`: tasks that end. A user's share then falls, its home's utility rises, and the
// gradient has to turn: what chapter 6 of the thesis fears, and does not measure. Rise::climb tells the
// centre at once, from neighbour to better neighbour, beside shuffles alone (Rise::gossip, the thesis'). What
// climbed stays known after its server fell again, and hinders others, unless those that fell are remembered.
#include <string>

#include "experiments/means.hpp"
#include "experiments/ostman/beyond.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

using overlay::OverlayOptions;
using overlay::Rise;
using overlay::Scheduler;
using std::chrono::seconds;

enum Ways : std::size_t {
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

std::vector<Way> ways() {
  std::vector<Way> result = {way("centralised-drf", Scheduler::centralised_drf, 2)};
  for (const Way& rule : rules_with(4)) {
    result.push_back({.name = rule.name + ", gossip", .rules = rule.rules});
    Way climb =
        with({.name = rule.name + ", climb", .rules = rule.rules}, &OverlayOptions::rise, Rise::climb);
    result.push_back(climb);
    climb.name += ", 8 remembered";
    climb.rules.options.gossip.remember = 8;
    result.push_back(climb);
  }
  return result;
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const SideBySide plan{.machines = quick ? 20UL : 60UL,
                        .users = quick ? 6UL : 20UL,
                        .seeds = quick ? 2UL : 5UL,
                        .ways = ways(),
                        .scenario = [quick](const Problem&) { return ending(seconds(quick ? 30 : 200)); }};
  const std::vector<SeedRuns> runs = run_side_by_side(plan, options);
  const auto wrong_less = [&](Ways gossip, Ways climb) {
    return differences(measured(runs[gossip], wrong_part), measured(runs[climb], wrong_part));
  };
  const auto share_more = [&](Ways gossip, Ways climb) {
    return differences(measured(runs[climb], mean_least_share), measured(runs[gossip], mean_least_share));
  };

  Reproduction result;
  result.findings = {
      more("wrong part of DGDRF, gossip less climb (above 0)", wrong_less(dgdrf_gossip, dgdrf_climb)),
      more("wrong part of PDGDRF, gossip less climb (above 0)", wrong_less(pdgdrf_gossip, pdgdrf_climb)),
      not_less("mean least share of DGDRF over time, climb less gossip (not below 0)",
               share_more(dgdrf_gossip, dgdrf_climb)),
      not_less("mean least share of PDGDRF over time, climb less gossip (not below 0)",
               share_more(pdgdrf_gossip, pdgdrf_climb)),
      more("wrong part of DGDRF, gossip less climb with 8 remembered (above 0)",
           wrong_less(dgdrf_gossip, dgdrf_remembered)),
      not_less("mean least share of PDGDRF over time, climb with 8 remembered less gossip (not below 0)",
               share_more(pdgdrf_gossip, pdgdrf_remembered)),
      at_least("mean least share of level over time, without climb, over the centralised one (0.95 or more)",
               ratios(runs[level_gossip], runs[central], mean_least_share), 0.95)};
  const std::vector<Column> columns = {{"wrong part", wrong_part, 4},
                                       {"mean least share", mean_least_share, 5},
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
          .run = run};
}

}  // namespace mirab::experiments
