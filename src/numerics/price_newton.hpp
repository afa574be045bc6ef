#pragma once

#include <Eigen/LU>

#include "numerics/price_rows.hpp"

namespace mirab::numerics {

/// The Newton system of price_path.hpp at one point, factored. Holds views of its arguments.
class PriceNewton {
 public:
  /// `prices` are price_rows() at `at`. O(N(Km)² + (Km)³).
  PriceNewton(const GameInUnits& game, const RowPrices& prices, const PricePoint& at, int threads);

  /// The step after which the products y z, s ν and k left are `change` more than they are and every equation
  /// holds, to first order. Only y, s and k of `change` are read. O(NKm).
  PricePoint direction(const PricePoint& change) const;

  /// 1 - use - s, [i][r].
  const Eigen::ArrayXXd& imbalance() const { return s_missing_; }

 private:
  Eigen::ArrayXd tilt(Eigen::Index i) const;
  void assemble(int threads);
  Eigen::MatrixXd block_slope(Eigen::Index first, Eigen::Index rows);

  const GameInUnits& game_;
  const RowPrices& prices_;
  const PricePoint& at_;
  Eigen::ArrayXXd z_missing_, s_missing_;
  Eigen::ArrayXXd v_;                                  // y/z
  Eigen::ArrayXd left_missing_, bend_, stiff_, damp_;  // bend = -dX^(-q)/dX, stiff = bend + k/left
  Eigen::VectorXd row_scale_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// ρ - g^q (X^(-q) - k), 1 where nothing may be, [n][i].
Eigen::ArrayXXd overpaid(const GameInUnits& game, const RowPrices& prices, const Eigen::ArrayXd& total,
                         const Eigen::ArrayXd& k);

}  // namespace mirab::numerics
