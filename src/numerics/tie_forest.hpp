#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {

/// Makes the levels of tied (server, resource) nodes proportional, and gives the tree of each node, [i m +
/// r]: a node's tree is named by one of its nodes. `levels` is [i][r] in the problem's units, `rate` [n][i].
/// A row on several servers ties the node where it has most to the others; the strongest tie between two
/// nodes counts, and of all ties the spanning forest of the strongest (Kruskal). O(pairs log + ties K m).
std::vector<Eigen::Index> join_ties(const TiedRows& rows, const Eigen::ArrayXXd& rate,
                                    Eigen::ArrayXXd& levels);

}  // namespace mirab::numerics
