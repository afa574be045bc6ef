#include <fmt/format.h>
#include <gtest/gtest.h>

#include "numerics/expect_feasible.hpp"
#include "numerics/market/equilibrium.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using testing::expect_feasible;
using testing::random_game;
using testing::RandomGame;

constexpr std::uint64_t price_sweeps_seed = 2018;

TEST(PriceSweeps, SettleWhereThePathDoesAtAlphaOne) {
  Random random(price_sweeps_seed);
  int settled = 0;
  for (int i = 0; i < 100; ++i) {
    const RandomGame game = random_game(random, {.caps = false});
    const PricedServers path = follow_price_path(game.with(1), {1e-15, 1e-7}, 1);
    const PricedServers swept = sweep_best_responses(game.with(1), {1e-9, 1e-9}, 1);
    ASSERT_NO_FATAL_FAILURE(expect_feasible(game.rows, swept.amount));
    if (swept.report.error > 1e-9) continue;
    ++settled;
    const ArrayXd ours = swept.amount.rowwise().sum(), theirs = path.amount.rowwise().sum();
    ASSERT_TRUE(((ours - theirs).abs() <= 1e-3 * theirs).all())
        << "problem " << i << " of seed " << price_sweeps_seed;
  }
  EXPECT_EQ(settled, 100);
}

class SweepsWithCaps : public ::testing::TestWithParam<double> {};

TEST_P(SweepsWithCaps, GiveAmountsThatFitWhateverTheRegret) {
  Random random(price_sweeps_seed);
  for (int i = 0; i < random_cases(1000); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of seed {}", i, price_sweeps_seed));
    const RandomGame game = random_game(random, {});
    const PricedServers found = sweep_best_responses(game.with(GetParam()), {1e-6, 1e-6}, 1);
    ASSERT_NO_FATAL_FAILURE(expect_feasible(game.rows, found.amount));
    ASSERT_EQ(found.report.error, relative_regret(game.with(GetParam()), found.amount, found.log_price, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(PriceSweeps, SweepsWithCaps, ::testing::Values(1, 3, 10), [](const auto& alpha) {
  return fmt::format("Alpha{}", static_cast<int>(alpha.param));
});

TEST(PriceSweeps, AtAlphaOneEndBeforeTheBoundOfThreeHundred) {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const RandomGame game = random_game(random, {.caps = false});
    const PricedServers found = sweep_best_responses(game.with(1), {0, 1e-7}, 1);
    EXPECT_LE(found.report.error, 1e-7) << "problem " << i;
    EXPECT_LT(found.report.iterations, 300) << "problem " << i;
  }
}

}  // namespace
}  // namespace mirab::numerics
