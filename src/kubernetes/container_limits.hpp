#pragma once

#include <cstddef>
#include <vector>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/kubernetes/pods.hpp>

namespace mirab::kubernetes {

/// What each container of a pod may use when the pod has `share` of resource r, both in units and before
/// rounding, [c]: at least its request, and in every step of the pod's life all of the share together.
/// Requires that the share is no less than the pod's request, but for rounding. O(containers), times the
/// number of steps that stop sidecars.
std::vector<double> split_over_containers(const Workload& workload, std::size_t r, double share);

/// The limits of all containers, [w][c][r], when a pod of workload w has share[w][r] units: split over its
/// containers and rounded down, never below the request; all together at most what the node has. Requires
/// that the requests fit.
std::vector<std::vector<std::vector<Units>>> limits_within(const Pods& pods, const Allocatable& node,
                                                           const std::vector<std::vector<double>>& share);

/// What all pods may take together under these limits, [r].
std::vector<Units> limited_by(const Pods& pods, const std::vector<WorkloadLimits>& workloads);

}  // namespace mirab::kubernetes
