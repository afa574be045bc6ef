#pragma once

#include <Eigen/Core>

#include "numerics/base/dense_programs.hpp"
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
/// and not all zero; prices with logarithms further apart than `far_apart` are factored out row by row. A row
/// whose resources are all free takes an infinite amount, or its cap.
PriceResponse respond(const PricedProblem& problem, const Eigen::ArrayXd& price_root,
                      Eigen::Ref<Eigen::ArrayXd> amount, double far_apart);

/// Prices at which the amounts fit, and the amounts.
struct [[nodiscard]] PricedAmounts {
  SolveReport report;  ///< error: an upper bound of (D(λ) - P(x̂)) / Σ_n x̂_n d_n·λ, at every price level (see
                       ///< .cpp); iterations: evaluations of all N rows
  Eigen::ArrayXd amount;  ///< x̂_n, feasible, [n]
  Eigen::ArrayXd used;    ///< Σ_n x̂_n d_{n,r}, [m]
  Eigen::ArrayXd
      log_price;  ///< ln λ_r, [m], -∞ for a free resource: λ itself may not fit a double when α is large
};

/// Constants of solve_dual().
struct DualTuning {
  /// Measured: of 3,200 random problems with α of 1 to 1000 none took more than 119, the mean 8.
  int max_steps = 200;
  int certain_after = 30;       ///< steps, after which D must fall for certain. Harmless from 10 to 100.
  double decrease = 0.5;        ///< σ before that. Harmless from 0.1 to 0.9.
  double shortest_step = 1e-6;  ///< of a Newton step, before a price is bisected. Harmless from 1e-9 to 1e-3.
  double tame_alpha = 2;        ///< solved without stages. Harmless from 1 to 4.
  double steep_alpha = 8;       ///< above it cheap prices may lead a step, too. Harmless from 4 to 16.
  double stage_goal = 1e-3;     ///< gap before α is doubled. Harmless from 1e-6 to 1e-2.
  double sample_goal = 1e-8;    ///< gap on a sample. Harmless from 1e-10 to 1e-4.
  /// rows. Measured: of 20,000 rows all are evaluated 5 times instead of 7. Harmless from 2^10 to 2^20.
  Eigen::Index sampled_from = 1 << 14;
  /// rows. Harmless from 4 to 64: of 2^14 rows 256 are left, whose prices are off by about 1/√256.
  Eigen::Index sample_every = 16;
  Eigen::Index sample_run = 8;  ///< neighbouring rows. Derived: 8 doubles are one line of a cache.
  double levenberg = 1e-10;     ///< part added to the diagonal, and below which a price governs nothing.
                                ///< Harmless from 1e-13 to 1e-8.
  /// part of its use that a price governs, below which an overused resource's price is bisected. Harmless
  /// from 1e-6 to 1e-2.
  double lost_say = 1e-4;
  double overused = 1e-9;    ///< of a capacity: less is not bisected. Harmless from 1e-11 to 1e-6.
  int max_bisections = 100;  ///< Derived: a bisection of logarithms halves 700 to a rounding in 63.
  double bisected = 1e-11;   ///< of a capacity: then a bisection ends. Harmless from 1e-13 to 1e-8.
  /// ln of a price over the largest one. Derived: its square, e^-600, is still a normal double, e^-708 at
  /// least.
  double far_apart = -300;
  double log_least = -300;  ///< ln of a proportion: smaller ones count as that. Derived as far_apart.
  ComplementarityTuning complementarity = {};
};

/// Solves max Σ_n w_n g_α(x_n / (w_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap by its dual, with c_n = w_n u_n^(1
/// - 1/α). g_α' (s) = s^(-α).
///
/// O(Nm²) an iteration; from some ten thousand rows on, all but two or three of them are spent on a sixteenth
/// of the rows.
PricedAmounts solve_dual(const PricedProblem& problem, const Accuracy& accuracy,
                         const DualTuning& tuning = {});

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
