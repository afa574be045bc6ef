// Whatever it takes to a level form.
#include "numerics/psdsf/server_levels.hpp"

#include <gtest/gtest.h>

#include "numerics/many_rows.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double server_levels_within = 1e-8;

TEST(ServerLevels, MeetTheLevelFormOfSmallGames) {
  constexpr std::uint64_t seed = 17;
  Random random(seed);
  for (int trial = 0; trial < random_cases(1000); ++trial) {
    const testing::RandomGame game = testing::random_game(random, {.orders = 2});
    const ServerLevels found =
        level_servers(game.rows, game.weight, {server_levels_within, server_levels_within});
    ASSERT_LE(found.report.error, server_levels_within) << "trial " << trial << " of seed " << seed;
    ASSERT_EQ(found.report.error,
              level_violation(game.rows, game.rows.alone.colwise() * game.weight, found.x));
  }
}

// Six thousand rows start from the levels of a sample.
TEST(ServerLevels, MeetTheLevelFormOfThousandsOfRows) {
  Random random(9);
  const ServerRows rows = testing::many_rows(random, random_cases(6000), 5, testing::Caps::half);
  EXPECT_LE(level_servers(rows, ArrayXd::Ones(rows.rows()), {server_levels_within, server_levels_within})
                .report.error,
            server_levels_within);
}

// As in real clusters: a few shapes of servers and of demands, most rows limited by the same resource.
TEST(ServerLevels, MeetTheLevelFormWhereRowsAreTiedByTheHundred) {
  constexpr std::uint64_t seed = 13;
  Random random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    const ArrayXXd demand = ArrayXXd::NullaryExpr(
        300, 2, [&](Index, Index r) { return (r == 0 ? 1 : 2) * static_cast<double>(1 + random.below(8)); });
    const ArrayXXd capacity = ArrayXXd::NullaryExpr(8, 2, [&](Index i, Index r) {
      return 1e3 * static_cast<double>((1 + i) * (r == 0 ? 1 : 1 + i % 3));
    });
    const ServerRows rows = testing::rows_of(demand, capacity);
    const ServerLevels found =
        level_servers(rows, ArrayXd::Ones(rows.rows()), {server_levels_within, server_levels_within});
    EXPECT_LE(found.report.error, server_levels_within) << "trial " << trial << " of seed " << seed;
  }
}

bool fits(const ServerRows& rows, const ArrayXXd& x) {
  constexpr double rounding = 1e-14;
  if (!x.isFinite().all() || !(x >= 0).all()) return false;
  for (Index i = 0; i < rows.servers(); ++i) {
    const ArrayXd used = (rows.demand_on(i).colwise() * x.col(i)).colwise().sum();
    if ((used > rows.capacity.row(i).transpose() * (1 + rounding)).any()) return false;
  }
  return rows.cap.size() == 0 || (x.rowwise().sum() <= rows.cap * (1 + rounding)).all();
}

// Amounts over nine orders of magnitude; what is good enough before anything has settled fits as well.
TEST(ServerLevels, FitTheServersAndCapsInAnyCase) {
  constexpr std::uint64_t seed = 19;
  Random random(seed);
  for (int trial = 0; trial < random_cases(1000); ++trial) {
    const testing::RandomGame game = testing::random_game(random, {.rows_max = 40, .orders = 9});
    for (const double good_enough : {server_levels_within, 1.0}) {
      const ServerLevels found = level_servers(game.rows, game.weight, {good_enough, good_enough});
      ASSERT_TRUE(fits(game.rows, found.x)) << "trial " << trial << " of seed " << seed;
      ASSERT_LE(found.report.error, good_enough) << "trial " << trial << " of seed " << seed;
      ASSERT_EQ(found.report.error,
                level_violation(game.rows, game.rows.alone.colwise() * game.weight, found.x));
    }
  }
}

}  // namespace
}  // namespace mirab::numerics
