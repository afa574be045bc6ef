#pragma once

#include <cstddef>
#include <vector>

#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// A birth-death chain in two dimensions: states (i, j), i < rows, j < columns, each left for its neighbours
/// only. Every array is [i * columns + j]; a rate that would leave the grid is 0. Births are > 0 inside the
/// grid, and so are deaths, so that the chain is irreducible.
struct MarkovGrid {
  std::size_t rows = 0, columns = 0;
  std::vector<double> row_birth = {};     ///< (i, j) to (i + 1, j)
  std::vector<double> row_death = {};     ///< (i, j) to (i - 1, j)
  std::vector<double> column_birth = {};  ///< (i, j) to (i, j + 1)
  std::vector<double> column_death = {};  ///< (i, j) to (i, j - 1)
};

/// π with π Q = 0, Σ π = 1.
struct [[nodiscard]] Stationary {
  SolveReport report;               ///< error: ‖π Q‖₁ over the flow Σ π_s q_s; iterations: cycles
  std::vector<double> probability;  ///< [i * columns + j], > 0
};

/// Constants of stationary_distribution().
struct MarkovTuning {
  double lowest = 1e-280;  ///< of a probability. Derived: products of it with a rate are normal doubles.
  std::size_t solved_directly = 16;  ///< states. Harmless from 1 to 64.
  int rounds = 2;        ///< on the blocks' chain. Measured: at a load of 0.95 with 1 a cycle takes
                         ///< 15 % off the error, with 2 45 %, at twice the cost of one grid.
  int max_cycles = 200;  ///< Measured: some ten are usual.
  int patience = 20;     ///< cycles without a smaller residual: what is left is rounding. Harmless
                         ///< from 5 to 50.
};

/// The stationary distribution, by cycles of aggregation from `start` ([i * columns + j], > 0), until the
/// residual is at most the target or falls no more. O(states) a cycle; some ten of them are usually enough.
Stationary stationary_distribution(const MarkovGrid& grid, std::vector<double> start,
                                   const Accuracy& accuracy, const MarkovTuning& tuning = {});

}  // namespace mirab::numerics
