#pragma once

#include <string>
#include <vector>

#include "scheduling/counted_problem.hpp"

namespace mirab::scheduling {

/// For every user of whom no empty server holds a single whole task, what is short on the server that comes
/// nearest to it; after a few users only how many more there are. O(N K m) at worst, O(N m) where tasks fit.
std::vector<std::string> oversized_notices(const CountedProblem& cluster);

}  // namespace mirab::scheduling
