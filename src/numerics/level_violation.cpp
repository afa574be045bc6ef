// The level form of rows on servers that fill themselves, as the placements themselves show it.
//
// Source: docs/mathematics.md, section 5: x is a solution when there are levels L_{i,r},
// infinite unless r is full on i, with X_n / rate_{n,i} ≥ min_{r: d_{n,r} > 0} L_{i,r} wherever row n may go,
// equality where it is. The least levels that allow what is placed ask least of the others, so they decide.
#include "numerics/level_violation.hpp"

#include <algorithm>
#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNothing = 1e-9;  // of a capacity, of a row's total, of a cap

// L of one server, and by how much it is overused.
ArrayXd shown_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x, const ArrayXd& total,
                     Index i, double& overuse) {
  ArrayXd levels(rows.resources());
  const ArrayXd own = (x.col(i) > kNothing * total).select(total / rate.col(i), 0);
  for (Index r = 0; r < levels.size(); ++r) {
    const auto demand = rows.demand_on(i).col(r);
    const double capacity = rows.capacity(i, r);
    const double used = (demand * x.col(i)).sum();
    if (used > 0) overuse = std::max(overuse, used / capacity - 1);
    const bool full = capacity > 0 && used >= capacity * (1 - kNothing);
    levels[r] = full ? (demand > 0).select(own, 0).maxCoeff() : kInfinity;
  }
  return levels;
}

}  // namespace

double level_violation(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x) {
  const ArrayXd total = x.rowwise().sum();
  if (!total.isFinite().all() || !(x >= 0).all()) return kInfinity;
  double worst = 0;
  ArrayXd stop(rows.rows());
  for (Index i = 0; i < rows.servers(); ++i) {
    const ArrayXd levels = shown_levels(rows, rate, x, total, i, worst);
    stop.setConstant(kInfinity);
    for (Index r = 0; r < levels.size(); ++r) {
      if (levels[r] < kInfinity) stop = (rows.demand_on(i).col(r) > 0).select(stop.min(levels[r]), stop);
    }
    for (Index n = 0; n < rows.rows(); ++n) {
      const bool enough = rows.cap.size() > 0 && total[n] >= rows.cap[n] * (1 - kNothing);
      if (rate(n, i) > 0 && !enough) worst = std::max(worst, 1 - total[n] / (rate(n, i) * stop[n]));
    }
  }
  for (Index n = 0; n < rows.cap.size(); ++n) {
    if (total[n] > 0) worst = std::max(worst, total[n] / rows.cap[n] - 1);
  }
  return worst;
}

}  // namespace mirab::numerics
