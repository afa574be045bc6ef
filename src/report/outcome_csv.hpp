#pragma once

#include <string>

#include "report/comparison.hpp"

namespace mirab::report {

/// One record per outcome and user: outcome, user, tasks, dominant_resource, dominant_share, then what it is
/// granted of every resource.
std::string comparison_csv(const Comparison& comparison);

}  // namespace mirab::report
