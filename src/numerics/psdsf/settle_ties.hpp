#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {

/// Makes the levels of tied (server, resource) nodes proportional, and gives the tree of each node, [i m +
/// r]: a node's tree is named by one of its nodes. `levels` is [i][r] in the problem's units, `rate` [n][i].
/// A row on several servers ties the node where it has most to the others; the strongest tie between two
/// nodes counts, and of all ties the spanning forest of the strongest (Kruskal). O(pairs log + ties K m).
std::vector<Eigen::Index> join_ties(const TiedRows& rows, const Eigen::ArrayXXd& rate,
                                    Eigen::ArrayXXd& levels, const TieTuning& tuning = {});

/// Makes the ties and full resources of a system near a solution exact: levels along the strongest ties
/// (join_ties), the others' rows to their best server, then the least relative change of the tied x, and
/// of the levels of tied servers together, that fills what has to be full. `levels` are those of the system
/// in the problem's units, [i][r], infinite where r stops nobody; they become those that were used. Returns
/// x, [n][i]. O(N K m + T K² m), T tied rows.
Eigen::ArrayXXd settle_ties(const ServerRows& rows, const Eigen::ArrayXXd& rate, const TiedRows& ties,
                            Eigen::ArrayXXd& levels, const TieTuning& tuning = {});

}  // namespace mirab::numerics
