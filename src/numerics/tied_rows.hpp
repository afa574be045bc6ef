#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// The rows that may be tied between servers, with the complementary pairs x_{n,i} ≥ 0 ⊥ z_{n,i} ≥ 0, z_{n,i}
/// = V_n - a_{n,i} L_{i,g(n,i)}, and k_n ≥ 0 ⊥ t_n = cap_n - X_n ≥ 0, V_n = X_n + k_n. Scaled: a row's x by
/// about its X, levels to about 1, capacities to 1. Pairs of one row lie together.
struct TiedRows {
  // One entry a row.
  std::vector<Eigen::Index> row;    // among the problem's
  std::vector<Eigen::Index> first;  // its pairs are first[n] … first[n + 1] - 1
  std::vector<double> unit;         // one unit of x
  std::vector<double> cap, total, k, t;
  // One entry a pair.
  std::vector<Eigen::Index> server;
  std::vector<Eigen::Index> stop;  // g: the full resource with the lowest level among those demanded, i m + r
  std::vector<double> a, x, z, part;
  std::vector<double> demand;  // [pair][r]

  Eigen::Index size() const { return static_cast<Eigen::Index>(row.size()); }
  Eigen::Index pairs() const { return static_cast<Eigen::Index>(server.size()); }
};

/// Where the path ends: who is tied, in the problem's units.
struct Ties {
  TiedRows rows;
  Eigen::ArrayXXd levels;  // [i][r], infinite where r stops nobody
};

/// Makes ties and full resources exact: levels along the strongest ties, the others' rows to their best
/// server, then the least relative change of the tied x, and of the levels of tied servers together, that
/// fills what has to be full. O(N K m + T K² m), T tied rows. Returns x, [n][i], and makes the levels those
/// that it used.
Eigen::ArrayXXd settle_ties(const ServerRows& rows, const Eigen::ArrayXXd& rate, Ties& ties);

}  // namespace mirab::numerics
