// Liveness: after the last fault, while somebody must get a place, somebody gets one within a bound
// (bounds.hpp). What the order of a scheduler allows is told here; that time passes, by whoever asks.
// O(N m) a call, and O(K m) for each of the poorest users.

#include "simulation/overlay/liveness.hpp"

#include <algorithm>
#include <limits>

namespace mirab::simulation {
namespace {

using overlay::Idle;
using overlay::NodeId;
using overlay::Scheduler;

bool fits_somewhere(const Books& books, NodeId user, const std::vector<bool>& here) {
  for (NodeId server = 0; server < here.size(); ++server) {
    if (here[server] && books.fits(user, server)) return true;
  }
  return false;
}

}  // namespace

bool is_live(const OverlayRules& rules, const Faults& faults) {
  const Scheduler scheduler = rules.scheduler;
  if (scheduler == Scheduler::probes || rules.options.stuck == overlay::Stuck::leave) return false;
  const bool one_is_lost = std::any_of(faults.crashes.begin(), faults.crashes.end(),
                                       [](const Crash& crash) { return !crash.back; });
  if (one_is_lost && rules.options.patience.lease == 0) return false;
  const bool fixed = scheduler == Scheduler::ddrf_random || scheduler == Scheduler::ddrf_gradient;
  return !fixed || (!one_is_lost && faults.leaves.empty());
}

std::vector<NodeId> promised(const Books& books, const Roster& roster, const std::vector<Want>& wants,
                             const std::vector<bool>& here, Scheduler scheduler, Idle idle) {
  const bool in_turn = scheduler == Scheduler::centralised_fifo;
  std::vector<NodeId> users;
  double least = std::numeric_limits<double>::infinity();
  for (NodeId n = 0; n < wants.size(); ++n) {
    const bool counts = wants[n].present || (idle == Idle::block && !in_turn);
    if (!counts) continue;
    const double share = in_turn ? 0 : static_cast<double>(wants[n].running) * roster.dominant[n];
    if (share < least) users.clear();
    if (share > least) continue;
    least = share;
    users.push_back(roster.user(n));
  }
  const bool all_fit = std::all_of(users.begin(), users.end(), [&](NodeId user) {
    return wants[user - roster.servers()].present && fits_somewhere(books, user, here);
  });
  return all_fit ? users : std::vector<NodeId>{};
}

}  // namespace mirab::simulation
