#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "numerics/pool/dual.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;

constexpr int kMost = 200'000;

// Bonald and Roberts, the example before Remark 3: ν = (1, 1).
TEST(PriceGradient, FindsThePricesOfTheExample) {
  ArrayXXd demand(2, 2);
  demand << 0.5, 1, 1, 0.5;
  const GradientPrices found = descend_to_prices(demand, ArrayXd::Ones(2), 0.3, {1e-10, 1e-10}, kMost);
  EXPECT_TRUE(found.report.converged());
  EXPECT_NEAR(found.price[0], 1, 1e-8);
  EXPECT_NEAR(found.price[1], 1, 1e-8);
}

TEST(PriceGradient, AgreesWithNewton) {
  constexpr std::uint64_t kSeed = 17;
  Random random(kSeed);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Index users = 1 + static_cast<Eigen::Index>(random.below(6));
    const Eigen::Index resources = 1 + static_cast<Eigen::Index>(random.below(3));
    const ArrayXXd demand =
        ArrayXXd::NullaryExpr(users, resources, [&](Eigen::Index) { return 0.05 + random.unit(); });
    const ArrayXd weight = ArrayXd::NullaryExpr(users, [&](Eigen::Index) { return 1 + random.unit(); });
    const ArrayXd capacity = ArrayXd::Ones(resources);
    const ArrayXd no_cap(0);
    const PricedAmounts newton = solve_dual({demand, capacity, weight, no_cap, 1.0}, {1e-12, 1e-9});
    const GradientPrices found = descend_to_prices(demand, weight, 0.02, {1e-8, 1e-8}, kMost);
    ASSERT_TRUE(newton.report.converged() && found.report.converged())
        << "trial " << trial << ", seed " << kSeed;
    const ArrayXd spent = (demand.matrix() * found.price.matrix()).array();
    EXPECT_LT(((weight / spent) - newton.amount).abs().maxCoeff(), 1e-4)
        << "trial " << trial << ", seed " << kSeed;
    EXPECT_NEAR(found.price.sum(), weight.sum(), 1e-5);  // equation 5
  }
}

TEST(PriceGradient, IsLostWhenTheStepsAreTooLong) {
  ArrayXXd demand(2, 2);
  demand << 1, 0.1, 0.1, 1;
  ArrayXd weight(2);
  weight << 3, 1;
  const GradientPrices found = descend_to_prices(demand, weight, 10, {1e-9, 1e-9}, 1000);
  EXPECT_FALSE(found.report.converged());
}

}  // namespace
}  // namespace mirab::numerics
