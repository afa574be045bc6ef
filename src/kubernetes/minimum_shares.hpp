#pragma once

#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

namespace mirab::kubernetes {

/// What everybody holds when nobody holds less than one task.
struct MinimumShares {
  std::vector<std::vector<double>> held;  ///< [n][r], ≥ d_{n,r} but for rounding
  std::vector<double> tasks;              ///< X_n, [n]; empty where a mechanism grants bundles
  Outcome outcome;                        ///< the last one of the mechanism
};

/// Divides a problem with one server by the mechanism, with everybody at no less than its demand. Requires
/// that all demands together fit. Errors: those of allocate().
Result<MinimumShares> share_with_minimum(const Problem& problem, const Choice& mechanism,
                                         const Execution& execution);

}  // namespace mirab::kubernetes
