#pragma once

#include <cstddef>
#include <vector>

namespace mirab::simulation {

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
struct Stationary {
  std::vector<double> probability;  ///< [i * columns + j], > 0
  double residual = 0;              ///< ‖π Q‖₁ over the flow Σ π_s q_s
  int cycles = 0;
};

/// The stationary distribution, by cycles of aggregation from `start` ([i * columns + j], > 0), until the
/// residual is at most `goal` or falls no more. O(states) a cycle; some ten of them are enough mostly.
Stationary stationary_distribution(const MarkovGrid& grid, std::vector<double> start, double goal);

}  // namespace mirab::simulation
