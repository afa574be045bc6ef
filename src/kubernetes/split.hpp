#pragma once

#include <cstddef>
#include <vector>

#include <mirab/kubernetes/pods.hpp>

namespace mirab::kubernetes {

/// What each container of a pod may use when the pod has `share` of resource r, both in units and before
/// rounding, [c]: at least its request, and in every step of the pod's life all of the share together.
/// Requires that the share is no less than the pod's request, but for rounding. O(containers), times the
/// number of steps that stop sidecars.
std::vector<double> split_over_containers(const Workload& workload, std::size_t r, double share);

}  // namespace mirab::kubernetes
