#pragma once

#include <Eigen/Core>
#include <vector>

namespace mirab::numerics {

/// N rows that may be placed, in any parts, on K servers with m resources each. Column-major: what belongs to
/// one server is contiguous.
struct ServerRows {
  std::vector<Eigen::ArrayXXd> demand;  ///< d: what a unit of row n takes, [n][r] ≥ 0; one array for all
                                        ///< servers, or one a server
  Eigen::ArrayXXd capacity;             ///< c, [i][r] ≥ 0
  Eigen::ArrayXXd alone;  ///< γ, [n][i]: units of row n that server i holds alone, min_r c_{i,r} / d_{n,i,r};
                          ///< 0 where the row may not go. Every row may go somewhere.
  Eigen::ArrayXd cap;  ///< [n] ≥ 0, infinite where there is none; empty when nobody has one

  Eigen::Index rows() const { return alone.rows(); }
  Eigen::Index servers() const { return capacity.rows(); }
  Eigen::Index resources() const { return capacity.cols(); }
  /// d_{·,i}, [n][r].
  const Eigen::ArrayXXd& demand_on(Eigen::Index server) const {
    return demand[demand.size() == 1 ? 0 : static_cast<std::size_t>(server)];
  }
};

}  // namespace mirab::numerics
