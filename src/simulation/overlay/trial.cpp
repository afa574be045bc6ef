// A run under watch: a world and its promises, until one is broken.

#include "simulation/overlay/trial.hpp"

#include <variant>

#include <mirab/model/assert.hpp>

#include "simulation/overlay/promise_watch.hpp"
#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {
namespace {

void count(const overlay::Fact& fact, TrialOutcome& outcome) {
  if (std::holds_alternative<overlay::Known>(fact)) ++outcome.placements;
  if (std::holds_alternative<overlay::Over>(fact)) ++outcome.ends;
  if (std::holds_alternative<overlay::Lost>(fact)) ++outcome.restarts;
}

}  // namespace

TrialOutcome run_trial(const Trial& trial) {
  const Result<Problem> cluster = Problem::from(trial.cluster);
  MIRAB_ASSERT(cluster, "a trial has a valid cluster");
  const Roster roster = roster_of(*cluster);
  const OverlayRules& rules = trial.scenario.rules.front();
  TrialOutcome outcome;
  World world(roster, rules, trial.scenario, trial.seed);
  world.watch({.fact = [&](Time, overlay::NodeId, const overlay::Fact& fact) { count(fact, outcome); }});
  Promises promises(roster, rules, trial.scenario, world.first_tick(), insight_into(world));
  world.watch(observer_of(promises));
  const Time end = world.first_tick() + *trial.scenario.duration;
  while (promises.findings().count == 0 && world.next() < end) world.step();

  outcome.messages = world.network().sent().all_messages();
  outcome.lost = world.network().losses().lost;
  outcome.duplicated = world.network().losses().duplicated;
  outcome.crashes = std::ssize(trial.scenario.faults.crashes);
  outcome.partitions = std::ssize(trial.scenario.faults.partitions);
  outcome.live = promises.watches_liveness(end);
  if (promises.findings().count > 0) outcome.violation = promises.findings().first.front();
  return outcome;
}

}  // namespace mirab::simulation
