// Prices of which the solver's certificate says too little are not used.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "numerics/pool/dual.hpp"
#include "scheduling/order/share_context.hpp"

namespace mirab::scheduling {
namespace {

numerics::PricedAmounts found(double gap, double log_price) {
  numerics::PricedAmounts found;
  found.log_price = Eigen::ArrayXd::Constant(2, 0.0);
  found.log_price[0] = log_price;
  found.report.error = gap;
  return found;
}

TEST(PoolPrices, AreThoseOfTheSolverAsFarAsTheyAreCertified) {
  EXPECT_THAT(usable_prices(found(1e-12, std::log(3))), testing::ElementsAre(testing::DoubleEq(3), 1));
  EXPECT_THAT(usable_prices(found(1e-3, std::log(3))), testing::ElementsAre(testing::DoubleEq(3), 1))
      << "not converged, but known to a thousandth";
}

TEST(PoolPrices, WithoutACertificateEveryResourceCostsTheSame) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  for (const double gap : {0.5, kInfinity, kNothing})
    EXPECT_THAT(usable_prices(found(gap, gap == 0.5 ? 700 : kNothing)), testing::ElementsAre(1, 1)) << gap;
}

}  // namespace
}  // namespace mirab::scheduling
