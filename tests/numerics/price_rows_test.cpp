// What docs/explanation/mathematics.md, section 6, asks of one row at given prices, in the units of
// price_newton.hpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "numerics/market/price_newton.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using testing::random_game;
using testing::RandomGame;

constexpr std::uint64_t price_rows_seed = 1996;

// Positive values in the places of `like`.
template <class Array>
Array drawn(Random& random, const Array& like) {
  return Array::NullaryExpr(like.rows(), like.cols(), [&] { return 0.1 + random.unit(); });
}

// Any amounts below the caps, any prices.
PricePoint random_point(const GameInUnits& game, Random& random) {
  PricePoint at;
  at.nu = drawn(random, ArrayXXd(game.servers(), game.resources()));
  at.s = drawn(random, at.nu);
  at.z = game.may.select(drawn(random, game.g), 1.0);
  at.y = game.may.select(drawn(random, game.g), 0.0);
  const ArrayXd room = (game.cap - game.base) / ((game.g * at.y).rowwise().sum() + 1e-9) / 2;
  at.y.colwise() *= game.capped.select(room.min(1.0), 1.0);
  at.k = game.capped.select(drawn(random, game.cap), 0.0);
  at.left = game.capped.select(game.cap - totals_of(game, at.y), std::numeric_limits<double>::infinity());
  return at;
}

double largest(const ArrayXXd& values) { return values.abs().maxCoeff(); }

class RowsAtPrices : public ::testing::TestWithParam<double> {};

TEST_P(RowsAtPrices, AreOnTheirEquationsWithTheProductsTheyHad) {
  Random random(price_rows_seed);
  for (int i = 0; i < random_cases(500); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of seed {}", i, price_rows_seed));
    const RandomGame random_case = random_game(random, {});
    const GameInUnits game(random_case.with(GetParam()));
    if ((game.capped && !game.may.rowwise().any()).any()) continue;
    const PricePoint from = random_point(game, random);
    const RowPrices prices = price_rows(game, from.nu, 1);
    PricePoint to = from;
    put_rows_on_equations(game, prices, 1, to);
    const ArrayXd total = totals_of(game, to.y);
    const ArrayXXd owed = overpaid(game, prices, total, to.k);
    const ArrayXXd paid = prices.rho + 1;
    ASSERT_LE(largest(game.may.select((owed - to.z) / paid, 0.0)), 1e-9);
    ASSERT_LE(largest(game.may.select(to.y * to.z / (from.y * from.z) - 1, 0.0)), 1e-12);
    ASSERT_LE(largest(game.capped.select(to.k * to.left / (from.k * from.left) - 1, 0.0)), 1e-9);
    ASSERT_TRUE((!game.may || (to.y > 0 && to.z > 0)).all());
    ASSERT_TRUE((!game.capped || total < game.cap).all());
  }
}

// A small step of the direction changes the products by a part of what was asked, and closes as much of every
// gap.
TEST_P(RowsAtPrices, FollowTheNewtonDirectionToFirstOrder) {
  constexpr double kStep = 1e-5;
  Random random(price_rows_seed);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of seed {}", i, price_rows_seed));
    const RandomGame random_case = random_game(random, {});
    const GameInUnits game(random_case.with(GetParam()));
    if (!game.may.rowwise().any().all()) continue;
    const PricePoint at = random_point(game, random);
    const RowPrices prices = price_rows(game, at.nu, 1);
    const PriceNewton newton(game, prices, at, 1);
    PricePoint change;
    change.y = game.may.select(-0.5 * at.y * at.z, 0.0);
    change.s = -0.5 * at.s * at.nu;
    change.k = game.capped.select(-0.5 * at.k * at.left, 0.0);
    const PricePoint d = newton.direction(change);
    const double step = kStep * std::min(1.0, furthest_step(at, d));
    const PricePoint to = moved(at, d, step);
    const auto lag = [&](const PricePoint& point) {
      const RowPrices now = price_rows(game, point.nu, 1);
      return ArrayXXd(overpaid(game, now, totals_of(game, point.y), point.k) - point.z);
    };
    const ArrayXXd imbalance = 1 - use_of(game, to.y) - to.s;
    const double scale = 1 + largest(lag(at)) + largest(newton.imbalance());
    ASSERT_LE(largest(imbalance - (1 - step) * newton.imbalance()), 1e-9 * scale);
    ASSERT_LE(largest(lag(to) - (1 - step) * lag(at)), kStep * kStep * 1e3 * scale);
    ASSERT_LE(largest(game.may.select(to.y * to.z - at.y * at.z - step * change.y, 0.0)),
              kStep * kStep * 1e3 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(PriceRows, RowsAtPrices, ::testing::Values(0.5, 1, 3, 40), [](const auto& alpha) {
  return fmt::format("Alpha{}", static_cast<int>(10 * alpha.param));
});

}  // namespace
}  // namespace mirab::numerics
