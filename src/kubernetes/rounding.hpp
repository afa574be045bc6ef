#pragma once

#include <vector>

#include <mirab/kubernetes/limits.hpp>

namespace mirab::kubernetes {

/// The limits of all containers, [w][c][r], when a pod of workload w has share[w][r] units: split over its
/// containers and rounded down, never below the request; all together at most what the node has. Requires
/// that the requests fit.
std::vector<std::vector<std::vector<Units>>> limits_within(const Pods& pods, const Allocatable& node,
                                                           const std::vector<std::vector<double>>& share);

/// What all pods may take together under these limits, [r].
std::vector<Units> limited_by(const Pods& pods, const std::vector<WorkloadLimits>& workloads);

}  // namespace mirab::kubernetes
