#pragma once

#include <Eigen/Core>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// N rows on K servers whose levels agree. m resources.
struct TiedLevels {
  Eigen::ArrayXXd x;       ///< ≥ 0, [n][i]
  Eigen::ArrayXXd levels;  ///< L, [i][r]; infinite where r stops nobody on i
  int iterations = 0;
};

/// Looks for x ≥ 0 and levels L with X_n ≥ rate_{n,i} min_{r: d_{n,r} > 0} L_{i,r} for every row below its
/// cap, equality where x_{n,i} > 0, L_{i,r} finite only where r is full on i. `rate` is [n][i], 0 where a row
/// may not go; `levels` are the levels to start from, [i][r], infinite where a resource is not full; centring
/// > 0 says how far off they may be (1e-2: by tens of per cent; less keeps closer to the start). The result
/// need not be a solution: the caller checks. O(N K² m + (Km)³) an iteration, some 10 to 150 of them, the
/// later ones on the few rows that may still be tied.
TiedLevels tie_levels(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& levels,
                      double centring);

}  // namespace mirab::numerics
