#pragma once

#include <vector>

#include <mirab/kubernetes/limits.hpp>

namespace mirab::kubernetes {

/// The class of a workload's pods, whichever resources are shared. O(containers).
QualityOfService quality_of(const Workload& workload);

/// Who would be evicted if every pod used all that its present limits allow: of each resource that cannot be
/// taken back (memory, storage; CPUs are only slowed down), until the rest fits on the node. In the order of
/// the kubelet: those above their requests, the lowest priority first, then the furthest above.
std::vector<Eviction> evictions(const Pods& pods, const Allocatable& node);

}  // namespace mirab::kubernetes
