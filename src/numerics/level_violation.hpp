#pragma once

#include <Eigen/Core>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// How far x is from the level form, relative: the largest of 1 - X_n / (rate_{n,i} M_{n,i}) over rows below
/// their cap, of overuse, and of tasks over a cap; M_{n,i} = min_{r: d_{n,r} > 0} L_{i,r}, L_{i,r} = max of
/// X_n / rate_{n,i} over the rows on i that demand r, infinite unless r is full. `x` and `rate` are [n][i];
/// rate is 0 where a row may not go. Infinite where an x is negative or no number. A part below 1e-9 counts
/// as nothing: of a capacity left free, of a row's total, of a cap. O(N K m).
double level_violation(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& x);

}  // namespace mirab::numerics
