#pragma once

#include <Eigen/Core>

#include "numerics/demands.hpp"

namespace mirab::numerics {

/// Prices of proportional fairness by steps along the gradient of the dual.
struct GradientPrices {
  Eigen::ArrayXd price;    ///< ν, of whole resources, [m]; not finite when the steps were too long
  int iterations = 0;      ///< O(Nm) each
  double residual = 0;     ///< max_r of how far resource r is beyond its capacity, or below while ν_r > 0
  bool converged = false;  ///< residual ≤ tolerance
};

/// Solves max Σ_n w_n ln x_n under Σ_n x_n b_n,r ≤ 1 for demands b [n][m] in parts of the resources. `weight`
/// is [n], > 0. Starts from ν_r = Σ_n w_n / m.
GradientPrices descend_to_prices(const Demands& demand, const Eigen::ArrayXd& weight, double step,
                                 double tolerance, int most_iterations);

}  // namespace mirab::numerics
