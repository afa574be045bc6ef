#pragma once

#include <span>

namespace mirab::fairness {

/// The Gini coefficient of x ≥ 0, Σ_i Σ_j |x_i − x_j| / (2 N Σ_i x_i): never negative, and 0 when all are
/// equal, or all are 0, or there are none. It depends on the values and not on their order, to the last bit.
/// O(N log N).
double gini(std::span<const double> x);

}  // namespace mirab::fairness
