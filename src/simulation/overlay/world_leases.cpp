// The supervisor of a server's tasks, which goes on when the server's daemon is slow or down: it stops what
// runs here when its lease is over (docs/overlay-safety.md). What the server itself says later of such a task
// is old.
#include <algorithm>

#include "simulation/overlay/world_state.hpp"

namespace mirab::simulation {

using overlay::NodeId;

// Is this news?
bool World::State::supervise(NodeId node, const overlay::Fact& fact) {
  if (rules.options.patience.lease == 0) return true;
  if (const auto* leased = std::get_if<overlay::Leased>(&fact)) {
    Lease& lease = leases[{node, leased->user}];
    lease.until = std::max(lease.until, leased->until);
    if (!lease.watched)
      agenda.schedule(lease.until, {.node = node, .index = leased->user, .what = Event::What::lease});
    lease.watched = true;
  } else if (const auto* started = std::get_if<overlay::Started>(&fact)) {
    leases[{node, started->task.user}].tasks.push_back(*started);
  } else if (const auto* stopped = std::get_if<overlay::Stopped>(&fact)) {
    return std::erase_if(leases[{node, stopped->task.user}].tasks, [&](const overlay::Started& task) {
             return task.proposal == stopped->proposal;
           }) > 0;
  }
  return true;
}

void World::State::end_lease(NodeId node, NodeId user) {
  const auto at = leases.find({node, user});
  if (at == leases.end()) return;
  Lease& lease = at->second;
  if (lease.until > agenda.now()) {
    agenda.schedule(lease.until, {.node = node, .index = user, .what = Event::What::lease});
    return;
  }
  for (const overlay::Started& task : lease.tasks)
    tell(node, overlay::Stopped{.task = task.task, .proposal = task.proposal, .by_itself = false});
  leases.erase(at);
  settle(node);
}

void World::State::forget_leases(NodeId node) {
  leases.erase(leases.lower_bound({node, 0}), leases.lower_bound({node + 1, 0}));
}

}  // namespace mirab::simulation
