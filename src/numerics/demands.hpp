#pragma once

#include <Eigen/Core>

namespace mirab::numerics {

/// N rows by m columns, column-major: row n is what one unit of x_n takes of each of m resources, all ≥ 0. A
/// view.
using Demands = Eigen::Ref<const Eigen::ArrayXXd>;

/// One number a row, or none at all where the default of all rows will do. A view.
using RowValues = Eigen::Ref<const Eigen::ArrayXd>;

/// Rows are worked on so many at a time: 16 columns of them stay in a second-level cache, 4 in the first.
constexpr Eigen::Index kBlockRows = 512;

}  // namespace mirab::numerics
