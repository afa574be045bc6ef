#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// For every row a server where it may go, on which LevelSimplex does well to begin: where rows cost about
/// the least under the prices of an eighth of them, and of such servers those that fill up last. [n]; `unit`
/// is [n] > 0. O(N K m), and the first round of an eighth of the rows.
std::vector<Eigen::Index> starting_keys(const ServerRows& rows, const Eigen::ArrayXd& unit);

}  // namespace mirab::numerics
