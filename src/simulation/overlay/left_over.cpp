// What nobody gets because nobody is served while the poorest user has no task (Östman, 3.2: it stays the
// centre of the gradient).
#include "simulation/overlay/left_over.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "simulation/overlay/option_use.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;

// How many tasks of the demand fit there; what they take is gone.
std::uint64_t fill(const overlay::Amounts& demand, std::uint64_t most, overlay::Amounts& free) {
  std::uint64_t tasks = most;
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0) tasks = std::min(tasks, static_cast<std::uint64_t>(free[r] / demand[r]));
  for (std::size_t r = 0; r < demand.size(); ++r) free[r] -= static_cast<std::int64_t>(tasks) * demand[r];
  return tasks;
}

std::int64_t tasks_that_fit(const World& world, const Ledger& ledger) {
  const Roster& roster = world.roster();
  std::vector<overlay::Amounts> free(roster.servers());
  for (NodeId server = 0; server < roster.servers(); ++server)
    if (world.up(server) && !world.leaving(server))
      free[server].assign(ledger.free(server).begin(), ledger.free(server).end());
  std::uint64_t tasks = 0;
  for (NodeId n = 0; n < roster.users(); ++n) {
    if (!world.user(roster.user(n)).present()) continue;
    std::uint64_t wanted = roster.tasks[n] - std::min(roster.tasks[n], ledger.running(n));
    for (overlay::Amounts& here : free) {
      if (here.empty()) continue;
      const std::uint64_t placed = fill(roster.demand[n], wanted, here);
      tasks += placed;
      wanted -= placed;
    }
  }
  return static_cast<std::int64_t>(tasks);
}

}  // namespace

std::optional<LeftOver> left_over(const World& world, const Ledger& ledger, const OverlayRules& rules,
                                  const OverlayScenario& scenario) {
  const bool waits = rules.options.idle == overlay::Idle::block && !without_effect("idle", rules);
  if (!waits || scenario.runtime || scenario.duration) return {};
  const Roster& roster = world.roster();
  const std::vector<double> shares = ledger.shares();
  const double least = ledger.least_share();
  for (NodeId n = 0; n < roster.users(); ++n) {
    if (shares[n] > least || world.user(roster.user(n)).present()) continue;
    const std::int64_t tasks = tasks_that_fit(world, ledger);
    return tasks > 0 ? std::optional(LeftOver{.user = roster.names[n], .tasks = tasks}) : std::nullopt;
  }
  return {};
}

}  // namespace mirab::simulation
