#pragma once

#include <Eigen/Core>

#include "numerics/demands.hpp"

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

}  // namespace mirab::numerics
