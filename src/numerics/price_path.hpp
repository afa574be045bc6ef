#pragma once

#include <Eigen/Core>

#include "numerics/regret.hpp"

namespace mirab::numerics {

/// Amounts and prices of a game among servers, near an equilibrium.
struct PricedServers {
  Eigen::ArrayXXd amount;     ///< x ≥ 0, feasible, [n][i]
  Eigen::ArrayXXd log_price;  ///< ln λ_{i,r} per unit, [i][r], -∞ for a free resource
  double regret = 0;          ///< relative_regret()
  int iterations = 0;
};

/// Which regret is tried for, and below which the solver may stop when it does not get on.
struct RegretGoal {
  double wanted;
  double tolerated;
};

/// Finds an equilibrium: w_n^α X_n^(-α) γ_{n,i}^(α-1) ≤ λ_i·d_{n,i}, equal where x_{n,i} > 0, λ_{i,r} > 0
/// only where r is full on i. A capped row counts as if it had more than its cap, the same everywhere, where
/// it would want more.
///
/// Deterministic, whatever the threads. O(N(Km)² + (Km)³) an iteration, some 10 to 100 of them.
PricedServers follow_price_path(const ServerGame& game, const RegretGoal& goal, int threads);

}  // namespace mirab::numerics
