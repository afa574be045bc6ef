// A cluster as an overlay sees it: every server a node, every user a node.
#include "lab/simulation/overlay/roster.hpp"

#include <algorithm>

#include "fairness/share.hpp"
#include "scheduling/fill/integer_problem.hpp"

namespace mirab::simulation {
namespace {

overlay::Amounts amounts(std::span<const std::int64_t> units) { return {units.begin(), units.end()}; }

}  // namespace

Roster roster_of(const Problem& cluster) {
  const scheduling::IntegerProblem counted(cluster);
  Roster roster;
  for (std::size_t entry = 0; entry < cluster.server_count(); ++entry)
    roster.capacity.insert(roster.capacity.end(), static_cast<std::size_t>(cluster.servers()[entry].count),
                           amounts(counted.capacity(entry)));
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) roster.total.push_back(counted.pool(r));
  const auto cpu = std::find(cluster.resources().begin(), cluster.resources().end(), "cpu");
  if (cpu != cluster.resources().end())
    roster.load = static_cast<std::size_t>(cpu - cluster.resources().begin());
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    const std::int64_t limit = counted.task_limit(n);
    roster.names.push_back(cluster.users()[n].name);
    roster.demand.push_back(amounts(counted.demand(n)));
    roster.tasks.push_back(limit == INT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(limit));
    roster.dominant.push_back(fairness::dominant_share<double>(roster.demand.back(), roster.total));
  }
  return roster;
}

}  // namespace mirab::simulation
