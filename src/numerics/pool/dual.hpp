#pragma once

#include <Eigen/Core>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Amounts that follow m prices: x_n(λ) = min(cap_n, c_n (d_n·λ)^(-1/α)). A view; the arrays must outlive it.
struct PricedProblem {
  Demands demand;                  ///< [n][m]; every row takes something
  const Eigen::ArrayXd& capacity;  ///< C, [m], > 0
  RowValues coefficient;           ///< c, [n], > 0; empty when all are 1
  RowValues cap;                   ///< [n], ≥ 0, infinite where there is none; empty when nobody has one
  double alpha;                    ///< > 0
};

/// λ_r C_r = ν_r^p with p = max(1, α): steep prices in a tame coordinate, in which use falls like 1/ν.
double price_power(double alpha);

/// What the amounts at some prices do.
struct PriceResponse {
  Eigen::ArrayXd use;          ///< Σ_n x_n d_{n,r} / C_r, [m]
  Eigen::ArrayXd elastic_use;  ///< the same over the rows that are not at their caps, [m]
  Eigen::MatrixXd
      slope;  ///< -∂use_r / ∂ ln ν_k = (p/α) Σ_elastic x_n d_{n,r}/C_r · d_{n,k} λ_k / (d_n·λ), [m][m]
};

/// Evaluates x(λ), its use and its slope in one pass over blocks of rows: O(Nm²). `price_root` is ν, [m], ≥ 0
/// and not all zero. A row whose resources are all free takes an infinite amount, or its cap.
PriceResponse respond(const PricedProblem& problem, const Eigen::ArrayXd& price_root,
                      Eigen::Ref<Eigen::ArrayXd> amount);

/// Prices at which the amounts fit, and the amounts.
struct [[nodiscard]] PricedAmounts {
  SolveReport report;  ///< error: an upper bound of (D(λ) - P(x̂)) / Σ_n x̂_n d_n·λ, at every price level (see
                       ///< .cpp); iterations: evaluations of all N rows
  Eigen::ArrayXd amount;  ///< x̂_n, feasible, [n]
  Eigen::ArrayXd used;    ///< Σ_n x̂_n d_{n,r}, [m]
  Eigen::ArrayXd
      log_price;  ///< ln λ_r, [m], -∞ for a free resource: λ itself may not fit a double when α is large
};

/// Solves max Σ_n w_n g_α(x_n / (w_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap by its dual, with c_n = w_n u_n^(1
/// - 1/α). g_α' (s) = s^(-α).
///
/// O(Nm²) an iteration; from some ten thousand rows on, all but two or three of them are spent on a sixteenth
/// of the rows.
PricedAmounts solve_dual(const PricedProblem& problem, const Accuracy& accuracy);

/// Prices of proportional fairness by steps along the gradient of the dual.
struct [[nodiscard]] GradientPrices {
  SolveReport report;  ///< error: max_r of how far resource r is beyond its capacity, or below while ν_r > 0;
                       ///< iterations: O(Nm) each
  Eigen::ArrayXd price;  ///< ν, of whole resources, [m]; not finite when the steps were too long
};

/// Solves max Σ_n w_n ln x_n under Σ_n x_n b_n,r ≤ 1 for demands b [n][m] in parts of the resources. `weight`
/// is [n], > 0. Starts from ν_r = Σ_n w_n / m.
GradientPrices descend_to_prices(const Demands& demand, const Eigen::ArrayXd& weight, double step,
                                 const Accuracy& accuracy, int max_iterations);

}  // namespace mirab::numerics
