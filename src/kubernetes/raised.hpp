#pragma once

#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab::kubernetes {

/// Raises what users hold, [n][r], to their demands, which fit on the problem's servers together: max(demand,
/// held). Where that is more than there is, the excess is taken from all in proportion to what they hold
/// above their demands. O(N m).
void raise_to_demands(const Problem& problem, std::vector<std::vector<double>>& held);

}  // namespace mirab::kubernetes
