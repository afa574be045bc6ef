// A run under watch: a world and its promises, until one is broken.

#include "simulation/overlay/trial.hpp"

#include <mirab/model/assert.hpp>

#include "simulation/overlay/promise_watch.hpp"
#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {

TrialOutcome run_trial(const Trial& trial) {
  const Result<Problem> cluster = Problem::from(trial.cluster);
  MIRAB_ASSERT(cluster, "a trial has a valid cluster");
  const Roster roster = roster_of(*cluster);
  const OverlayRules& rules = trial.scenario.rules.front();
  World world(roster, rules, trial.scenario, trial.seed);
  Promises promises(roster, rules, trial.scenario, world.first_tick(), insight_into(world));
  world.watch(observer_of(promises));
  const Time end = world.first_tick() + *trial.scenario.duration;
  while (promises.findings().count == 0 && world.next() < end) world.step();

  TrialOutcome outcome{.violation = {},
                       .messages = world.network().sent().all_messages(),
                       .lost = world.network().losses().lost,
                       .duplicated = world.network().losses().duplicated};
  if (promises.findings().count > 0) outcome.violation = promises.findings().first.front();
  return outcome;
}

}  // namespace mirab::simulation
