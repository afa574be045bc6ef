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

/// Raises what users hold, [n][r], to their demands, which fit on the problem's servers together: max(demand,
/// held). Where that is more than there is, the excess is taken from all in proportion to what they hold
/// above their demands. O(N m).
void raise_to_requests(const Problem& problem, std::vector<std::vector<double>>& held);

/// Divides a problem with one server by the mechanism, with everybody at no less than its demand. Requires
/// that all demands together fit. Errors: those of allocate().
Result<MinimumShares> share_with_minimum(const Problem& problem, const Choice& mechanism,
                                         const Execution& execution);

}  // namespace mirab::kubernetes
