#pragma once

#include <limits>
#include <vector>

#include <mirab/model/random.hpp>

#include "numerics/base/rows.hpp"

namespace mirab::testing {

/// min_r c_{i,r} / d_{n,r}, the whole of every server open to every row.
inline Eigen::ArrayXXd alone_of(const Eigen::ArrayXXd& demand, const Eigen::ArrayXXd& capacity) {
  return Eigen::ArrayXXd::NullaryExpr(demand.rows(), capacity.rows(), [&](Eigen::Index n, Eigen::Index i) {
    double alone = std::numeric_limits<double>::infinity();
    for (Eigen::Index r = 0; r < capacity.cols(); ++r) {
      if (demand(n, r) > 0) alone = std::min(alone, capacity(i, r) / demand(n, r));
    }
    return alone;
  });
}

inline numerics::ServerRows rows_of(const Eigen::ArrayXXd& demand, const Eigen::ArrayXXd& capacity) {
  return {.demand = {demand}, .capacity = capacity, .alone = alone_of(demand, capacity), .cap = {}};
}

/// N rows that are all different, on K servers that are, with 3 resources; half of the rows with a cap, if so
/// wanted, of about what they would get.
enum class Caps { none, half };

inline numerics::ServerRows many_rows(Random& random, Eigen::Index rows, Eigen::Index servers, Caps caps) {
  const auto uniform = [&](double low, double high) { return low + (high - low) * random.unit(); };
  const Eigen::ArrayXXd demand = Eigen::ArrayXXd::NullaryExpr(rows, 3, [&] { return uniform(0.1, 5); });
  const Eigen::ArrayXXd capacity = Eigen::ArrayXXd::NullaryExpr(servers, 3, [&] { return uniform(1, 100); });
  numerics::ServerRows many = rows_of(demand, capacity);
  if (caps == Caps::none) return many;
  many.cap = many.alone.rowwise().sum() / static_cast<double>(rows);
  for (double& cap : many.cap)
    cap *= random.below(2) == 0 ? uniform(0.2, 2) : std::numeric_limits<double>::infinity();
  return many;
}

}  // namespace mirab::testing
