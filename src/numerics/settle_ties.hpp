#pragma once

#include <Eigen/Core>

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {

/// Makes the ties and full resources of a system near a solution exact: levels along the strongest ties
/// (tie_forest.hpp), the others' rows to their best server, then the least relative change of the tied x, and
/// of the levels of tied servers together, that fills what has to be full. `levels` are those of the system
/// in the problem's units, [i][r], infinite where r stops nobody; they become those that were used. Returns
/// x, [n][i]. O(N K m + T K² m), T tied rows.
Eigen::ArrayXXd settle_ties(const ServerRows& rows, const Eigen::ArrayXXd& rate, const TiedRows& ties,
                            Eigen::ArrayXXd& levels);

}  // namespace mirab::numerics
