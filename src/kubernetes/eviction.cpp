// Quality-of-service classes of pods, and which pods the kubelet would evict.
#include "kubernetes/eviction.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {

// The class of a pod, by the CPUs and the memory of all its containers, init containers too.
//
//   Guaranteed   every container has a limit of both, and requests what it is limited to
//   BestEffort   no container has a request or limit of either
//   Burstable    all others
//
// Storage, devices and huge pages do not count, nor what a pod takes besides its containers.
//
// Source: Kubernetes, "Pod Quality of Service Classes"; ComputePodQOS in its pkg/apis/core/v1/helper/qos,
// which compares sums over the containers: the same, since no limit is below its request. Known failure: pods
// whose requests are written for the pod as a whole are refused by the reader.

namespace {

bool is_none(const Known& known) { return known.request == 0 && known.limit == 0; }

bool is_full(const Known& known) { return known.limit > 0 && known.request == known.limit; }

}  // namespace

QualityOfService quality_of(const Workload& workload) {
  const auto all = [&](bool (*holds)(const Known&)) {
    return std::all_of(workload.containers.begin(), workload.containers.end(),
                       [&](const Container& each) { return holds(each.cpu) && holds(each.memory); });
  };
  if (all(is_none)) return QualityOfService::best_effort;
  return all(is_full) ? QualityOfService::guaranteed : QualityOfService::burstable;
}

std::string_view quality_name(QualityOfService quality) {
  switch (quality) {
    case QualityOfService::guaranteed:
      return "Guaranteed";
    case QualityOfService::burstable:
      return "Burstable";
    case QualityOfService::best_effort:
      return "BestEffort";
  }
  MIRAB_ASSERT(false, "a class without a name");
  return {};
}

// Source: Kubernetes, "Node-pressure Eviction", pod selection for kubelet eviction: by whether usage exceeds
// requests, by priority, by usage relative to requests. Usage is not in a manifest: this is the worst case
// that the limits allow. A container without a limit may take what the node has.

namespace {

struct Candidate {
  std::size_t workload;
  Units used;   // by one pod
  Units above;  // its request
};

std::vector<Candidate> candidates(const Pods& pods, const Allocatable& node, std::size_t r) {
  std::vector<Candidate> all;
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const Workload& workload = pods.workloads[w];
    std::vector<Units> requests;
    for (const Container& container : workload.containers)
      requests.push_back(container.needs[r].known_request);
    const Units used = std::min(limit_of_pod(workload, r).value_or(node.units[r]), node.units[r]);
    all.push_back({w, used, used - taken_by_pod(workload, r, requests)});
  }
  std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    const auto priority = [&](const Candidate& each) { return pods.workloads[each.workload].priority; };
    if ((a.above > 0) != (b.above > 0)) return a.above > 0;
    if (priority(a) != priority(b)) return priority(a) < priority(b);
    return a.above > b.above;
  });
  return all;
}

}  // namespace

std::vector<Eviction> evictions(const Pods& pods, const Allocatable& node) {
  std::vector<Eviction> evicted;
  for (std::size_t r = 0; r < pods.resources.size(); ++r) {
    if (pods.resources[r] == "cpu") continue;
    const std::vector<Candidate> order = candidates(pods, node, r);
    Units used = 0;
    for (const Candidate& each : order) used += pods.workloads[each.workload].pods * each.used;
    for (const Candidate& each : order) {
      if (used <= node.units[r] || each.above <= 0) break;
      const Workload& workload = pods.workloads[each.workload];
      const Units needed = (used - node.units[r] + each.used - 1) / each.used;
      const std::int64_t count = std::min<std::int64_t>(workload.pods, needed);
      used -= count * each.used;
      evicted.push_back({.workload = each.workload,
                         .pods = count,
                         .resource = pods.resources[r],
                         .above = each.above,
                         .quality = quality_of(workload)});
    }
  }
  return evicted;
}

}  // namespace mirab::kubernetes
