#pragma once

#include <Eigen/Core>

#include "numerics/base/solve_report.hpp"
#include "numerics/market/regret.hpp"

namespace mirab::numerics {

/// Amounts and prices of a game among servers, near an equilibrium.
struct [[nodiscard]] PricedServers {
  SolveReport report;         ///< error: relative_regret(); iterations: Newton steps, or sweeps
  Eigen::ArrayXXd amount;     ///< x ≥ 0, feasible, [n][i]
  Eigen::ArrayXXd log_price;  ///< ln λ_{i,r} per unit, [i][r], -∞ for a free resource
};

/// Finds an equilibrium: w_n^α X_n^(-α) γ_{n,i}^(α-1) ≤ λ_i·d_{n,i}, equal where x_{n,i} > 0, λ_{i,r} > 0
/// only where r is full on i. A capped row counts as if it had more than its cap, the same everywhere, where
/// it would want more.
///
/// Deterministic, whatever the threads. O(N(Km)² + (Km)³) an iteration, some 10 to 100 of them.
PricedServers follow_price_path(const ServerGame& game, const Accuracy& accuracy, int threads);

/// Looks for an equilibrium as servers would that only know their own rows: each in turn answers what the
/// others gave, from nothing on, until the regret is the target, no row moves by more than 1e-9 of what
/// it has, an accepted regret is not halved in ten sweeps, or 300 are done. Gives the best sweep.
///
/// Every answer is a game of one server, solved by its m prices; O(K N m²) for each of some ten iterations a
/// sweep. At α = 1 every answer raises one concave potential; at other α the sweeps may creep or circle,
/// which the regret says.
PricedServers sweep_best_responses(const ServerGame& game, const Accuracy& accuracy, int threads);

}  // namespace mirab::numerics
