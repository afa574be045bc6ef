// The pods of a cluster of Kubernetes: who holds room, who waits, and who is next.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

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
void forget_wishes(SeenPod& pod, bool keeps_labels) {
  pod.rule = {};
  if (!keeps_labels) pod.labels.clear();
  pod.is_gated = false;
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
  return a.node == b.node && (a.is_ending == b.is_ending || !a.node.empty()) && a.gang == b.gang &&
         a.gang_size == b.gang_size && a.has_controller == b.has_controller && a.grace == b.grace &&
         a.never_preempts == b.never_preempts && a.is_gated == b.is_gated && a.priority == b.priority &&
         a.unsupported == b.unsupported && a.requests == b.requests && a.labels == b.labels &&
         words_of(a.rule) == words_of(b.rule) && repels(a) == repels(b);
}

}  // namespace

void KnownCluster::set_standing(PodRecord& pod, Standing standing) {
  if (pod.standing == Standing::waiting) --waiting_;
  if (standing == Standing::waiting) ++waiting_;
  pod.standing = standing;
  if (changed_) changed_->pods.insert(pod.seen.uid);
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
      if (changed_) changed_->is_of_teams = true;
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

// A job of one task for the pod, or of one for each pod of a gang. Errors: they ask for more than can be
// counted.
Check KnownCluster::submit(const std::vector<PodRecord*>& together, Time now) {
  const PodRecord& pod = *together.front();
  const auto count = static_cast<std::int64_t>(together.size());
  scheduling::JobSubmitted event{.user = user_of(pod.seen, now),
                                 .demand = amounts_of(pod.seen.requests),
                                 .tasks = count,
                                 .gang = count,
                                 .may_be_preempted = pod.may_end};
  // A job with a term makes none end for it (docs/reference/engine.md, "Preemption"); this one says nothing
  // of one task.
  if (policy_.preempting && pod.seen.never_preempts) event.per_server = count;
  event.rank = scheduling::Rank{
      .priority = pod.seen.priority,
      .time = Time(std::max(pod.seen.created.time_since_epoch(), std::chrono::milliseconds(0))),
      .tie = tie_of(pod.seen.uid)};
  if (!pod.set.empty()) event.within = pod.set;
  const Result<scheduling::JobId> job = engine_->apply(event, now);
  users_.at({pod.seen.space, is_in_upper_tier(pod.seen)}).jobs += count;
  for (PodRecord* each : together) {
    if (!job) {
      leave_user(each->seen, now);
      continue;
    }
    each->job = *job;
    each->is_together = count > 1;
    if (changed_) changed_->pods.insert(each->seen.uid);
    job_pods_[*job].push_back(each);
  }
  if (!job) return job.error();
  return {};
}

// It stands there, whatever room there is. What cannot be counted stands there without the engine.
void KnownCluster::adopt(PodRecord& pod, Standing standing, Time now) {
  if (standing == Standing::bound) pod.on = pod.seen.node;
  KnownNode& node = nodes_[pod.on];
  node.pods.insert(pod.seen.uid);
  if (!pod.since) pod.since = now;
  // A decision stands without the engine too: what becomes of its bind shows where the pod belongs.
  set_standing(pod, standing == Standing::bound ? Standing::homeless : standing);
  if (!node.server) return;
  pod.may_end = standing == Standing::bound && may_end(pod);
  Check wrong = submit({&pod}, now);
  if (!wrong) {
    const Result<scheduling::TaskId> task = engine_->apply(
        scheduling::TaskAdopted{.job = *pod.job, .server = *node.server, .since = *pod.since}, now);
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
  MIRAB_ASSERT(!pod.is_together || pod.task, "a pod leaves a gang that waits");
  if (pod.is_together) {
    const Check wrong = engine_->apply(scheduling::TaskFinished{*pod.task}, now);
    MIRAB_ASSERT(!wrong, "a task that the engine does not know");
  } else {
    job_pods_.erase(*pod.job);
    const auto lost = engine_->apply(scheduling::JobCancelled{*pod.job}, now);
    MIRAB_ASSERT(lost, "a job that the engine does not know");
  }
  pod.is_together = false;
  pod.job.reset();
  pod.task.reset();
  leave_user(pod.seen, now);
}

// From nowhere to where it belongs, by what was seen of it.
void KnownCluster::enter(PodRecord& pod, Time now) {
  const SeenPod& seen = pod.seen;
  const bool is_of_gang = is_ours(seen) && !seen.gang.empty();
  if (is_of_gang) gangs_[{seen.space, seen.gang}].insert(seen.uid);
  if (!seen.node.empty()) {
    if (is_ours(seen)) {
      adopt(pod, Standing::bound, now);
      if (is_of_gang) gather(pod, now);
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
  if (!is_of_gang) return wait_together({&pod}, now);
  set_standing(pod, Standing::gathering);
  gather(pod, now);
}

// They wait to be placed, all or none.
void KnownCluster::wait_together(const std::vector<PodRecord*>& together, Time now) {
  for (PodRecord* pod : together) {
    NodeSets::Use use = sets_.use(pod->seen);
    pod->set = std::move(use.set);
    pod->may_end = false;  // not before it is bound
    tell(use.changes, now);
  }
  const Check wrong = submit(together, now);
  for (PodRecord* pod : together) {
    if (wrong) {
      pod->seen.unsupported = "spec.containers";
      pod->seen.fault = wrong->message;
      tell(sets_.give_back(std::exchange(pod->set, {})), now);
    }
    set_standing(*pod, wrong ? Standing::refused : Standing::waiting);
  }
}

// The reverse: it holds no room and does not wait.
void KnownCluster::leave(PodRecord& pod, Time now) {
  if (pod.standing == Standing::waiting && pod.is_together) part(pod, now);
  if (pod.standing == Standing::foreign || pod.standing == Standing::ending) hold(pod, false, now);
  if (pod.job) cancel(pod, now);
  if (!pod.set.empty()) tell(sets_.give_back(std::exchange(pod.set, {})), now);
  NodeSets::Repelled repelled;
  if (!pod.on.empty()) {
    const std::string on = std::exchange(pod.on, {});
    KnownNode& node = nodes_.at(on);
    node.pods.erase(pod.seen.uid);
    if (changed_) changed_->nodes.insert(on);
    if (pod.standing == Standing::nominated) {
      // Those that are to end for it take their whole room again.
      node.held = held_on(node, {});
      tell_held(node, now);
    }
    if (!pod.seen.node.empty() && !pod.seen.repels.empty())
      repelled = sets_.stop_repelling(pod.seen.repels, on);
    remove_if_left(on, now);
  }
  pod.ends_for.clear();
  set_standing(pod, Standing::resting);
  tell(repelled.changes, now);
  if (repelled.asks_again) ask_again(now);
  if (const auto gang = gangs_.find({pod.seen.space, pod.seen.gang}); gang != gangs_.end()) {
    gang->second.erase(pod.seen.uid);
    if (gang->second.empty()) gangs_.erase(gang);
    gather(pod, now);
  }
}

// Which anti-affinities there are has changed, and so may the sets of those who wait.
void KnownCluster::ask_again(Time now) {
  if (is_listing_) {
    has_question_ = true;
    return;
  }
  const auto may_be_concerned = [](const PodRecord& pod) {
    return pod.standing == Standing::gathering || pod.standing == Standing::waiting;
  };
  for (PodRecord* pod : pods_where(may_be_concerned)) {
    if (pod->standing == Standing::gathering && !pod->apart.empty()) gather(*pod, now);
    if (pod->standing != Standing::waiting || sets_.set_of(pod->seen) == pod->set) continue;
    leave(*pod, now);
    enter(*pod, now);
  }
}

void KnownCluster::end_list(Time now) {
  is_listing_ = false;
  if (std::exchange(has_question_, false)) ask_again(now);
}

void KnownCluster::see_pod(SeenPod seen, Time now) {
  const std::string label = seen.label();
  if (const auto same = called_.find(label); same != called_.end() && same->second->seen.uid != seen.uid)
    lose_pod(std::string(same->second->seen.uid), now);
  if (seen.is_done || (seen.node.empty() && !is_ours(seen))) return lose_pod(seen.uid, now);
  // A uid never gets another name; what says so is taken as another pod.
  if (const PodRecord* known = pod(seen.uid); known != nullptr && known->seen.label() != label)
    lose_pod(seen.uid, now);
  if (!seen.node.empty()) forget_wishes(seen, policy_.preempting.has_value());
  const auto [found, is_new] = pods_.try_emplace(seen.uid);
  PodRecord& pod = found->second;
  if (is_new) {
    pod.standing = Standing::resting;
    called_[label] = &pod;
  } else if (seen.node.empty() && !pod.seen.node.empty()) {
    return;  // from before its bind: a pod never loses its node
  } else if (pod.standing == Standing::ending && seen.node == pod.on) {
    seen.gang = pod.seen.gang;  // by which it is known
    pod.seen = std::move(seen);
    return hold(pod, true, now);
  } else if (pod.standing == Standing::placed || pod.standing == Standing::nominated) {
    // Until the bind is known, what was decided stands.
    if (seen.node.empty()) {
      newest_[pod.seen.uid] = std::move(seen);
      return;
    }
    newest_.erase(pod.seen.uid);
    if (seen.node == pod.on && seen.gang == pod.seen.gang && seen.requests == pod.seen.requests &&
        seen.priority == pod.seen.priority && seen.repels.empty() && pod.standing == Standing::placed) {
      pod.seen = std::move(seen);
      return settle(pod, now);
    }
  } else if (means_the_same(pod.seen, seen)) {
    pod.seen.unscheduled_since = std::move(seen.unscheduled_since);
    pod.seen.is_ending = seen.is_ending;
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
  if (const auto own = called_.find(found->second.seen.label());
      own != called_.end() && own->second == &found->second)
    called_.erase(own);
  protected_.erase(uid);
  newest_.erase(uid);
  pods_.erase(found);
}

std::vector<KnownCluster::Decision> KnownCluster::decide(Time now) {
  if (teams_.fit(*engine_, resources_, now) && changed_) changed_->is_of_teams = true;
  const std::optional<scheduling::Placed> placed = engine_->step(now);
  if (!placed) return {};
  MIRAB_ASSERT(!is_listing_, "a decision while a list is read");
  std::vector<std::pair<scheduling::TaskId, scheduling::ServerId>> tasks = {{placed->task, placed->server}};
  for (const scheduling::Companion& each : placed->with) tasks.emplace_back(each.task, each.server);
  const std::vector<PodRecord*>& waiting = job_pods_.at(placed->job);
  MIRAB_ASSERT(waiting.size() == tasks.size(), "a gang that is placed in part");
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    PodRecord& pod = *waiting[i];
    MIRAB_ASSERT(pod.standing == Standing::waiting, "a decision about a pod that does not wait");
    pod.task = tasks[i].first;
    pod.since = now;
    pod.on = server_nodes_.at(tasks[i].second);
    nodes_.at(pod.on).pods.insert(pod.seen.uid);
    set_standing(pod, placed->preempted.empty() ? Standing::placed : Standing::nominated);
    tell(sets_.give_back(std::exchange(pod.set, {})), now);
    decisions.push_back({.uid = pod.seen.uid, .node = pod.on});
  }
  if (tasks.size() > 1) job_pods_.erase(placed->job);
  for (const scheduling::Preempted& each : placed->preempted) {
    PodRecord& victim = *job_pods_.at(each.job).front();
    make_end(victim, decisions.front().uid, now);
    decisions.front().victims.push_back(victim.seen.uid);
  }
  return decisions;
}

void KnownCluster::confirm(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.standing != Standing::placed) return;
  found->second.seen.node = found->second.on;
  forget_wishes(found->second.seen, policy_.preempting.has_value());
  newest_.erase(uid);
  settle(found->second, now);
}

// It stands where it was decided.
void KnownCluster::settle(PodRecord& pod, Time now) {
  set_standing(pod, pod.task ? Standing::bound : Standing::homeless);
  ask_protection(pod, now);
}

void KnownCluster::put_aside(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || !found->second.seen.node.empty()) return;
  leave(found->second, now);
  found->second.since.reset();
  if (auto newest = newest_.extract(uid)) found->second.seen = std::move(newest.mapped());
}

void KnownCluster::resume(const std::string& uid, Time now) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.standing != Standing::resting) return;
  enter(found->second, now);
}

bool KnownCluster::may_stay(const std::string& uid, Time now) {
  const PodRecord* found = pod(uid);
  if (found == nullptr || found->on.empty()) return false;
  if (const auto newest = newest_.find(uid); newest != newest_.end() && newest->second.is_ending)
    return false;
  const auto node = nodes_.find(found->on);
  if (node == nodes_.end() || !node->second.row || node->second.is_leaving) return false;
  const NodeSets::Use use = sets_.use(found->seen);
  tell(use.changes, now);
  const bool may = sets_.has(use.set, found->on);
  tell(sets_.give_back(use.set), now);
  return may;
}

const PodRecord* KnownCluster::pod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

std::optional<scheduling::WhyWaiting> KnownCluster::why(const std::string& uid, Time now) const {
  const PodRecord* found = pod(uid);
  if (found == nullptr || found->standing != Standing::waiting) return {};
  return engine().why_waiting(*found->job, now);
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
