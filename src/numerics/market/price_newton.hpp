#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <vector>

#include "numerics/market/regret.hpp"

namespace mirab::numerics {

/// Constants of putting rows on their equations, and of the units.
struct PriceRowTuning {
  /// of a cap: a row so near it elsewhere may have no more. As RegretTuning::at_cap.
  double at_cap = 1e-12;
  double solved = 1e-13;    ///< relative, of an unknown. Harmless from 1e-15 to 1e-10.
  int max_steps = 80;       ///< Measured: six are usual; a bracket of e^±700 is bisected in 63.
  double longest_step = 3;  ///< of ln t. Harmless from 1 to 10.
  double inside = 0.999;  ///< of a bound: a first guess beyond it starts there. Harmless from 0.9 to 0.9999.
  /// of the t at which the parts alone make the total. Harmless from 1e-4 to 0.1.
  double lowest_start = 0.01;
};

/// A game among servers in units in which amounts, prices and marginal utilities are near 1. With Γ_n = max_i
/// γ_{n,i}, amounts are counted in w_n Γ_n / Σw; prices are λ_{i,r} c_{i,r} = (Σw)^α ν^p.
struct GameInUnits {
  explicit GameInUnits(const ServerGame& game, const PriceRowTuning& tuning = {});
  Eigen::Index rows() const { return g.rows(); }
  Eigen::Index servers() const { return g.cols(); }
  Eigen::Index resources() const { return b[0].cols(); }

  double p;                   ///< max(1, α): nothing is raised to a large power before its root is taken
  double q;                   ///< α / p
  double total_weight;        ///< Σw
  Eigen::ArrayXd weight;      ///< w / Σw, [n]
  Eigen::ArrayXd unit;        ///< tasks, [n]
  Eigen::ArrayXd cap;         ///< [n], infinite without one
  Eigen::ArrayXd base;        ///< what each row has elsewhere, [n]
  Eigen::ArrayXXd g;          ///< γ/Γ, [n][i]; 0 where a row may not go, or may not have more
  Eigen::ArrayXd price_unit;  ///< u = max_n g^q, [i]
  Eigen::ArrayXXd gq;         ///< g^q / u, [n][i]
  std::vector<Eigen::ArrayXXd> b;  ///< γ d / c: the part of i's resources that a row takes alone, [i][n][r]
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> may;  ///< g > 0
  Eigen::Array<bool, Eigen::Dynamic, 1> capped;            ///< cap < ∞
};

/// What is complementary (y to z, s to ν, k to left), or a direction of it, or products of it.
struct PricePoint {
  Eigen::ArrayXXd y, z;    ///< amounts over g, and what they pay too much, [n][i]
  Eigen::ArrayXXd s, nu;   ///< free parts of resources, and price roots, [i][r]
  Eigen::ArrayXd k, left;  ///< how much more a capped row would pay, and cap - X, [n]
};

/// The furthest step that keeps everything ≥ 0.
double furthest_step(const PricePoint& at, const PricePoint& direction);

PricePoint moved(const PricePoint& at, const PricePoint& direction, double step);

/// X = base + Σ_i g y, [n]; 1 for a row that may go nowhere.
Eigen::ArrayXd totals_of(const GameInUnits& game, const Eigen::ArrayXXd& y);

/// Σ_n w b y, [i][r]: 1 is a full resource.
Eigen::ArrayXXd use_of(const GameInUnits& game, const Eigen::ArrayXXd& y);

/// What a row would pay on each server, and how that follows the prices: ρ = (Σ_r ν^p b)^(1/p), dρ/dν_r =
/// slope · b_r · (ν_r / max ν)^(p-1).
struct RowPrices {
  Eigen::ArrayXXd rho, slope;  ///< [n][i]
};

RowPrices price_rows(const GameInUnits& game, const Eigen::ArrayXXd& nu, int threads);

/// Puts every row exactly on z = ρ - g^q (X^(-q) - k) and left = cap - X at the present prices, the products
/// y z and k left as they are at `at`. O(NK), some six evaluations of every row.
void put_rows_on_equations(const GameInUnits& game, const RowPrices& prices, int threads, PricePoint& at,
                           const PriceRowTuning& tuning = {});

/// The Newton system of the path of prices (equilibrium.cpp) at one point, factored. Holds views of its
/// arguments.
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
