#pragma once

#include <vector>

#include <mirab/simulation/replay.hpp>

namespace mirab::simulation {

/// Mean, quantiles and maximum of the values; all 0 of none. Exact, by sorting. O(n log n).
Quantiles quantiles_of(std::vector<double> values);

/// The ⌈q n⌉-th smallest of n values in ascending order, the first for q = 0: the inverse of their empirical
/// distribution (Hyndman and Fan 1996, type 1). Requires n ≥ 1 and 0 ≤ q ≤ 1.
double quantile(const std::vector<double>& ascending, double q);

}  // namespace mirab::simulation
