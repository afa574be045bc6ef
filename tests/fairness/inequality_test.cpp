// The Gini coefficient against its definition.
#include "fairness/inequality.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include <mirab/model/random.hpp>

namespace mirab::fairness {
namespace {

TEST(Gini, IsTheMeanDifferenceOverTwiceTheMean) {
  Random random(1);
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<double> x(1 + random.below(20));
    double sum = 0, differences = 0;
    for (double& each : x) sum += each = random.unit();
    for (const double a : x) {
      for (const double b : x) differences += std::abs(a - b);
    }
    const double expected = differences / (2 * static_cast<double>(x.size()) * sum);
    const double found = gini(x);
    ASSERT_NEAR(found, expected, 1e-12) << "draw " << draw;
    std::reverse(x.begin(), x.end());
    ASSERT_EQ(gini(x), found) << "the order of the values does not count";
  }
}

TEST(Gini, OfNothingIsNone) {
  EXPECT_EQ(gini({}), 0);
  EXPECT_EQ(gini(std::vector<double>{0, 0}), 0);
  EXPECT_EQ(gini(std::vector<double>{2, 2, 2}), 0);
  EXPECT_EQ(gini(std::vector<double>{0, 0, 0, 7}), 0.75);
}

TEST(Gini, OfEqualValuesIsZeroToTheLastBit) {
  EXPECT_EQ(gini(std::vector<double>(5, 0.7293986941677643)), 0);
  Random random(2);
  for (int draw = 0; draw < 2'000; ++draw) {
    const std::vector<double> equal(1 + random.below(40), random.unit());
    ASSERT_EQ(gini(equal), 0) << "draw " << draw;
  }
}

TEST(Gini, IsNeverNegative) {
  Random random(3);
  for (int draw = 0; draw < 20'000; ++draw) {
    std::vector<double> x(2 + random.below(40), random.unit() + 0.01);
    const std::size_t larger = random.below(x.size());
    x[larger] = std::nextafter(x[larger], 2.0);
    ASSERT_GE(gini(x), 0) << "draw " << draw;
  }
}

}  // namespace
}  // namespace mirab::fairness
