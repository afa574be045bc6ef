#pragma once

#include <Eigen/Core>

namespace mirab::numerics {

/// Finds z ≥ 0 with A z + b ≥ 0 and z·(A z + b) = 0, where A = H Λ, H symmetric and positive definite, Λ
/// diagonal and positive: the minimum of a convex quadratic over the positive orthant, in scaled coordinates.
///
/// Starts from z = 1 with nothing held at zero. O(m³) for each change of the set that is held, usually a few.
Eigen::VectorXd solve_complementarity(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace mirab::numerics
