// What a pod takes of its node, from what its containers take.
//
//   pod_r = max( max_i (init_i + Σ sidecars before i),  Σ sidecars + Σ main ) + overhead_r
//
// Source: Kubernetes, "Sidecar Containers", resource sharing within containers. O(containers).
// Example: init 500m, main 100m and 200m: 500m.

#include <algorithm>

#include <mirab/kubernetes/pods.hpp>
#include <mirab/model/assert.hpp>

namespace mirab::kubernetes {

Units taken_by_pod(const Workload& workload, std::size_t r, std::span<const Units> each) {
  MIRAB_ASSERT(each.size() == workload.containers.size(), "an amount for each container");
  Units beside = 0;  // the sidecars so far
  Units starting = 0;
  Units main = 0;
  for (std::size_t c = 0; c < each.size(); ++c) {
    switch (workload.containers[c].role) {
      case Role::init:
        starting = std::max(starting, beside + each[c]);
        break;
      case Role::sidecar:
        beside += each[c];
        break;
      case Role::main:
        main += each[c];
        break;
    }
  }
  return std::max(starting, beside + main) + workload.overhead[r];
}

Units request_of_pod(const Workload& workload, std::size_t r) {
  std::vector<Units> each;
  for (const Container& container : workload.containers) each.push_back(container.needs[r].request);
  return taken_by_pod(workload, r, each);
}

std::optional<Units> limit_of_pod(const Workload& workload, std::size_t r) {
  std::vector<Units> each;
  for (const Container& container : workload.containers) {
    if (!container.needs[r].limit) return std::nullopt;
    each.push_back(*container.needs[r].limit);
  }
  return taken_by_pod(workload, r, each);
}

}  // namespace mirab::kubernetes
