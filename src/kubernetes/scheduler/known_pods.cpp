// The pods of a cluster of Kubernetes: who holds room, who waits, and who is next.
#include <algorithm>
#include <charconv>

#include <mirab/model/assert.hpp>

#include "kubernetes/scheduler/known_cluster.hpp"

namespace mirab::kubernetes {
namespace {

// Among pods of one second: by the uid, so that a restart decides alike.
std::int64_t tie_of(const std::string& uid) {
  std::string digits = uid;
  std::erase(digits, '-');
  std::int64_t tie = 0;
  std::from_chars(digits.data(), digits.data() + std::min<std::size_t>(15, digits.size()), tie, 16);
  return tie;
}

// Of a pod that has its node it no longer matters where it might have run.
void forget_wishes(SeenPod& pod) {
  pod.rule = {};
  pod.labels.clear();
  pod.is_ending = pod.is_gated = false;
  pod.unsupported.clear();
  pod.fault.clear();
}

// Does an update of the pod change anything that is read?
bool means_the_same(const SeenPod& a, const SeenPod& b) {
  const auto repels = [](const SeenPod& pod) {
    std::string all;
    for (const AntiAffinity& each : pod.repels) all += words_of(each);
    return all;
  };
  return a.node == b.node && a.is_ending == b.is_ending && a.is_gated == b.is_gated &&
         a.priority == b.priority && a.unsupported == b.unsupported && a.requests == b.requests &&
         a.labels == b.labels && words_of(a.rule) == words_of(b.rule) && repels(a) == repels(b);
}

}  // namespace

void KnownCluster::set_standing(PodRecord& pod, Standing standing) {
  if (pod.standing == Standing::waiting) --waiting_;
  if (standing == Standing::waiting) ++waiting_;
  pod.standing = standing;
}

scheduling::UserId KnownCluster::user_of(const SeenPod& pod, Time now) {
  const bool is_critical = pod.priority >= kSystemCritical;
  const auto known = users_.find({pod.space, is_critical});
  if (known != users_.end()) return known->second;
  const Result<scheduling::UserId> user =
      engine_->apply(scheduling::UserAdded{.name = pod.space, .tier = is_critical ? 1 : 0}, now);
  MIRAB_ASSERT(user, "a user of weight 1 that the engine refuses");
  users_.emplace(std::pair(pod.space, is_critical), *user);
  return *user;
}

// A job of one task for the pod.
void KnownCluster::submit(PodRecord& pod, Time now) {
  scheduling::JobSubmitted event{.user = user_of(pod.seen, now), .demand = amounts_of(pod.seen.requests)};
  event.rank = scheduling::Rank{
      .priority = pod.seen.priority,
      .time = Time(std::max(pod.seen.created.time_since_epoch(), std::chrono::milliseconds(0))),
      .tie = tie_of(pod.seen.uid)};
  if (!pod.set.empty()) event.within = pod.set;
  const Result<scheduling::JobId> job = engine_->apply(event, now);
  MIRAB_ASSERT(job, "a pod that the engine refuses");
  pod.job = *job;
  job_pods_.emplace(*job, pod.seen.uid);
}

// It stands there, whatever room there is.
void KnownCluster::adopt(PodRecord& pod, Standing standing, Time now) {
  if (standing != Standing::placed) pod.on = pod.seen.node;
  KnownNode& node = nodes_[pod.on];
  node.pods.insert(pod.seen.uid);
  if (!node.server) {
    set_standing(pod, Standing::homeless);
    return;
  }
  submit(pod, now);
  const Result<scheduling::TaskId> task =
      engine_->apply(scheduling::TaskAdopted{.job = *pod.job, .server = *node.server, .since = now}, now);
  MIRAB_ASSERT(task, "a task that the engine does not take over");
  pod.task = *task;
  set_standing(pod, standing);
}

// From nowhere to where it belongs, by what was seen of it.
void KnownCluster::enter(PodRecord& pod, Time now) {
  const SeenPod& seen = pod.seen;
  if (!seen.node.empty()) {
    if (is_ours(seen)) {
      adopt(pod, Standing::bound, now);
    } else {
      pod.on = seen.node;
      nodes_[pod.on].pods.insert(seen.uid);
      set_standing(pod, Standing::foreign);
      hold(pod, true, now);
    }
    if (seen.repels.empty()) return;
    const NodeSets::Repelled repelled = sets_.repel(seen.repels, seen.node);
    tell(repelled.changes, now);
    if (repelled.asks_again) ask_again(now);
    return;
  }
  if (seen.is_ending) return set_standing(pod, Standing::resting);
  if (seen.is_gated) return set_standing(pod, Standing::gated);
  if (!seen.unsupported.empty()) return set_standing(pod, Standing::refused);
  if (!knows_resources(seen.requests)) return set_standing(pod, Standing::lacking);
  NodeSets::Use use = sets_.use(seen);
  pod.set = std::move(use.set);
  tell(use.changes, now);
  submit(pod, now);
  set_standing(pod, Standing::waiting);
}

// The reverse: it holds no room and does not wait.
void KnownCluster::leave(PodRecord& pod, Time now) {
  if (pod.standing == Standing::foreign) hold(pod, false, now);
  if (pod.job) {
    job_pods_.erase(*pod.job);
    const auto lost = engine_->apply(scheduling::JobCancelled{*pod.job}, now);
    MIRAB_ASSERT(lost, "a job that the engine does not know");
    pod.job.reset();
    pod.task.reset();
  }
  if (!pod.set.empty()) tell(sets_.give_back(std::exchange(pod.set, {})), now);
  NodeSets::Repelled repelled;
  if (!pod.on.empty()) {
    const std::string on = std::exchange(pod.on, {});
    nodes_.at(on).pods.erase(pod.seen.uid);
    if (!pod.seen.node.empty() && !pod.seen.repels.empty())
      repelled = sets_.stop_repelling(pod.seen.repels, on);
    remove_if_left(on, now);
  }
  set_standing(pod, Standing::resting);
  tell(repelled.changes, now);
  if (repelled.asks_again) ask_again(now);
}

// Which anti-affinities there are has changed, and so may the sets of those who wait.
void KnownCluster::ask_again(Time now) {
  for (auto& [uid, pod] : pods_) {
    if (pod.standing != Standing::waiting || sets_.set_of(pod.seen) == pod.set) continue;
    leave(pod, now);
    enter(pod, now);
  }
}

void KnownCluster::see_pod(SeenPod seen, Time now) {
  const std::pair name(seen.space, seen.name);
  if (const auto same_name = uids_.find(name); same_name != uids_.end() && same_name->second != seen.uid)
    lose_pod(std::string(same_name->second), now);
  if (seen.is_done || (seen.node.empty() && !is_ours(seen))) return lose_pod(seen.uid, now);
  if (!seen.node.empty()) forget_wishes(seen);
  const auto [found, is_new] = pods_.try_emplace(seen.uid);
  PodRecord& pod = found->second;
  if (is_new) {
    pod.standing = Standing::resting;
    uids_[name] = seen.uid;
  } else if (pod.standing == Standing::placed) {
    // Until the bind is known, what was decided stands.
    if (seen.node.empty()) return;
    if (seen.node == pod.on && seen.requests == pod.seen.requests && seen.repels.empty()) {
      pod.seen = std::move(seen);
      return set_standing(pod, Standing::bound);
    }
  } else if (means_the_same(pod.seen, seen)) {
    return;
  }
  if (!is_new) leave(pod, now);
  pod.seen = std::move(seen);
  enter(pod, now);
}

void KnownCluster::lose_pod(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  leave(found->second, now);
  const std::pair name(found->second.seen.space, found->second.seen.name);
  if (const auto own = uids_.find(name); own != uids_.end() && own->second == found->first) uids_.erase(own);
  pods_.erase(found);
}

std::optional<KnownCluster::Decision> KnownCluster::decide(Time now, Random& random) {
  const std::optional<scheduling::Placed> placed = engine_->step(now, random);
  if (!placed) return {};
  PodRecord& pod = pods_.at(job_pods_.at(placed->job));
  MIRAB_ASSERT(pod.standing == Standing::waiting, "a decision about a pod that does not wait");
  pod.task = placed->task;
  pod.on = server_nodes_.at(placed->server);
  nodes_.at(pod.on).pods.insert(pod.seen.uid);
  set_standing(pod, Standing::placed);
  tell(sets_.give_back(std::exchange(pod.set, {})), now);
  return Decision{.uid = pod.seen.uid, .node = pod.on};
}

void KnownCluster::confirm(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.standing != Standing::placed) return;
  found->second.seen.node = found->second.on;
  forget_wishes(found->second.seen);
  set_standing(found->second, Standing::bound);
}

void KnownCluster::put_aside(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || !found->second.seen.node.empty()) return;
  leave(found->second, now);
}

void KnownCluster::resume(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.standing != Standing::resting) return;
  enter(found->second, now);
}

const PodRecord* KnownCluster::pod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

const PodRecord* KnownCluster::pod(const std::string& space, const std::string& name) const {
  const auto found = uids_.find({space, name});
  return found == uids_.end() ? nullptr : pod(found->second);
}

std::optional<scheduling::WhyWaiting> KnownCluster::why(const std::string& uid, Time now) const {
  const PodRecord* found = pod(uid);
  if (found == nullptr || found->standing != Standing::waiting) return {};
  return engine_->why_waiting(*found->job, now);
}

std::string KnownCluster::lacks(const std::string& uid) const {
  const PodRecord* found = pod(uid);
  if (found == nullptr) return {};
  for (const auto& [resource, units] : found->seen.requests) {
    if (units > 0 && std::find(resources_.begin(), resources_.end(), resource) == resources_.end())
      return resource;
  }
  return {};
}

}  // namespace mirab::kubernetes
