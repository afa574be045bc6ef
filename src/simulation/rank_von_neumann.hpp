#pragma once

#include <span>

namespace mirab::simulation {

/// How much more alike neighbours of a series are than chance makes them, in standard deviations: near 0 for
/// independent values, large for a drift or a slow swing, below 0 for an alternation. 0 for fewer than three
/// values, or when all are the same. O(n log n).
double rank_von_neumann(std::span<const double> series);

}  // namespace mirab::simulation
