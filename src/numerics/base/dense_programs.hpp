#pragma once

#include <Eigen/Core>

namespace mirab::numerics {

/// max value·x under rows x ≤ limit, x ≥ 0. n variables, k rows.
struct LinearProgram {
  Eigen::VectorXd value;  ///< [n]
  Eigen::MatrixXd rows;   ///< [k][n]
  Eigen::VectorXd limit;  ///< [k] ≥ 0, so that x = 0 will do
};

/// A vertex, and what each row costs there.
struct LinearOptimum {
  Eigen::VectorXd amount;  ///< x, [n]
  Eigen::VectorXd price;   ///< y ≥ 0 of the rows, [k]: limit·y bounds value·x when yᵀ rows ≥ value
};

/// Solves a small, dense linear program that is bounded. Rows should be of about the same size: what is
/// smaller than 1e-12 counts as zero. Nothing is assumed of the answer, which the caller can check by its
/// price. O(n k) for each of usually n + k pivots.
LinearOptimum maximise(const LinearProgram& program);

/// Finds z ≥ 0 with A z + b ≥ 0 and z·(A z + b) = 0, where A = H Λ, H symmetric and positive definite, Λ
/// diagonal and positive: the minimum of a convex quadratic over the positive orthant, in scaled coordinates.
///
/// Starts from z = 1 with nothing held at zero. O(m³) for each change of the set that is held, usually a few.
Eigen::VectorXd solve_complementarity(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace mirab::numerics
