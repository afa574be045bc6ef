// The path to tied levels: single steps, and the whole of it, judged by the level form.
#include "numerics/psdsf/tied_levels.hpp"

#include <gtest/gtest.h>

#include "numerics/many_rows.hpp"
#include "numerics/psdsf/best_response.hpp"
#include "numerics/psdsf/server_levels.hpp"
#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

ArrayXXd first_levels(const ServerRows& rows) {
  LevelSweeps sweeps(rows, rows.alone);
  std::ignore = sweeps.run(5, 0);
  return sweeps.levels();
}

TEST(TieStep, LowersTheProductsAndFillsTheServers) {
  Random random(2);
  const ServerRows rows = testing::many_rows(random, 500, 4, testing::Caps::none);
  TiedSystem system = tied_system(rows, rows.alone, first_levels(rows));
  centre(system, 1e-2);
  const TieTuning tuning;
  TieStep newton(system, tuning);
  measure_use(system);
  const double product = newton.mean_product(), missing = imbalance(system);
  EXPECT_NEAR(product, 1e-2, 1e-6);
  for (int step = 0; step < 12; ++step) {
    EXPECT_GT(newton.advance(newton.mean_product()), 0);
    measure_use(system);
    take_over(system);
  }
  EXPECT_LT(newton.mean_product(), product / 10);
  EXPECT_LT(imbalance(system), missing / 10);
}

// A few hundred rows settle whole, a thousand after most have left the system.
TEST(TiedLevels, MeetTheLevelFormOfManyRows) {
  constexpr std::uint64_t seed = 6;
  Random random(seed);
  for (const auto& [rows, servers] : {std::pair{150, 3}, {500, 4}, {1000, 5}, {2000, 6}}) {
    const ServerRows many = testing::many_rows(random, rows, servers, testing::Caps::none);
    const TiedLevels tied = tie_levels(many, many.alone, first_levels(many), 1e-2);
    EXPECT_LE(level_violation(many, many.alone, tied.x), 1e-9) << rows << " rows of seed " << seed;
    EXPECT_GE(tied.x.minCoeff(), 0);
  }
}

}  // namespace
}  // namespace mirab::numerics
