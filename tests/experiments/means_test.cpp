// The one rule for "no less" and "more" where ours has an interval.
#include <gtest/gtest.h>

#include "lab/experiments/findings.hpp"

namespace mirab::experiments {
namespace {

// Intervals of two values a, b are wide: their mean ± 12.7 |a - b| / 2.
const std::vector<double> kAbove = {1, 1.01}, kBelow = {-1, -1.01}, kOver = {-1, 0.8};

TEST(Means, NotLessHoldsUnlessTheWholeIntervalIsBelow) {
  EXPECT_TRUE(not_less("x", kAbove).holds);
  EXPECT_TRUE(not_less("x", kOver).holds) << "its mean is below 0, and that may be chance";
  EXPECT_FALSE(not_less("x", kBelow).holds);
}

TEST(Means, MoreHoldsOnlyWhenTheWholeIntervalIsAbove) {
  EXPECT_TRUE(more("x", kAbove).holds);
  EXPECT_FALSE(more("x", std::vector<double>{1, -0.8}).holds)
      << "its mean is above 0, and that may be chance";
  EXPECT_FALSE(more("x", kBelow).holds);
  EXPECT_FALSE(more("x", std::vector<double>{0, 0}).holds) << "as much is not more";
}

TEST(Means, ANoisierRunNeitherContradictsNorHoldsMore) {
  EXPECT_FALSE(not_less("x", std::vector<double>{-1, -1.01}).holds);
  EXPECT_TRUE(not_less("x", std::vector<double>{-2, -0.01}).holds);
  EXPECT_FALSE(more("x", std::vector<double>{2, 0.01}).holds);
}

TEST(Means, WhatACertificateLeavesOpenIsNothing) {
  EXPECT_TRUE(not_less("x", std::vector<double>{-1e-7, -1e-7}).holds);
  EXPECT_FALSE(more("x", std::vector<double>{1e-7, 1e-7}).holds);
  EXPECT_FALSE(not_less("x", std::vector<double>{-1e-4, -1e-4}).holds);
}

TEST(Means, AreSumsOverNumbers) {
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(differences(std::vector<double>{3, 1}, std::vector<double>{1, 2}), (std::vector<double>{2, -1}));
}

TEST(Means, ThatNothingIsDecidedIsTold) {
  EXPECT_FALSE(not_less("x", kOver).note.empty());
  EXPECT_TRUE(not_less("x", kAbove).note.empty());
  EXPECT_TRUE(not_less("x", std::vector<double>{0, 0}).note.empty());
  EXPECT_FALSE(more("x", kOver).note.empty());
}

TEST(Means, APartBetweenHasItsMeanThereAndAnIntervalOfParts) {
  EXPECT_TRUE(part_between("x", std::vector<double>{0.95, 0.98}, 0.95, 0.97, 0.005).holds);
  EXPECT_FALSE(part_between("x", std::vector<double>{0.98, 0.99}, 0.95, 0.97, 0.005).holds);
  const Finding noisy = part_between("x", std::vector<double>{0.8, 1}, 0.95, 0.97, 0.005);
  EXPECT_FALSE(noisy.holds) << "a wide interval is no evidence";
  EXPECT_EQ(noisy.interval->second, 1);
  EXPECT_EQ(noisy.interval->first, 0);
}

}  // namespace
}  // namespace mirab::experiments
