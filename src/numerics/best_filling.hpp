#pragma once

#include <Eigen/Core>

#include "numerics/demands.hpp"

namespace mirab::numerics {

/// One server divided among N rows that may have something elsewhere.
struct Filling {
  Eigen::ArrayXd x;       ///< ≥ 0, [n]
  Eigen::ArrayXd levels;  ///< at which a resource filled up, [r]; infinite where it did not
};

/// Raises a common level l; row n holds x_n(l) = rate_n l - elsewhere_n between 0 and room_n. A resource that
/// is full stops the rows that demand it, the others go on. Requires rate ≥ 0 (0: the row may not), room ≥ 0
/// or empty (no bounds). O(Nm) for each Newton step on the use as a function of l, which is piecewise linear;
/// some five steps for each resource that fills up.
Filling fill_best(const Demands& demand, const Eigen::ArrayXd& capacity, const RowValues& rate,
                  const RowValues& elsewhere, const RowValues& room);

}  // namespace mirab::numerics
