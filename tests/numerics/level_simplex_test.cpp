// The simplex method of levels, its basis, its pricing and its start: examples by hand, and the equations
// that have to hold on random programs. That its levels are right is for the oracle in tests/mechanisms.
#include "numerics/lexmaxmin/level_simplex.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include <mirab/model/random.hpp>

#include "numerics/lexmaxmin/level_basis.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;
using Kind = LevelVariable::Kind;

// γ where everybody may go everywhere.
ArrayXXd alone(const ServerRows& rows) {
  ArrayXXd of(rows.demand[0].rows(), rows.servers());
  for (Index n = 0; n < of.rows(); ++n) {
    for (Index i = 0; i < of.cols(); ++i)
      of(n, i) = (rows.capacity.row(i) / rows.demand_on(i).row(n)).minCoeff();
  }
  return of;
}

ServerRows random_rows(Random& random, Index users, Index servers, Index resources) {
  const auto draw = [&](Index height, double least, double most) {
    return ArrayXXd::NullaryExpr(height, resources, [&] { return least + (most - least) * random.unit(); })
        .eval();
  };
  ServerRows rows;
  rows.demand = {draw(users, 0.1, 1)};
  rows.capacity = draw(servers, 10, 100);
  rows.alone = alone(rows);
  for (Index n = 0; n < users; ++n) {
    const Index home = static_cast<Index>(random.below(static_cast<std::uint64_t>(servers)));
    for (Index i = 0; i < servers; ++i) {
      if (i != home && random.unit() < 0.4) rows.alone(n, i) = 0;
    }
  }
  return rows;
}

// docs/explanation/mathematics.md, section 4: servers (2, 12), (12, 2), tasks (0.2, 1), (1, 0.2).
ServerRows two_servers() {
  ServerRows rows;
  rows.demand = {ArrayXXd{{0.2, 1}, {1, 0.2}}};
  rows.capacity = ArrayXXd{{2, 12}, {12, 2}};
  rows.alone = alone(rows);
  return rows;
}

TEST(LevelSimplex, EverybodyRunsTenTasksOnItsOwnServer) {
  const ServerRows rows = two_servers();
  for (const std::vector<Index>& keys : {std::vector<Index>{0, 1}, {1, 0}, {0, 0}}) {
    LevelSimplex simplex(rows, ArrayXd::Ones(2), keys);
    ASSERT_TRUE(simplex.raise() == Stop::target);
    EXPECT_NEAR(simplex.level(), 10, 1e-12);
    EXPECT_TRUE(simplex.amount().isApprox(ArrayXXd{{10, 0}, {0, 10}}, 1e-12));
  }
}

TEST(LevelSimplex, WhoReachesItsCapLeavesTheRestToTheOthers) {
  ServerRows rows;
  rows.demand = {ArrayXXd{{1}, {1}, {1}}};
  rows.capacity = ArrayXXd{{4}, {6}};
  rows.alone = alone(rows);
  rows.cap = ArrayXd{{0, 2, std::numeric_limits<double>::infinity()}};
  LevelSimplex simplex(rows, ArrayXd::Ones(3), {0, 0, 0});
  ASSERT_TRUE(simplex.raise() == Stop::target);
  EXPECT_FALSE(simplex.active(0));
  EXPECT_FALSE(simplex.active(1));
  EXPECT_TRUE(simplex.active(2));
  EXPECT_TRUE(simplex.amount().rowwise().sum().isApprox(ArrayXd{{0, 2, 8}}, 1e-12));
}

TEST(LevelSimplex, TheNextRoundRaisesThoseWhoAreNotFixed) {
  ServerRows rows;
  rows.demand = {ArrayXXd{{1}, {1}}};
  rows.capacity = ArrayXXd{{2}, {5}};
  rows.alone = ArrayXXd{{2, 0}, {0, 5}};
  LevelSimplex simplex(rows, ArrayXd::Ones(2), {0, 1});
  ASSERT_TRUE(simplex.raise() == Stop::target);
  EXPECT_NEAR(simplex.level(), 2, 1e-12);
  EXPECT_GT(simplex.price()(0, 0), 0);
  EXPECT_EQ(simplex.price()(1, 0), 0);
  simplex.fix({0});
  ASSERT_TRUE(simplex.raise() == Stop::target);
  EXPECT_NEAR(simplex.level(), 5, 1e-12);
  simplex.fix({1});
  EXPECT_FALSE(simplex.anybody_active());
  EXPECT_TRUE(simplex.amount().isApprox(ArrayXXd{{2, 0}, {0, 5}}, 1e-12));
}

// Strong duality: C·λ = Σ_n X_n π_n, with x within the capacities and X_n = unit_n t.
TEST(LevelSimplex, PricesProveTheLevelOfRandomPrograms) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE("program " + std::to_string(k) + " of seed 1");
    const ServerRows rows = random_rows(random, 1 + static_cast<Index>(random.below(400)), 4, 3);
    const ArrayXd unit = ArrayXd::NullaryExpr(rows.rows(), [&] { return 0.5 + random.unit(); });
    LevelSimplex simplex(rows, unit, starting_keys(rows, unit));
    ASSERT_TRUE(simplex.raise() == Stop::target);
    const ArrayXXd x = simplex.amount();
    const ArrayXXd used = (x.matrix().transpose() * rows.demand[0].matrix()).array();
    EXPECT_LE((used / rows.capacity).maxCoeff(), 1 + 1e-12);
    EXPECT_TRUE(x.rowwise().sum().isApprox(simplex.level() * unit, 1e-12));
    const double worth = (rows.capacity * simplex.price()).sum();
    const ArrayXd least = level_costs(rows, simplex.price()).rowwise().minCoeff();
    EXPECT_NEAR((x.rowwise().sum() * least).sum(), worth, 1e-11 * worth);
  }
}

// Whatever changes the basis, W⁻¹ and the values stay those of a newly inverted basis.
TEST(LevelBasis, UpdatesAgreeWithANewInverse) {
  Random random(2);
  const ServerRows rows = random_rows(random, 6, 3, 2);
  LevelBasis basis(rows, ArrayXd::Ones(6), {0, 0, 1, 1, 2, 2});
  for (Index n = 0; n < 6; ++n) basis.set_row(n, 0.1, 1);
  const auto expect_fresh = [&] {
    LevelBasis fresh = basis;
    fresh.refresh();
    const VectorXd values = fresh.values(0.5);
    EXPECT_LE((basis.values(0.5) - values).norm(), 1e-10 * values.norm());
  };
  const LevelVariable level{.kind = Kind::level};
  basis.exchange(0, level, basis.in_basis(level));
  EXPECT_EQ(basis.level_position(), 0);
  expect_fresh();
  const LevelVariable share{.kind = Kind::share, .row = 2, .server = 0};
  basis.exchange(1, share, basis.in_basis(share));
  expect_fresh();
  basis.swap_key(1);
  EXPECT_EQ(basis.key(2), 0);
  EXPECT_EQ(basis.basic(1).server, 1);
  expect_fresh();
  const LevelVariable key{.kind = Kind::share, .row = 4, .server = 1};
  basis.replace_key(key, basis.in_basis(key));
  EXPECT_EQ(basis.key(4), 1);
  expect_fresh();
  const LevelVariable slack{.kind = Kind::slack, .server = 0, .resource = 0};
  basis.exchange(0, slack, basis.in_basis(slack));
  EXPECT_EQ(basis.level_position(), -1);
  expect_fresh();
}

TEST(LevelLimits, WhatReachesItsEndFirstLeaves) {
  LevelLimits limits;
  EXPECT_EQ(limits.longest_step(7).length, 7);
  EXPECT_EQ(limits.longest_step(7).leaving.position, -1);
  limits.add(4, 1, 1, {.position = 3});
  limits.add(3, 1, 1, {.row = 5});
  limits.add(1, -1, 1, {.position = 4});
  EXPECT_EQ(limits.longest_step(7).length, 3);
  EXPECT_EQ(limits.longest_step(7).leaving.row, 5);
  EXPECT_EQ(limits.longest_step(2).leaving.row, -1);
}

// However small the numbers are: only beside larger changes is a change taken for rounding.
TEST(LevelLimits, DoNotDependOnUnits) {
  LevelLimits limits;
  limits.add(1, 1e-13, 1, {.position = 0});
  EXPECT_DOUBLE_EQ(limits.longest_step(1e99).length, 1e13);
  limits.add(1e-9, 1e-9, 1e-9, {.position = 1});
  EXPECT_DOUBLE_EQ(limits.longest_step(1e99).length, 1);
  limits.clear();
  limits.add(0, 1e-16, 1, {.position = 0});
  limits.add(1, 1, 1, {.position = 1});
  EXPECT_EQ(limits.longest_step(1e99).leaving.position, 1);
}

TEST(LevelPricing, OffersTheCheapestServerOfARowAndNothingAtAnOptimum) {
  ServerRows rows;
  rows.demand = {ArrayXXd{{1}}};
  rows.capacity = ArrayXXd{{1}, {1}, {1}};
  rows.alone = alone(rows);
  LevelBasis basis(rows, ArrayXd::Ones(1), {0});
  basis.set_row(0, 0, 1);
  LevelPricing pricing(rows);
  const ArrayXXd price{{3}, {2}, {1}};
  const std::vector<LevelVariable> entering = pricing.entering(basis, 1, price);
  ASSERT_EQ(entering.size(), 1U);
  EXPECT_EQ(entering[0].server, 2);
  EXPECT_DOUBLE_EQ(pricing.gain(basis, price, entering[0]), 2);
  EXPECT_TRUE(pricing.entering(basis, 1, ArrayXXd{{1}, {1}, {2}}).empty());
  const std::vector<LevelVariable> negative = pricing.entering(basis, 1, ArrayXXd{{1}, {2}, {-1}});
  ASSERT_FALSE(negative.empty());
}

TEST(LevelStart, GivesEveryRowAServerWhereItMayGo) {
  Random random(3);
  for (const Index users : {1, 10, 3'000}) {
    const ServerRows rows = random_rows(random, users, 5, 2);
    const std::vector<Index> keys = starting_keys(rows, ArrayXd::Ones(users));
    ASSERT_EQ(keys.size(), static_cast<std::size_t>(users));
    for (Index n = 0; n < users; ++n) EXPECT_GT(rows.alone(n, keys[static_cast<std::size_t>(n)]), 0);
  }
}

// One resource, equal servers: any server costs the same, and the room decides.
TEST(LevelStart, DealsOutRowsEvenlyWhereServersCostTheSame) {
  ServerRows rows;
  rows.demand = {ArrayXXd::Ones(1'000, 1)};
  rows.capacity = ArrayXXd::Constant(4, 1, 50);
  rows.alone = alone(rows);
  std::vector<int> on(4);
  for (const Index key : starting_keys(rows, ArrayXd::Ones(1'000))) on[static_cast<std::size_t>(key)] += 1;
  EXPECT_EQ(on, std::vector<int>(4, 250));
}

}  // namespace
}  // namespace mirab::numerics
