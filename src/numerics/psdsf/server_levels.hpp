#pragma once

#include <Eigen/Core>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// How far x is from the level form, relative: the largest of 1 - X_n / (rate_{n,i} M_{n,i}) over rows below
/// their cap, of overuse, and of tasks over a cap; M_{n,i} = min_{r: d_{n,r} > 0} L_{i,r}, L_{i,r} = max of
/// X_n / rate_{n,i} over the rows on i that demand r, infinite unless r is full. `x` and `rate` are [n][i];
/// rate is 0 where a row may not go. Infinite where an x is negative or no number. A part below 1e-9 counts
/// as nothing: of a capacity left free, of a row's total, of a cap. O(N K m).
double level_violation(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& x);

/// N rows on K servers, each of which fills itself by levels. m resources.
struct [[nodiscard]] ServerLevels {
  SolveReport report;      ///< error: level_violation(); iterations: of tie_levels
  Eigen::ArrayXXd x;       ///< ≥ 0, [n][i]
  Eigen::ArrayXXd levels;  ///< that x was found with, [i][r]; infinite where r stops nobody on i
  int sweeps = 0;          ///< of best responses
};

/// An x such that every server i fills by a common level for what the others do: row n rises there from
/// Σ_{j ≠ i} x_{n,j} with slope rate_{n,i} = weight_n alone_{n,i} until a resource that it demands is full.
/// The violation is at most the target, or the least that was found; x fits the servers and caps in any case,
/// but for rounding.
/// Deterministic; not the only solution. Requires weight > 0. Cost: best_response.hpp and tied_levels.hpp.
ServerLevels level_servers(const ServerRows& rows, const Eigen::ArrayXd& weight, const Accuracy& accuracy);

}  // namespace mirab::numerics
