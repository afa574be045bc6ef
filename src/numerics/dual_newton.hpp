#pragma once

#include <Eigen/Core>

#include "numerics/price_response.hpp"

namespace mirab::numerics {

/// Prices at which the amounts fit, and the amounts.
struct PricedAmounts {
  Eigen::ArrayXd amount;  ///< x̂_n, feasible, [n]
  Eigen::ArrayXd used;    ///< Σ_n x̂_n d_{n,r}, [m]
  Eigen::ArrayXd
      log_price;  ///< ln λ_r, [m], -∞ for a free resource: λ itself may not fit a double when α is large
  double relative_gap =
      0;  ///< an upper bound of (D(λ) - P(x̂)) / Σ_n x̂_n d_n·λ, and at every price level (see .cpp)
  int iterations = 0;      ///< evaluations of all N rows
  bool converged = false;  ///< relative_gap ≤ tolerance
};

/// Solves max Σ_n w_n g_α(x_n / (w_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap by its dual, with c_n = w_n u_n^(1
/// - 1/α). g_α' (s) = s^(-α).
///
/// Tries for `goal` and takes what it gets: `converged` says whether `tolerance` was met. O(Nm²) an
/// iteration; from some ten thousand rows on, all but two or three of them are spent on a sixteenth of the
/// rows.
PricedAmounts solve_dual(const PricedProblem& problem, double goal, double tolerance);

}  // namespace mirab::numerics
