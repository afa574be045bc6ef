#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace mirab::numerics {

/// N rows by m columns, column-major: row n is what one unit of x_n takes of each of m resources, all ≥ 0. A
/// view.
using Demands = Eigen::Ref<const Eigen::ArrayXXd>;

/// One number a row, or none at all where the default of all rows will do. A view.
using RowValues = Eigen::Ref<const Eigen::ArrayXd>;

/// Rows that are worked on at a time. Derived: 8 bytes of 512 rows in 4 columns are 16 KB, half of a
/// first-level cache; in 16 columns they are 64 KB, a part of any second-level cache. Harmless from 128 to
/// 2048.
constexpr Eigen::Index kBlockRows = 512;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Number>
using ArrayOf = Eigen::Array<Number, Eigen::Dynamic, 1>;
template <class Number>
using TableOf = Eigen::Array<Number, Eigen::Dynamic, Eigen::Dynamic>;

/// N rows that may be placed, in any parts, on K servers with m resources each. Column-major: what belongs to
/// one server is contiguous.
template <class Number>
struct ServerRowsOf {
  std::vector<TableOf<Number>> demand;  ///< d: what a unit of row n takes, [n][r] ≥ 0; one array for all
                                        ///< servers, or one a server
  TableOf<Number> capacity;             ///< c, [i][r] ≥ 0
  TableOf<Number> alone;  ///< γ, [n][i]: units of row n that server i holds alone, min_r c_{i,r} / d_{n,i,r};
                          ///< 0 where the row may not go. Every row may go somewhere.
  ArrayOf<Number> cap;  ///< [n] ≥ 0, infinite where there is none; empty when nobody has one

  Eigen::Index rows() const { return alone.rows(); }
  Eigen::Index servers() const { return capacity.rows(); }
  Eigen::Index resources() const { return capacity.cols(); }
  /// d_{·,i}, [n][r].
  const TableOf<Number>& demand_on(Eigen::Index server) const {
    return demand[demand.size() == 1 ? 0 : static_cast<std::size_t>(server)];
  }
};

using ServerRows = ServerRowsOf<double>;

}  // namespace mirab::numerics
