// Prices of proportional fairness by the gradient projection
//
//   ν_r ← (ν_r + γ (Σ_n ψ_n b_n,r - 1))⁺,  ψ_n = w_n / Σ_r b_n,r ν_r
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// equation 9. "γ > 0 is a sufficiently small step size": for N users the slopes of the use are of the order
// of 1/N, so a γ below N is small enough mostly, and a fixed γ takes of the order of N/γ iterations.
// Known failure: with a γ too large the prices swing, or fall to 0 together, whereupon ψ is infinite and
// there is no way back.
#include "numerics/price_gradient.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::numerics {
namespace {

double residual_of(const Eigen::ArrayXd& excess, const Eigen::ArrayXd& price) {
  double residual = 0;
  for (Eigen::Index r = 0; r < price.size(); ++r)
    residual = std::max(residual, price[r] > 0 ? std::abs(excess[r]) : excess[r]);
  return residual;
}

}  // namespace

GradientPrices descend_to_prices(const Demands& demand, const Eigen::ArrayXd& weight, double step,
                                 double tolerance, int most_iterations) {
  const Eigen::Index m = demand.cols();
  GradientPrices found{.price = Eigen::ArrayXd::Constant(m, weight.sum() / static_cast<double>(m))};
  while (true) {
    const Eigen::ArrayXd spent = (demand.matrix() * found.price.matrix()).array();
    const Eigen::ArrayXd excess = (demand.matrix().transpose() * (weight / spent).matrix()).array() - 1;
    found.residual = residual_of(excess, found.price);
    found.converged = found.residual <= tolerance;
    if (found.converged || found.iterations == most_iterations || !excess.allFinite()) return found;
    found.price = (found.price + step * excess).max(0);
    ++found.iterations;
  }
}

}  // namespace mirab::numerics
