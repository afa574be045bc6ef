#include "numerics/market/regret.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "numerics/random_game.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using testing::random_game;
using testing::RandomGame;

constexpr std::uint64_t regret_seed = 2018;

// One server, amounts and prices that are nothing in particular: no random change of the amounts gains more.
TEST(Regret, IsAtLeastWhatAnySearchGains) {
  Random random(regret_seed);
  for (const double alpha : {0.5, 1.0, 2.0, 5.0}) {
    for (int i = 0; i < 100; ++i) {
      RandomGame game = random_game(random, {.rows_max = 3, .servers_max = 1});
      const ServerRows& rows = game.rows;
      if (rows.cap.size() > 0 && (rows.cap == 0).any()) continue;
      const Index n = rows.rows();
      game.elsewhere = ArrayXd::NullaryExpr(n, [&] { return 0.2 * random.unit(); }) * rows.alone.col(0);
      if (rows.cap.size() > 0) game.elsewhere = game.elsewhere.min(rows.cap / 2);
      const auto draw = [&] {
        ArrayXd x =
            ArrayXd::NullaryExpr(n, [&] { return random.unit() * random.unit(); }) * rows.alone.col(0);
        if (rows.cap.size() > 0) x = x.min(rows.cap - game.elsewhere);
        double fullest = 1;
        for (Index r = 0; r < rows.resources(); ++r) {
          fullest = std::max(fullest, (x * rows.demand[0].col(r)).sum() / rows.capacity(0, r));
        }
        return ArrayXd(x / fullest);
      };
      const auto marginal = [&](const ArrayXd& x) {
        return ArrayXd(((x + game.elsewhere) / (game.weight * rows.alone.col(0))).pow(-alpha) /
                       rows.alone.col(0));
      };
      const auto utility = [&](const ArrayXd& x) {
        const ArrayXd share = (x + game.elsewhere) / (game.weight * rows.alone.col(0));
        return (game.weight * (alpha == 1 ? share.log() : ArrayXd(share.pow(1 - alpha) / (1 - alpha)))).sum();
      };
      const ArrayXd at = draw();
      const ArrayXXd log_price = ArrayXXd::NullaryExpr(1, rows.resources(), [&] { return random.unit(); }) -
                                 rows.capacity.log() + std::log((marginal(at) * at).sum());
      const double worth = std::max((log_price.exp() * rows.capacity).sum(), (marginal(at) * at).sum());
      const double regret = relative_regret(game.with(alpha), at, log_price, 1);
      double best = utility(at);
      for (int tries = 0; tries < 300; ++tries) best = std::max(best, utility(draw()));
      ASSERT_GE(regret * worth, (best - utility(at)) * (1 - 1e-9)) << "α = " << alpha << ", problem " << i;
    }
  }
}

// Two equal rows, one resource of 1, price 2 = Σ w: the response to it is what they have.
TEST(Regret, IsZeroAtAnEquilibriumAndInfiniteForARowWithNothing) {
  ServerRows rows{.demand = {ArrayXXd::Ones(2, 1)},
                  .capacity = ArrayXXd::Ones(1, 1),
                  .alone = ArrayXXd::Ones(2, 1),
                  .cap = {}};
  const ArrayXd weight = ArrayXd::Ones(2), none;
  const ArrayXXd log_price = ArrayXXd::Constant(1, 1, std::log(2.0));
  EXPECT_NEAR(relative_regret({rows, weight, 1, none}, ArrayXXd::Constant(2, 1, 0.5), log_price, 1), 0,
              1e-15);
  EXPECT_GT(relative_regret({rows, weight, 1, none}, ArrayXXd{{0.4}, {0.6}}, log_price, 1), 1e-3);
  EXPECT_TRUE(std::isinf(relative_regret({rows, weight, 1, none}, ArrayXXd{{0.0}, {1.0}}, log_price, 1)));
}

TEST(Regret, IsInfiniteForAmountsThatAreNegativeOrNotFinite) {
  const ServerRows rows{.demand = {ArrayXXd::Ones(2, 1)},
                        .capacity = ArrayXXd::Ones(1, 1),
                        .alone = ArrayXXd::Ones(2, 1),
                        .cap = {}};
  const ArrayXd weight = ArrayXd::Ones(2), none;
  const ArrayXXd log_price = ArrayXXd::Constant(1, 1, std::log(2.0));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), -1e-9}) {
    for (const double alpha : {0.5, 1.0, 10.0}) {
      EXPECT_TRUE(
          std::isinf(relative_regret({rows, weight, alpha, none}, ArrayXXd{{0.5}, {bad}}, log_price, 1)))
          << bad << " at α = " << alpha;
    }
  }
}

}  // namespace
}  // namespace mirab::numerics
