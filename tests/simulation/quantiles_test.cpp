#include <gtest/gtest.h>

#include "lab/simulation/replay.hpp"

namespace mirab::simulation {
namespace {

TEST(Quantiles, AreTheSmallestValuesWithAtLeastSuchAPartUpToThem) {
  std::vector<double> values;
  for (int value = 1000; value >= 1; --value) values.push_back(value);
  const Quantiles quantiles = quantiles_of(values);
  EXPECT_EQ(quantiles.count, 1000);
  EXPECT_EQ(quantiles.mean, 500.5);
  EXPECT_EQ(quantiles.p10, 100);
  EXPECT_EQ(quantiles.p50, 500);
  EXPECT_EQ(quantiles.p90, 900);
  EXPECT_EQ(quantiles.p99, 990);
  EXPECT_EQ(quantiles.most, 1000);
}

TEST(Quantiles, OfOneValueAreTheValue) {
  const Quantiles quantiles = quantiles_of({3});
  EXPECT_EQ(quantiles.p10, 3);
  EXPECT_EQ(quantiles.p99, 3);
  EXPECT_EQ(quantile({3, 4}, 0), 3);
}

TEST(Quantiles, TheDistributionHasAStepForEachValue) {
  EXPECT_EQ(quantiles_of({5, 1, 5, 2}).cdf, (std::vector<CdfStep>{{1, 0.25}, {2, 0.5}, {5, 1}}));
}

TEST(Quantiles, OfManyValuesTheStepsLieOnTheDistribution) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i < 500 ? 0 : i);  // one half is 0
  const std::vector<CdfStep> cdf = quantiles_of(values, 4).cdf;
  EXPECT_EQ(cdf, (std::vector<CdfStep>{{0, 0.5}, {749, 0.75}, {999, 1}}));
  EXPECT_EQ(quantiles_of(values).cdf.size(), 201U);  // 400 steps, of which half are one
}

TEST(Quantiles, OfNothingAreZero) { EXPECT_EQ(quantiles_of({}), Quantiles{}); }

}  // namespace
}  // namespace mirab::simulation
