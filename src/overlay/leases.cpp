// When a user may be sure that a host it no longer hears has stopped its tasks (after Gray and Cheriton 1989,
// Leases; docs/overlay-safety.md has the proof).
//
//   said at s ─► taken by the host at s + M at the latest ─► stopped at s + M + L at the latest, by its clock
//
// L the lease, M the longest time from what the sender's clock shows to what the receiver's shows. It is the
// last thing said that counts, not the first that was not answered: perhaps only the answers are lost. Hence
// the user itself falls silent when nothing came back for L, and gives up at last + M + L, which is at most
// 2 L + M + one tick after the first thing that was not answered.

#include "overlay/leases.hpp"

#include <algorithm>

namespace mirab::overlay {

void Leases::said(Time now, NodeId host) {
  if (lease_ == Duration::zero()) return;
  auto grant = find(host);
  if (grant == grants_.end())
    grant = grants_.insert(grant, {.host = host, .waits = false, .waits_since = now, .asked_at = now});
  if (!grant->waits) grant->waits_since = now;
  grant->waits = true;
  grant->said_at = now;
}

void Leases::heard(NodeId host) {
  const auto grant = find(host);
  if (grant != grants_.end()) grant->waits = false;
}

void Leases::forget(NodeId host) {
  const auto grant = find(host);
  if (grant != grants_.end()) grants_.erase(grant);
}

bool Leases::may_say(Time now, NodeId host) const {
  const auto grant = find(host);
  return grant == grants_.end() || !grant->waits || now - grant->waits_since < lease_;
}

Leases::Due Leases::due(Time now) {
  Due due;
  for (Grant& grant : grants_) {
    const Duration since = now - grant.said_at;
    if (!grant.waits || now - grant.waits_since < lease_) {
      if (now - grant.asked_at < lease_ / 4 && !(grant.waits && since >= again_)) continue;
      grant.asked_at = now;
      due.renew.push_back(grant.host);
    } else if (since > lease_ + lifetime_) {
      due.give_up.push_back(grant.host);
    }
  }
  for (const NodeId host : due.give_up) forget(host);
  return due;
}

std::vector<Leases::Grant>::iterator Leases::find(NodeId host) {
  return std::find_if(grants_.begin(), grants_.end(), [&](const Grant& grant) { return grant.host == host; });
}

std::vector<Leases::Grant>::const_iterator Leases::find(NodeId host) const {
  return std::find_if(grants_.begin(), grants_.end(), [&](const Grant& grant) { return grant.host == host; });
}

}  // namespace mirab::overlay
