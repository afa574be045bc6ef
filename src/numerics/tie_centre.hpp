#pragma once

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {

/// Gives every row the tasks that it has at the levels on the central path: x_{n,i} z_{n,i} = μ part_{n,i},
/// k_n t_n = μ. Requires μ > 0. O(pairs) for each of some five Newton steps.
void centre(TiedSystem& system, double mu);

}  // namespace mirab::numerics
