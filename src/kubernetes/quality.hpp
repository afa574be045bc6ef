#pragma once

#include <mirab/kubernetes/limits.hpp>

namespace mirab::kubernetes {

/// The class of a workload's pods, whichever resources are shared. O(containers).
QualityOfService quality_of(const Workload& workload);

}  // namespace mirab::kubernetes
