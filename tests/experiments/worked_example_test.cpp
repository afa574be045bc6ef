#include <gmock/gmock.h>

#include "lab/experiments/findings.hpp"

namespace mirab::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(WorkedExample, IsTheClusterThatWasWrittenDown) {
  const Problem problem = worked_example({"cpu", "memory"}, {{"s1", {9, 18}}, {"s2", {0.5, 0}}},
                                         {{"A", {1, 4}}, {"B", {3, 0.25}}});
  EXPECT_THAT(problem.pool(), ElementsAre(9.5, 18));
  EXPECT_EQ(problem.servers()[1].name, "s2");
  EXPECT_EQ(problem.demand(1, 0)[1].text(), "0.25");
}

TEST(WorkedExample, IsDividedByAMechanism) {
  const Problem problem =
      worked_example({"cpu", "memory"}, {{"pool", {9, 18}}}, {{"A", {1, 4}}, {"B", {3, 1}}});
  EXPECT_THAT(divided(problem, "drf").tasks, ElementsAre(DoubleNear(3, 1e-9), DoubleNear(2, 1e-9)));
}

TEST(WorkedExample, APrintedNumberHoldsWithinItsLastDecimal) {
  EXPECT_DOUBLE_EQ(rounding_of(1), 0.05);
  EXPECT_TRUE(compared("tasks", 2.5, 2.52, rounding_of(1)).holds);
  EXPECT_FALSE(compared("tasks", 2.5, 2.56, rounding_of(1)).holds);
  EXPECT_FALSE(compared("tasks", 48.8, 1500.0 / 31, rounding_of(1)).holds) << "a slip is not within rounding";
}

TEST(WorkedExample, WhatIsRequiredHasNoPrintedNumber) {
  const Finding finding = required("a loses tasks", 1, true);
  EXPECT_FALSE(finding.printed.has_value());
  EXPECT_TRUE(finding.holds);
}

TEST(WorkedExample, ACorrectionHoldsAtTheRightValueAlone) {
  const Finding right = corrected("x", 12, 15, 15.01, 0.1, "three of 5");
  EXPECT_TRUE(right.holds && right.corrected);
  EXPECT_EQ(right.printed, 12);
  EXPECT_FALSE(corrected("x", 12, 15, 12, 0.1, "three of 5").holds) << "ours as printed";
  EXPECT_FALSE(corrected("x", 12, 15, 99, 0.1, "three of 5").holds) << "whatever else";
}

}  // namespace
}  // namespace mirab::experiments
