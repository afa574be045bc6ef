// Pods that end for others in a cluster of Kubernetes, and what keeps pods from it.
#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

#include "kubernetes/scheduler/known_cluster.hpp"

namespace mirab::kubernetes {

// The engine has ended its task already.
void KnownCluster::make_end(PodRecord& pod, const std::string& newcomer, Time now) {
  MIRAB_ASSERT(pod.standing == Standing::bound, "a pod ends that is not known to be bound");
  cancel(pod, now);
  pod.ends_for = newcomer;
  set_standing(pod, Standing::ending);
  hold(pod, true, now);
}

std::vector<std::string> KnownCluster::victims_of(const std::string& uid) const {
  std::vector<std::string> victims;
  const PodRecord* found = pod(uid);
  const auto node = found == nullptr ? nodes_.end() : nodes_.find(found->on);
  if (node == nodes_.end()) return victims;
  for (const std::string& other : node->second.pods) {
    if (pods_.at(other).ends_for == uid) victims.push_back(other);
  }
  return victims;
}

void KnownCluster::take_room(const std::string& uid) {
  PodRecord& pod = pods_.at(uid);
  MIRAB_ASSERT(pod.standing == Standing::nominated, "room is taken that was not made");
  set_standing(pod, Standing::placed);
}

void KnownCluster::spare(const std::string& victim, Time now) {
  const auto found = pods_.find(victim);
  if (found == pods_.end() || found->second.standing != Standing::ending) return;
  hold(found->second, false, now);
  found->second.ends_for.clear();
  adopt(found->second, Standing::bound, now);
}

void KnownCluster::give_up(const std::string& uid, Time now) {
  for (PodRecord* pod : pods_where([&](const PodRecord& each) { return each.ends_for == uid; })) {
    pod->ends_for.clear();
    hold(*pod, true, now);
  }
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.standing != Standing::nominated) return;
  put_aside(uid, now);
  resume(uid, now);
}

// Bare pods never end for others: nothing would make them again.
bool KnownCluster::may_end(const PodRecord& pod) const {
  if (!policy_.preempting || !pod.seen.has_controller || !pod.seen.gang.empty()) return false;
  const auto node = nodes_.find(pod.on);
  return node != nodes_.end() && !node->second.protected_until && !protected_.contains(pod.seen.uid) &&
         budgets_.allow(pod.seen.space, pod.seen.labels);
}

// The engine gets a pod again that may end now, or may no longer.
void KnownCluster::ask_protection(PodRecord& pod, Time now) {
  if (pod.standing != Standing::bound || !pod.task || pod.may_end == may_end(pod)) return;
  cancel(pod, now);
  adopt(pod, Standing::bound, now);
}

void KnownCluster::protect_pod(const std::string& uid, Time until, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  protected_[uid] = until;
  ask_protection(found->second, now);
  expiry_ = std::min(expiry_.value_or(until), until);
}

void KnownCluster::protect_node(const std::string& name, Time until, Time now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  found->second.protected_until = until;
  expiry_ = std::min(expiry_.value_or(until), until);
  const std::set<std::string> standing = found->second.pods;
  for (const std::string& uid : standing) ask_protection(pods_.at(uid), now);
}

void KnownCluster::see_budget(Budget budget, Time now) {
  const std::string space = budget.space;
  if (budgets_.put(std::move(budget))) ask_protections(space, now);
}

void KnownCluster::lose_budget(const std::string& space, const std::string& name, Time now) {
  if (budgets_.lose(space, name)) ask_protections(space, now);
}

void KnownCluster::ask_protections(const std::string& space, Time now) {
  for (PodRecord* pod : pods_where([&](const PodRecord& each) { return each.seen.space == space; }))
    ask_protection(*pod, now);
}

}  // namespace mirab::kubernetes
