#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/model/random.hpp>

#include "numerics/pool/dual.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr std::uint64_t seed = 1998;

struct Instance {
  ArrayXXd demand;
  ArrayXd capacity, coefficient, cap;
  PricedProblem with(double alpha) const { return {demand, capacity, coefficient, cap, alpha}; }
};

Instance random_instance(Random& random, Index rows_max, Index columns_max, double orders) {
  const auto draw = [&] { return std::pow(10.0, orders * (random.unit() - 0.5)); };
  const auto rows = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(rows_max)));
  const auto columns = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(columns_max)));
  Instance instance;
  instance.demand = ArrayXXd::NullaryExpr(rows, columns, [&] { return random.below(3) == 0 ? 0 : draw(); });
  for (Index n = 0; n < rows; ++n) {
    instance.demand(n, static_cast<Index>(random.below(static_cast<std::uint64_t>(columns)))) += draw();
  }
  instance.capacity = ArrayXd::NullaryExpr(columns, [&] { return 10 * draw(); });
  instance.coefficient = ArrayXd::NullaryExpr(rows, [&] { return 0.2 + 4 * random.unit(); });
  instance.cap =
      ArrayXd::NullaryExpr(rows, [&] { return random.below(3) == 0 ? 5 * random.unit() : endless; });
  return instance;
}

// ln (d_n·λ) from the logarithms of its terms.
double log_price_of(const ArrayXd& demand, const ArrayXd& log_price) {
  const ArrayXd terms = demand.log() + log_price;
  const double largest = terms.maxCoeff();
  return std::isinf(largest) ? largest : largest + std::log((terms - largest).exp().sum());
}

// The Karush-Kuhn-Tucker conditions, in logarithms: amounts answer prices, and an idle resource governs
// nobody's.
void expect_optimal(const Instance& instance, double alpha, const PricedAmounts& priced, double tolerance) {
  const ArrayXd used = (instance.demand.matrix().transpose() * priced.amount.matrix()).array();
  for (Index n = 0; n < priced.amount.size(); ++n) {
    const ArrayXd demand = instance.demand.row(n).transpose();
    const double log_spent = log_price_of(demand, priced.log_price);
    const double free_amount = instance.coefficient[n] * std::exp(-log_spent / alpha);
    const double answer = std::min(instance.cap[n], free_amount);
    ASSERT_NEAR(priced.amount[n], answer, tolerance * answer) << "row " << n;
    if (free_amount > instance.cap[n] * (1 + tolerance)) continue;
    for (Index r = 0; r < used.size(); ++r) {
      if (demand[r] == 0) continue;
      const double governed = std::exp(std::log(demand[r]) + priced.log_price[r] - log_spent);
      const double taken = priced.amount[n] * demand[r] / instance.capacity[r];
      ASSERT_LE((1 - used[r] / instance.capacity[r]) * governed * taken, tolerance)
          << "row " << n << ", resource " << r;
    }
  }
  for (Index r = 0; r < used.size(); ++r) ASSERT_LE(used[r], instance.capacity[r] * (1 + 1e-12));
}

class MeetsTheOptimalityConditions : public ::testing::TestWithParam<double> {};

TEST_P(MeetsTheOptimalityConditions, OnRandomProblemsWithZerosWeightsAndCaps) {
  Random random(seed);
  for (int i = 0; i < random_cases(2000); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of seed {}", i, seed));
    const Instance instance = random_instance(random, 8, 4, 1.5);
    const PricedAmounts priced = solve_dual(instance.with(GetParam()), {1e-12, 1e-9});
    ASSERT_TRUE(priced.report.converged()) << priced.report.error;
    ASSERT_NO_FATAL_FAILURE(expect_optimal(instance, GetParam(), priced, 1e-7));
  }
}

TEST_P(MeetsTheOptimalityConditions, OnSixteenResourcesWithDemandsOverNineOrders) {
  Random random(seed);
  for (int i = 0; i < random_cases(200); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of seed {}", i, seed));
    const Instance instance = random_instance(random, 40, 16, 9);
    const PricedAmounts priced = solve_dual(instance.with(GetParam()), {1e-12, 1e-9});
    ASSERT_TRUE(priced.report.converged()) << priced.report.error;
    ASSERT_NO_FATAL_FAILURE(expect_optimal(instance, GetParam(), priced, 1e-6));
  }
}

INSTANTIATE_TEST_SUITE_P(DualNewton, MeetsTheOptimalityConditions, ::testing::Values(0.5, 1, 2, 5, 20, 1000),
                         [](const auto& alpha) {
                           return fmt::format("Alpha{}", static_cast<int>(10 * alpha.param));
                         });

TEST(DualNewton, CollinearResourcesDoNoHarm) {
  const Instance instance{.demand = ArrayXXd{{1, 2, 3}, {2, 4, 6}, {1, 2, 3}},
                          .capacity = ArrayXd{{4, 8, 12}},
                          .coefficient = ArrayXd::Ones(3),
                          .cap = {}};
  const PricedAmounts priced = solve_dual(instance.with(1), {1e-12, 1e-9});
  EXPECT_TRUE(priced.report.converged());
  EXPECT_NEAR(priced.amount[0], 4.0 / 3, 1e-9);
  EXPECT_NEAR(priced.amount[1], 2.0 / 3, 1e-9);
}

TEST(DualNewton, CapsThatAllFitCostNothing) {
  const Instance instance{.demand = ArrayXXd{{1, 2}, {2, 1}},
                          .capacity = ArrayXd{{10, 10}},
                          .coefficient = ArrayXd::Ones(2),
                          .cap = ArrayXd{{1, 2}}};
  const PricedAmounts priced = solve_dual(instance.with(2), {1e-12, 1e-9});
  EXPECT_EQ(priced.report.error, 0);
  EXPECT_TRUE((priced.amount == instance.cap).all());
  EXPECT_TRUE((priced.log_price == -endless).all());
}

TEST(DualNewton, OneRowMayOutweighAllOthers) {
  Random random(seed);
  Instance instance = random_instance(random, 1, 3, 1);
  instance.demand =
      ArrayXXd::Constant(50, 3, 1) + ArrayXXd::NullaryExpr(50, 3, [&] { return random.unit(); });
  instance.capacity = ArrayXd{{1, 2, 3}};
  instance.coefficient = ArrayXd::Ones(50);
  instance.coefficient[7] = 1e6;
  instance.cap = ArrayXd::Constant(50, endless);
  const PricedAmounts priced = solve_dual(instance.with(1), {1e-12, 1e-9});
  ASSERT_TRUE(priced.report.converged());
  ASSERT_NO_FATAL_FAILURE(expect_optimal(instance, 1, priced, 1e-8));
}

TEST(DualNewton, ALargeProblemNeedsFewLooksAtAllOfItsRows) {
  Random random(seed);
  const ArrayXXd demand = ArrayXXd::NullaryExpr(100'000, 4, [&] { return 0.1 + 4.9 * random.unit(); });
  const ArrayXd capacity = ArrayXd::Constant(4, 1e6), none;
  const PricedAmounts priced = solve_dual({demand, capacity, none, none, 1}, {1e-9, 1e-9});
  EXPECT_TRUE(priced.report.converged());
  EXPECT_LE(priced.report.iterations, 5);
  EXPECT_NEAR((priced.log_price.exp() * capacity).sum(), 100'000, 1e-3);  // λ·C = Φ
}

// Whom a sample sees says little here: nearly all are at their caps, and the last three take what is left.
TEST(DualNewton, ManyCappedRowsAndAFewEndlessOnesConverge) {
  constexpr Index rows = 20'000;
  Random random(seed);
  Instance instance{.demand = ArrayXXd::NullaryExpr(rows, 3, [&] { return 0.1 + random.unit(); }),
                    .capacity = ArrayXd{{15'000, 16'000, 17'000}},
                    .coefficient = {},
                    .cap = ArrayXd::Ones(rows)};
  const ArrayXd weight = ArrayXd::NullaryExpr(rows, [&] { return 0.5 + random.unit(); });
  for (const Index first_endless : {rows - 3, rows - 20, Index{7000}}) {
    instance.cap.setOnes();
    instance.cap.segment(first_endless, 3) = endless;
    for (const ArrayXd& coefficient : {ArrayXd(ArrayXd::Ones(rows)), weight}) {
      instance.coefficient = coefficient;
      for (const double alpha : {0.5, 1.0, 2.0}) {
        SCOPED_TRACE(fmt::format("α = {}, endless from row {}", alpha, first_endless));
        const PricedAmounts priced = solve_dual(instance.with(alpha), {1e-12, 1e-9});
        ASSERT_TRUE(priced.report.converged()) << priced.report.error;
        ASSERT_NO_FATAL_FAILURE(expect_optimal(instance, alpha, priced, 1e-6));
      }
    }
  }
}

TEST(DualNewton, SaysSoWhenItDoesNotConverge) {
  Random random(seed);
  const Instance instance = random_instance(random, 8, 4, 1.5);
  EXPECT_FALSE(solve_dual(instance.with(1), {-1, -1}).report.converged());  // nothing is below zero
}

}  // namespace
}  // namespace mirab::numerics
