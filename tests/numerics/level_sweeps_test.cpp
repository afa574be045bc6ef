// Sweeps of best responses, and leaps where they creep.
#include <gtest/gtest.h>

#include "numerics/many_rows.hpp"
#include "numerics/psdsf/best_response.hpp"
#include "numerics/psdsf/server_levels.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double within = 1e-10;

TEST(LevelSweeps, OneSweepIsEnoughForOneServer) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1, 4}, {3, 1}}, ArrayXXd{{9, 18}});
  LevelSweeps sweeps(rows, rows.alone);
  std::ignore = sweeps.run(1, 0);
  EXPECT_NEAR(sweeps.x()(0, 0), 3, 1e-12);
  EXPECT_NEAR(sweeps.x()(1, 0), 2, 1e-12);
  EXPECT_NEAR(sweeps.levels()(0, 0), 2.0 / 3, 1e-12);
}

// Four rows that are nearly, not exactly, tied between two servers: a sweep moves slivers of 1e-6, so that
// without leaps it would take a million of them.
TEST(LevelSweeps, LeapsWhereRowsAreNearlyTied) {
  Random random(3);
  const ArrayXXd demand = ArrayXXd::NullaryExpr(
      4, 2, [&](Index, Index r) { return r == 0 ? 1 + random.unit() : 0.1 + 0.2 * random.unit(); });
  ServerRows rows = testing::rows_of(demand, ArrayXXd{{100, 50}, {60, 30}});
  for (Index n = 0; n < rows.rows(); ++n) rows.alone(n, 1) *= 1 + 1e-6 * random.unit();
  LevelSweeps sweeps(rows, rows.alone);
  std::ignore = sweeps.run(300, within);
  EXPECT_LE(level_violation(rows, rows.alone, sweeps.x()), within);
}

TEST(LevelSweeps, SettlesSmallGames) {
  constexpr std::uint64_t seed = 21;
  Random random(seed);
  for (int trial = 0; trial < random_cases(300); ++trial) {
    const testing::RandomGame game = testing::random_game(random, {});
    const ArrayXXd rate = game.rows.alone.colwise() * game.weight;
    LevelSweeps sweeps(game.rows, rate);
    std::ignore = sweeps.run(1000, within);
    ASSERT_LE(level_violation(game.rows, rate, sweeps.x()), 1e-9) << "trial " << trial << " of seed " << seed;
  }
}

// The first of a sweep divides itself between rows that have nothing yet, the second between rows that do.
TEST(LevelSweeps, TurnedRoundBeginWithTheLastServer) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}, {2}});
  LevelSweeps forwards(rows, rows.alone), backwards(rows, rows.alone);
  backwards.turn_round();
  std::ignore = forwards.run(1, 0);
  std::ignore = backwards.run(1, 0);
  EXPECT_NEAR(forwards.levels()(0, 0), 0.5, 1e-12);
  EXPECT_NEAR(backwards.levels()(1, 0), 0.5, 1e-12);
  EXPECT_NEAR(forwards.levels()(1, 0), 1.5, 1e-12);
  EXPECT_NEAR(backwards.levels()(0, 0), 0.75, 1e-12);
}

}  // namespace
}  // namespace mirab::numerics
