// The one rule for "no less" and "more" where ours has an interval.
#include <gtest/gtest.h>

#include "lab/experiments/findings.hpp"

namespace mirab::experiments {
namespace {

// Intervals of two values a, b are wide: their mean ± 12.7 |a - b| / 2.
const std::vector<double> kAbove = {1, 1.01}, kBelow = {-1, -1.01}, kOver = {-1, 0.8};

enum class Found { yes, no, open };

Found found(const Finding& finding) {
  EXPECT_FALSE(finding.holds && finding.undecided);
  return finding.holds ? Found::yes : finding.undecided ? Found::open : Found::no;
}

TEST(Means, NotLessHoldsOnlyWhereItIsShownAndFailsOnlyWhereItIsShownTheOtherWay) {
  EXPECT_EQ(found(not_less("x", kAbove)), Found::yes);
  EXPECT_EQ(found(not_less("x", std::vector<double>{0, 0})), Found::yes) << "as much is no less";
  EXPECT_EQ(found(not_less("x", kOver)), Found::open) << "its mean is below 0, and that may be chance";
  EXPECT_EQ(found(not_less("x", kBelow)), Found::no);
}

TEST(Means, MoreHoldsOnlyWhereItIsShownAndFailsOnlyWhereItIsShownTheOtherWay) {
  EXPECT_EQ(found(more("x", kAbove)), Found::yes);
  EXPECT_EQ(found(more("x", std::vector<double>{1, -0.8})), Found::open)
      << "its mean is above 0, and that may be chance";
  EXPECT_EQ(found(more("x", kBelow)), Found::no);
  EXPECT_EQ(found(more("x", std::vector<double>{0, 0})), Found::no) << "as much is not more";
}

TEST(Means, ANoisierRunNeitherContradictsNorConfirms) {
  EXPECT_EQ(found(not_less("x", std::vector<double>{-1, -1.01})), Found::no);
  EXPECT_EQ(found(not_less("x", std::vector<double>{-2, -0.01})), Found::open);
  EXPECT_EQ(found(more("x", std::vector<double>{2, 0.01})), Found::open);
}

TEST(Means, ABoundIsDecidedByTheWholeIntervalOnEitherSide) {
  const auto decided = [](double low, double high, Side side) {
    Finding finding{.what = "x", .ours = (low + high) / 2, .interval = {{low, high}}};
    decide(finding, side, 0.95);
    EXPECT_EQ(finding.note.empty(), !finding.undecided);
    return found(finding);
  };
  EXPECT_EQ(decided(0.95, 0.98, Side::at_least), Found::yes);
  EXPECT_EQ(decided(0.95, 0.98, Side::above), Found::open);
  EXPECT_EQ(decided(0.9, 0.94, Side::at_least), Found::no);
  EXPECT_EQ(decided(0.9, 0.95, Side::at_most), Found::yes);
  EXPECT_EQ(decided(0.9, 0.95, Side::below), Found::open);
  EXPECT_EQ(decided(0.96, 0.97, Side::at_most), Found::no);
}

TEST(Means, NearIsDecidedByTheWholeInterval) {
  const auto decided = [](double low, double high) {
    Finding finding{.what = "x", .ours = (low + high) / 2, .interval = {{low, high}}};
    decide_near(finding, 1, 0.1);
    EXPECT_EQ(finding.note.empty(), !finding.undecided);
    return found(finding);
  };
  EXPECT_EQ(decided(0.95, 1.05), Found::yes);
  EXPECT_EQ(decided(0.85, 1.05), Found::open) << "the mean alone is near";
  EXPECT_EQ(decided(0.8, 1.2), Found::open);
  EXPECT_EQ(decided(1.05, 1.3), Found::open) << "the mean alone is not near";
  EXPECT_EQ(decided(1.2, 1.3), Found::no);
  EXPECT_EQ(decided(0.7, 0.8), Found::no);
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

}  // namespace
}  // namespace mirab::experiments
