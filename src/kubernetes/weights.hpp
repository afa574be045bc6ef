#pragma once

#include <vector>

#include <mirab/kubernetes/limits.hpp>

namespace mirab::kubernetes {

/// φ of a pod of each workload, with what the weights of resources make of it, [w]. Errors name the option:
/// an unknown pod or resource, or a mechanism that compares no dominant shares.
Result<std::vector<double>> weights_of(const Pods& pods, const Allocatable& node,
                                       const LimitOptions& options);

}  // namespace mirab::kubernetes
