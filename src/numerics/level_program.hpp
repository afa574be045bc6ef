#pragma once

#include <Eigen/Core>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

using RowMask = Eigen::Array<bool, Eigen::Dynamic, 1>;
using ServerMask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

/// max t under Σ_i x_{n,i} ≥ floor_n + rate_n t, Σ_n x_{n,i} d_{n,i,r} ≤ c_{i,r}, x ≥ 0, x only where a row
/// may go. Caps are not looked at. What no feasible point can leave open is said by `held` and `full`, so that
/// the rest has room: the method needs points with every x > 0 and every other inequality strict. A view.
struct LevelProgram {
  const ServerRows& rows;
  const Eigen::ArrayXd& floor;  ///< [n] ≥ 0; the floors together must be feasible
  const Eigen::ArrayXd& rate;   ///< [n] ≥ 0, one of them > 0
  const RowMask& held;          ///< [n]: Σ_i x_{n,i} = floor_n, rate 0
  const ServerMask& full;       ///< [i][r]: Σ_n x_{n,i} d_{n,i,r} = c_{i,r}, and the price has any sign
};

/// A solution of the program and one of its dual.
struct LevelSolution {
  Eigen::ArrayXXd amount;  ///< x, [n][i], within the capacities
  Eigen::ArrayXXd price;   ///< λ, ≥ 0 but where full, [i][r] per unit of capacity, such that Σ_n rate_n π_n is about 1
  double level = 0;        ///< the t that x reaches
  int iterations = 0;
};

/// Mehrotra's predictor-corrector until the relative gap is below `goal`, or as close as doubles lead. At a
/// small goal both solutions lie in the middle of their optimal faces: π_n > 0 just for the rows that cannot
/// have more. O(N (K m)² + (K m)³) an iteration, of which there are 10 to 100. The result does not depend on
/// the number of threads.
LevelSolution solve_level_program(const LevelProgram& program, double goal, int threads);

}  // namespace mirab::numerics
