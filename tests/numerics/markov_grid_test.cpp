#include "numerics/queueing/markov_grid.hpp"

#include <Eigen/LU>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include <mirab/model/random.hpp>

namespace mirab::numerics {
namespace {

constexpr double kGoal = 1e-14;

MarkovGrid grid_with(std::size_t rows, std::size_t columns, const std::function<double()>& birth,
                     const std::function<double()>& death) {
  MarkovGrid grid{.rows = rows, .columns = columns};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      grid.row_birth.push_back(i + 1 < rows ? birth() : 0);
      grid.row_death.push_back(i > 0 ? death() : 0);
      grid.column_birth.push_back(j + 1 < columns ? birth() : 0);
      grid.column_death.push_back(j > 0 ? death() : 0);
    }
  }
  return grid;
}

Stationary solve(const MarkovGrid& grid) {
  return stationary_distribution(grid, std::vector<double>(grid.rows * grid.columns, 1.0), {kGoal, kGoal});
}

// π Q = 0 with one equation replaced by Σ π = 1.
Eigen::VectorXd by_brute_force(const MarkovGrid& grid) {
  const auto n = static_cast<Eigen::Index>(grid.rows * grid.columns);
  const auto columns = static_cast<Eigen::Index>(grid.columns);
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index s = 0; s < n; ++s) {
    const auto at = static_cast<std::size_t>(s);
    if (grid.row_birth[at] > 0) q(s, s + columns) = grid.row_birth[at];
    if (grid.row_death[at] > 0) q(s, s - columns) = grid.row_death[at];
    if (grid.column_birth[at] > 0) q(s, s + 1) = grid.column_birth[at];
    if (grid.column_death[at] > 0) q(s, s - 1) = grid.column_death[at];
    q(s, s) = -q.row(s).sum();
  }
  q.col(n - 1).setOnes();
  return q.transpose().fullPivLu().solve(Eigen::VectorXd::Unit(n, n - 1));
}

TEST(StationaryDistribution, IsWhatADenseSolutionGives) {
  constexpr std::uint64_t kSeed = 41;
  Random random(kSeed);
  const auto rate = [&] { return 0.05 + random.unit(); };
  const std::pair<std::size_t, std::size_t> sizes[] = {{1, 1}, {1, 9}, {23, 1}, {3, 5}, {4, 4},
                                                       {5, 4}, {9, 8}, {13, 7}, {2, 31}};
  for (const auto& [rows, columns] : sizes) {
    const MarkovGrid grid = grid_with(rows, columns, rate, rate);
    const Stationary found = solve(grid);
    const Eigen::VectorXd expected = by_brute_force(grid);
    for (std::size_t s = 0; s < found.probability.size(); ++s) {
      EXPECT_NEAR(found.probability[s], expected[static_cast<Eigen::Index>(s)], 1e-11)
          << rows << " x " << columns << ", state " << s << ", seed " << kSeed;
    }
  }
}

// Two queues that have nothing to do with each other: π = (1 - r)(1 - s) r^i s^j, but for the truncation.
TEST(StationaryDistribution, IsAsAccurateFarOutAsNearZero) {
  constexpr double kRow = 0.9;
  constexpr double kColumn = 0.3;
  constexpr std::size_t kSize = 40;
  MarkovGrid grid = grid_with(
      kSize, kSize, [] { return kRow; }, [] { return 1.0; });
  for (double& birth : grid.column_birth) birth *= kColumn / kRow;
  const Stationary found = solve(grid);
  for (std::size_t i = 0; i < kSize; i += 13) {
    for (std::size_t j = 0; j < kSize; j += 13) {
      const double ratio = found.probability[i * kSize + j] / found.probability[0];
      const double expected =
          std::pow(kRow, static_cast<double>(i)) * std::pow(kColumn, static_cast<double>(j));
      EXPECT_NEAR(ratio / expected, 1, 1e-9) << i << ", " << j;
    }
  }
}

TEST(StationaryDistribution, NeedsFewCyclesAtHighLoadOnALargeGrid) {
  const MarkovGrid grid = grid_with(
      200, 60, [] { return 0.97; }, [] { return 1.0; });
  const Stationary found =
      stationary_distribution(grid, std::vector<double>(grid.rows * grid.columns, 1.0), {1e-11, 1e-11});
  EXPECT_LE(found.report.error, 1e-11);
  EXPECT_LT(found.report.iterations, 60);
  EXPECT_NEAR(std::accumulate(found.probability.begin(), found.probability.end(), 0.0), 1, 1e-12);
}

}  // namespace
}  // namespace mirab::numerics
