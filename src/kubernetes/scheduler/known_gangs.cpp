// Gangs in a cluster of Kubernetes: equal pods that start together, or not at all.
#include <algorithm>
#include <tuple>
#include <utility>

#include <mirab/model/assert.hpp>

#include "kubernetes/scheduler/known_cluster.hpp"

namespace mirab::kubernetes {

// The gang's job is no more; its pods gather again.
void KnownCluster::part(const PodRecord& member, Time now) {
  const scheduling::JobId job = *member.job;
  const std::vector<PodRecord*> together = std::move(job_pods_.at(job));
  job_pods_.erase(job);
  const auto lost = engine_->apply(scheduling::JobCancelled{job}, now);
  MIRAB_ASSERT(lost, "a job that the engine does not know");
  for (PodRecord* pod : together) {
    pod->job.reset();
    pod->is_together = false;
    leave_user(pod->seen, now);
    tell(sets_.give_back(std::exchange(pod->set, {})), now);
    set_standing(*pod, Standing::gathering);
  }
}

// In what a pod is unlike the first of its gang; empty: in nothing that matters.
std::string KnownCluster::difference(const PodRecord& pod, const PodRecord& first) const {
  const SeenPod &a = pod.seen, &b = first.seen;
  if (a.gang_size != b.gang_size) return "the size of the gang differs";
  if (a.requests != b.requests) return "the requests differ";
  if (a.priority != b.priority) return "the priority differs";
  if (words_of(a.rule) != words_of(b.rule)) return "node selector, affinity or tolerations differ";
  if (a.never_preempts != b.never_preempts) return "preemptionPolicy differs";
  if (sets_.set_of(a) != sets_.set_of(b)) return "other anti-affinities of running pods pick its labels";
  return {};
}

// Which pods of the member's gang wait for room: all that it has to have, once they are there, as one job;
// or, when some of it have their nodes, each of the others by itself.
void KnownCluster::gather(const PodRecord& member, Time now) {
  const auto gang = gangs_.find({member.seen.space, member.seen.gang});
  if (gang == gangs_.end()) return;
  std::int64_t there = 0;
  for (const std::string& uid : gang->second) there += pods_.at(uid).on.empty() ? 0 : 1;
  const bool has_begun = there > 0;
  std::vector<PodRecord*> gathering;
  for (const std::string& uid : gang->second) {
    PodRecord& pod = pods_.at(uid);
    if (pod.standing == Standing::waiting && has_begun && !pod.is_together) ++there;  // it fills the gang up
    if (pod.standing == Standing::waiting && (!has_begun || pod.is_together)) part(pod, now);
    if (pod.standing == Standing::gathering) gathering.push_back(&pod);
  }
  if (gathering.empty()) return;
  if (!has_begun && std::cmp_less(gathering.size(), gathering.front()->seen.gang_size)) {
    const bool are_too_few = std::all_of(gathering.begin(), gathering.end(), [&](PodRecord* pod) {
      pod->apart.clear();
      return std::cmp_less(gathering.size(), pod->seen.gang_size);
    });
    if (are_too_few) return;
  }
  std::sort(gathering.begin(), gathering.end(), [](const PodRecord* a, const PodRecord* b) {
    return std::tie(a->seen.created, a->seen.uid) < std::tie(b->seen.created, b->seen.uid);
  });
  const std::int64_t size = gathering.front()->seen.gang_size;
  std::vector<PodRecord*> together;
  for (PodRecord* pod : gathering) {
    pod->apart = has_begun ? std::string() : difference(*pod, *gathering.front());
    if (pod->apart.empty() && there < size) {
      together.push_back(pod);
      ++there;
    }
  }
  if (!has_begun && there < size) return;
  if (!has_begun) return wait_together(together, now);
  for (PodRecord* pod : together) wait_together({pod}, now);
}

KnownCluster::Companions KnownCluster::companions(const std::string& uid) const {
  Companions companions;
  const PodRecord* pod = this->pod(uid);
  if (pod == nullptr || pod->seen.gang.empty()) return companions;
  const auto gang = gangs_.find({pod->seen.space, pod->seen.gang});
  if (gang == gangs_.end()) return companions;
  companions.all = gang->second.size();
  for (const std::string& other : gang->second) {
    if (other == uid) continue;
    const Standing standing = pods_.at(other).standing;
    if (standing == Standing::placed) companions.under_way.push_back(other);
    companions.bound += standing == Standing::bound || standing == Standing::homeless ? 1 : 0;
  }
  return companions;
}

}  // namespace mirab::kubernetes
