#pragma once

#include <Eigen/Core>

#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// max value·x under rows x ≤ limit, x ≥ 0. n variables, k rows.
struct LinearProgram {
  Eigen::VectorXd value;  ///< [n]
  Eigen::MatrixXd rows;   ///< [k][n]
  Eigen::VectorXd limit;  ///< [k] ≥ 0, so that x = 0 will do
};

/// Constants of maximise().
struct LinearTuning {
  /// of an entry, in units of the rows: less is rounding. Harmless from 1e-14 to 1e-10.
  double zero = 1e-12;
  int pivots_each = 100;  ///< for each variable and row, then Stop::limit. Harmless from 10: two are usual.
  /// Derived: n k pivots round to (n + k) zero of a row.
  Accuracy accuracy{.target = 1e-9, .accepted = 1e-7};
};

/// Constants of solve_complementarity().
struct ComplementarityTuning {
  int rounds_each = 10;    ///< for each coordinate, then Stop::limit. Harmless from 3: two are rare.
  double clearly = 1e-13;  ///< of max |b|: less below 0 is rounding. Harmless from 1e-15 to 1e-10.
};

/// A vertex, and what each row costs there.
struct [[nodiscard]] LinearOptimum {
  SolveReport report;  ///< error: the bound by the prices less value·x, over value·x; iterations: pivots
  Eigen::VectorXd amount;  ///< x, [n]
  Eigen::VectorXd price;   ///< y ≥ 0 of the rows, [k]: limit·y bounds value·x when yᵀ rows ≥ value
};

/// Solves a small, dense linear program that is bounded. Rows should be of about the same size: what is
/// smaller than 1e-12 counts as zero. Nothing is assumed of the answer: x is feasible in any case but for
/// rounding, and the report says how far its value is from the bound by its own prices. O(n k) for each of
/// usually n + k pivots.
LinearOptimum maximise(const LinearProgram& program, const LinearTuning& tuning = {});

/// z, and how far w = A z + b is below 0.
struct [[nodiscard]] Complementarity {
  SolveReport report;  ///< error: the largest -w_i over max |b|; iterations: changes of the set held at zero
  Eigen::VectorXd z;   ///< ≥ 0, [m]
};

/// Finds z ≥ 0 with A z + b ≥ 0 and z·(A z + b) = 0, where A = H Λ, H symmetric and positive definite, Λ
/// diagonal and positive: the minimum of a convex quadratic over the positive orthant, in scaled coordinates.
///
/// Starts from z = 1 with nothing held at zero. O(m³) for each change of the set that is held, usually a few.
Complementarity solve_complementarity(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                      const ComplementarityTuning& tuning = {});

}  // namespace mirab::numerics
