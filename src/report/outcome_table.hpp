#pragma once

#include <cstddef>
#include <string>

#include "report/comparison.hpp"

namespace mirab::report {

/// What a person reads: a row per user with tasks and dominant share under every outcome, a summary, the
/// notices. As many outcomes stand side by side as `width` columns hold, at least one; the others follow
/// below, and then the steps of fillings that recorded them.
std::string comparison_table(const Comparison& comparison, std::size_t width);

}  // namespace mirab::report
