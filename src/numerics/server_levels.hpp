#pragma once

#include <Eigen/Core>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// N rows on K servers, each of which fills itself by levels. m resources.
struct ServerLevels {
  Eigen::ArrayXXd x;     ///< ≥ 0, [n][i]
  double violation = 0;  ///< of the level form, relative: see level_violation
  int sweeps = 0;        ///< of best responses
  int iterations = 0;    ///< of tie_levels
};

/// An x such that every server i fills by a common level for what the others do: row n rises there from
/// Σ_{j ≠ i} x_{n,j} with slope rate_{n,i} = weight_n alone_{n,i} until a resource that it demands is full.
/// Sweeps of best responses from zero, then levels tied between servers, until the violation is at most
/// `within`; the best that was found otherwise. Deterministic; not the only solution. Requires weight > 0.
/// Cost: best_filling.hpp for each server and sweep, then tied_levels.hpp.
ServerLevels level_servers(const ServerRows& rows, const Eigen::ArrayXd& weight, double within);

/// How far x is from the level form, relative: the largest of 1 - X_n / (rate_{n,i} M_{n,i}) over rows below
/// their cap, of overuse, and of tasks over a cap; M_{n,i} = min_{r: d_{n,r} > 0} L_{i,r}, L_{i,r} = max of
/// X_n / rate_{n,i} over the rows on i that demand r, infinite unless r is full. O(N K m).
double level_violation(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& x);

}  // namespace mirab::numerics
