// Source: Kubernetes, "Node-pressure Eviction", pod selection for kubelet eviction: by whether usage exceeds
// requests, by priority, by usage relative to requests. Usage is not in a manifest: this is the worst case
// that the limits allow. A container without a limit may take what the node has.
#include "kubernetes/evictions.hpp"

#include <algorithm>

#include "kubernetes/quality.hpp"

namespace mirab::kubernetes {
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
