#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// The normal equations of a level program (level_program.hpp) after every row has been eliminated: K m
/// unknowns Δλ, and Δt.
///
///     (Σ_n (diag(θ_n) - θ_n θ_nᵀ / H_n) ⊗ d_n d_nᵀ + diag(q/λ)) Δλ - b Δt = u
///                                                          bᵀ Δλ + κ Δt = v
///
/// with b_{i,r} = Σ_n w_n θ_{n,i} d_{n,i,r} / H_n and κ = Σ_n w_n² / H_n. Arrays [i][r] are flattened column
/// by column.
class LevelSchur {
 public:
  /// Forms and factorises. θ is [n][i], 0 where a row may not go; `slack` is s_n/π_n, [n]; `q_by_price`
  /// [i][r]. O(N (K m)² + (K m)³).
  LevelSchur(const ServerRows& rows, const Eigen::ArrayXXd& theta, const Eigen::ArrayXd& slack,
             const Eigen::ArrayXd& rate, const Eigen::ArrayXXd& q_by_price, int threads);

  struct Step {
    Eigen::ArrayXXd price;  ///< Δλ, [i][r]
    double level;           ///< Δt
  };

  Step solve(const Eigen::ArrayXXd& u, double v) const;

  /// H_n, [n].
  const Eigen::ArrayXd& pivot() const { return pivot_; }

 private:
  Eigen::MatrixXd matrix_;  // without b bᵀ / κ
  Eigen::ArrayXd scale_;    // 1 / √ of the diagonal
  Eigen::VectorXd b_;
  double kappa_ = 0;
  Eigen::ArrayXd pivot_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// Σ_n d_{n,i,r} y_{n,i}, [i][r], over all rows, summed block by block.
Eigen::ArrayXXd demanded_by(const ServerRows& rows, const Eigen::ArrayXXd& y, int threads);

}  // namespace mirab::numerics
