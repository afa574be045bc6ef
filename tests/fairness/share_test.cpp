// Dominant and asset shares in every kind of number: the same formula, so the same value.
#include "fairness/share.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include <mirab/model/random.hpp>

namespace mirab::fairness {
namespace {

using Units = std::vector<std::int64_t>;

// The slides' table 1: C = (9, 18), tasks (1, 4) and (3, 1).
TEST(DominantShare, IsTheLargestPartOfThePool) {
  const Units pool{9, 18};
  EXPECT_EQ(dominant_share<mpq_class>(Units{1, 4}, pool), mpq_class(2, 9));
  EXPECT_EQ(dominant_share<mpq_class>(Units{3, 1}, pool), mpq_class(1, 3));
  EXPECT_EQ(dominant_share<double>(Units{1, 4}, pool), 4.0 / 18);
  EXPECT_EQ(asset_share<mpq_class>(Units{1, 4}, pool), mpq_class(1, 3));
}

TEST(DominantShare, APartOfNothingDoesNotCount) {
  const Units pool{0, 3};
  const Part part = dominant_share<Part>(Units{5, 1}, pool);
  EXPECT_EQ(part.numerator, 1);
  EXPECT_EQ(part.denominator, 3);
  EXPECT_EQ(dominant_share<double>(Units{5, 1}, pool), 1.0 / 3);
  EXPECT_EQ(asset_share<double>(Units{5, 1}, pool), 1.0 / 3);
}

TEST(DominantShare, IsTheSameInEveryNumber) {
  Random random(5);
  const ShareScale scale =
      *ShareScale::from(std::vector{*Quantity::parse("0.5"), Quantity(3), Quantity(0)}, 3);
  for (int draw = 0; draw < 2'000; ++draw) {
    Units used, pool;
    for (int r = 0; r < 3; ++r) {
      pool.push_back(static_cast<std::int64_t>(random.below(50)));
      used.push_back(static_cast<std::int64_t>(random.below(60)));
    }
    const mpq_class exact = dominant_share<mpq_class>(used, pool, scale);  // in tenths
    ASSERT_EQ(mpq_class(dominant_share<Part>(used, pool, scale)), exact) << draw;
    ASSERT_NEAR(10 * dominant_share<double>(used, pool, scale), exact.get_d(), 1e-12 * exact.get_d()) << draw;
  }
}

TEST(DominantResource, IsTheFirstOfEqualsAmongThoseThatThereAre) {
  const Units pool{9, 18};
  EXPECT_EQ(dominant_resource<Wide>(Units{1, 4}, pool), 1U);
  EXPECT_EQ(dominant_resource<Wide>(Units{3, 1}, pool), 0U);
  EXPECT_EQ(dominant_resource<Wide>(Units{1, 2}, pool), 0U) << "the first of equals";
  EXPECT_EQ(dominant_resource<Wide>(Units{5, 1}, Units{0, 3}), 1U) << "of which there is some";
}

// In doubles 0.3 of 3 is less than 0.1 of 1.
TEST(DominantResource, EqualPartsAreEqualInFractionsAndWithAMargin) {
  const ResourceVector demand{*Quantity::parse("0.3"), *Quantity::parse("0.1")};
  EXPECT_EQ(dominant_resource<mpq_class>(demand, ExactVector{3, 1}), 0U);
  EXPECT_EQ(dominant_resource<double>(demand, std::vector{3.0, 1.0}), 1U);
  EXPECT_EQ(dominant_resource<double>(demand, std::vector{3.0, 1.0}, 1e-12), 0U);
}

TEST(DominantResource, SeveralMayDominate) {
  const ExactVector pool{9, 18, 1};
  EXPECT_TRUE(is_dominant(0, {1, 2, 0}, pool));
  EXPECT_TRUE(is_dominant(1, {1, 2, 0}, pool));
  EXPECT_FALSE(is_dominant(2, {1, 2, 0}, pool));
  EXPECT_FALSE(is_dominant(0, {0, 0, 0}, pool)) << "of nothing";
}

// The Gini coefficient against its definition.
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
