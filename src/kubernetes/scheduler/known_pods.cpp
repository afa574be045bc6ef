// The pods of a cluster of Kubernetes: who holds room, who waits, and who is next.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

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
  const bool is_upper = is_in_upper_tier(pod);
  const auto known = users_.find({pod.space, is_upper});
  if (known != users_.end()) return known->second.id;
  const scheduling::GroupId group = teams_.join(pod.space, *engine_, now);
  const Result<scheduling::UserId> user =
      engine_->apply(scheduling::UserAdded{.name = pod.space, .group = group, .tier = is_upper ? 1 : 0}, now);
  MIRAB_ASSERT(user, "a user of weight 1 that the engine refuses");
  users_.emplace(std::pair(pod.space, is_upper), User{.id = *user, .group = group});
  return *user;
}

// A user goes with its last job.
void KnownCluster::leave_user(const SeenPod& pod, Time now) {
  const auto known = users_.find({pod.space, is_in_upper_tier(pod)});
  MIRAB_ASSERT(known != users_.end() && known->second.jobs > 0, "a job of no user");
  if (--known->second.jobs > 0) return;
  const Check wrong = engine_->apply(scheduling::UserRemoved{known->second.id}, now);
  MIRAB_ASSERT(!wrong, "a user without jobs that the engine keeps");
  teams_.leave(known->second.group, *engine_, now);
  users_.erase(known);
}

// The namespace may belong to another group now, with what it uses.
void KnownCluster::move_users(const std::string& space, Time now) {
  for (const bool is_upper : {false, true}) {
    const auto known = users_.find({space, is_upper});
    if (known == users_.end()) continue;
    const scheduling::GroupId before = known->second.group;
    known->second.group = teams_.join(space, *engine_, now);
    if (known->second.group != before) {
      const Check wrong =
          engine_->apply(scheduling::UserMoved{.user = known->second.id, .group = known->second.group}, now);
      MIRAB_ASSERT(!wrong, "a user without a guarantee that the engine does not move");
    }
    teams_.leave(before, *engine_, now);
  }
}

void KnownCluster::see_space(const SeenSpace& space, Time now) {
  if (teams_.see(space)) move_users(space.name, now);
}

void KnownCluster::lose_space(const std::string& name, Time now) {
  if (teams_.lose(name)) move_users(name, now);
}

// A job of one task for the pod. Errors: it asks for more than can be counted.
Check KnownCluster::submit(PodRecord& pod, Time now) {
  scheduling::JobSubmitted event{.user = user_of(pod.seen, now), .demand = amounts_of(pod.seen.requests)};
  event.rank = scheduling::Rank{
      .priority = pod.seen.priority,
      .time = Time(std::max(pod.seen.created.time_since_epoch(), std::chrono::milliseconds(0))),
      .tie = tie_of(pod.seen.uid)};
  if (!pod.set.empty()) event.within = pod.set;
  const Result<scheduling::JobId> job = engine_->apply(event, now);
  ++users_.at({pod.seen.space, is_in_upper_tier(pod.seen)}).jobs;
  if (!job) {
    leave_user(pod.seen, now);
    return job.error();
  }
  pod.job = *job;
  job_pods_.emplace(*job, pod.seen.uid);
  return {};
}

// It stands there, whatever room there is. What cannot be counted stands there without the engine.
void KnownCluster::adopt(PodRecord& pod, Standing standing, Time now) {
  if (standing != Standing::placed) pod.on = pod.seen.node;
  KnownNode& node = nodes_[pod.on];
  node.pods.insert(pod.seen.uid);
  set_standing(pod, Standing::homeless);
  if (!node.server) return;
  Check wrong = submit(pod, now);
  if (!wrong) {
    const Result<scheduling::TaskId> task =
        engine_->apply(scheduling::TaskAdopted{.job = *pod.job, .server = *node.server, .since = now}, now);
    if (task) {
      pod.task = *task;
      return set_standing(pod, standing);
    }
    wrong = task.error();
    cancel(pod, now);
  }
  notices_.push_back(
      fmt::format("pod {} on node {} is not counted: {}", pod.seen.label(), pod.on, wrong->message));
}

void KnownCluster::cancel(PodRecord& pod, Time now) {
  job_pods_.erase(*pod.job);
  const auto lost = engine_->apply(scheduling::JobCancelled{*pod.job}, now);
  MIRAB_ASSERT(lost, "a job that the engine does not know");
  pod.job.reset();
  pod.task.reset();
  leave_user(pod.seen, now);
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
  if (const Check wrong = submit(pod, now)) {
    pod.seen.unsupported = "spec.containers";
    pod.seen.fault = wrong->message;
    tell(sets_.give_back(std::exchange(pod.set, {})), now);
    return set_standing(pod, Standing::refused);
  }
  set_standing(pod, Standing::waiting);
}

// The reverse: it holds no room and does not wait.
void KnownCluster::leave(PodRecord& pod, Time now) {
  if (pod.standing == Standing::foreign) hold(pod, false, now);
  if (pod.job) cancel(pod, now);
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
  if (is_listing_) {
    has_question_ = true;
    return;
  }
  for (auto& [uid, pod] : pods_) {
    if (pod.standing != Standing::waiting || sets_.set_of(pod.seen) == pod.set) continue;
    leave(pod, now);
    enter(pod, now);
  }
}

void KnownCluster::end_list(Time now) {
  is_listing_ = false;
  if (std::exchange(has_question_, false)) ask_again(now);
}

void KnownCluster::see_pod(SeenPod seen, Time now) {
  const std::pair name(seen.space, seen.name);
  if (const auto same_name = uids_.find(name); same_name != uids_.end() && same_name->second != seen.uid)
    lose_pod(std::string(same_name->second), now);
  if (seen.is_done || (seen.node.empty() && !is_ours(seen))) return lose_pod(seen.uid, now);
  // A uid never gets another name; what says so is taken as another pod.
  if (const PodRecord* known = pod(seen.uid); known != nullptr && known->seen.label() != seen.label())
    lose_pod(seen.uid, now);
  if (!seen.node.empty()) forget_wishes(seen);
  const auto [found, is_new] = pods_.try_emplace(seen.uid);
  PodRecord& pod = found->second;
  if (is_new) {
    pod.standing = Standing::resting;
    uids_[name] = seen.uid;
  } else if (seen.node.empty() && !pod.seen.node.empty()) {
    return;  // from before its bind: a pod never loses its node
  } else if (pod.standing == Standing::placed) {
    // Until the bind is known, what was decided stands.
    if (seen.node.empty()) {
      pod.newest = std::move(seen);
      return;
    }
    pod.newest.reset();
    if (seen.node == pod.on && seen.requests == pod.seen.requests && seen.priority == pod.seen.priority &&
        seen.repels.empty()) {
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
  teams_.fit(*engine_, resources_, now);
  const std::optional<scheduling::Placed> placed = engine_->step(now, random);
  if (!placed) return {};
  PodRecord& pod = pods_.at(job_pods_.at(placed->job));
  MIRAB_ASSERT(!is_listing_, "a decision while a list is read");
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
  found->second.newest.reset();
  set_standing(found->second, Standing::bound);
}

void KnownCluster::put_aside(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || !found->second.seen.node.empty()) return;
  leave(found->second, now);
  if (found->second.newest) found->second.seen = *std::exchange(found->second.newest, std::nullopt);
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
