#include <gmock/gmock.h>

#include "experiments/expect.hpp"
#include "lab/experiments/findings.hpp"

namespace mirab::experiments {
namespace {

using ::testing::HasSubstr;

constexpr SearchBudget kLookout{.clusters = 50, .attempts = 500};

Reproduction held(const PrintedProperties& printed) {
  Reproduction result;
  check_properties(printed, kLookout, {}, result);
  return result;
}

TEST(PrintedProperties, WhatIsFoundOtherwiseDoesNotHold) {
  const Reproduction result =
      held({.mechanisms = {"drf", "asset"},
            .rows = {{Property::sharing_incentive, "sharing incentive", {false, true}}},
            .conditions = {.no_caps = true}});
  EXPECT_FALSE(finding_of(result, "drf: sharing incentive").holds) << "no counterexample, and one is claimed";
  EXPECT_FALSE(finding_of(result, "asset: sharing incentive").holds)
      << "a counterexample, and none is claimed";
  EXPECT_EQ(verdict_of(result.findings), Verdict::differs);
}

TEST(PrintedProperties, ARefutedClaimIsCorrectedByItsCounterexample) {
  const Reproduction result =
      held({.mechanisms = {"drf", "asset"},
            .rows = {{Property::sharing_incentive, "sharing incentive", {true, true}, {false, true}}},
            .conditions = {.no_caps = true}});
  const Finding& refuted = finding_of(result, "asset: sharing incentive");
  EXPECT_TRUE(refuted.holds && refuted.corrected);
  EXPECT_THAT(refuted.note, HasSubstr("asset gives it"));
  EXPECT_FALSE(finding_of(result, "drf: sharing incentive").corrected);
  EXPECT_EQ(verdict_of(result.findings), Verdict::shape_agrees);
}

TEST(PrintedProperties, ARefutationThatIsNotFoundDoesNotHold) {
  const Reproduction result =
      held({.mechanisms = {"drf"},
            .rows = {{Property::sharing_incentive, "sharing incentive", {true}, {true}}},
            .conditions = {.no_caps = true}});
  EXPECT_FALSE(finding_of(result, "drf: sharing incentive").holds);
}

// Paper 001, table 1, and mathematics of TSF: (0.6, 0.8) tasks where half of the server holds 1 of user 2.
TEST(PsDsfTable, IsFoundAsDescribedAndRefutesTheSharingIncentiveOfTsf) {
  const Reproduction result = quick("psdsf-table1");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees);
  expect_all_hold(result);
  EXPECT_TRUE(finding_of(result, "tsf: sharing incentive").corrected);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under TSF on (2, 2) and (2, 6), below 1").ours, 0.8, 1e-6);
}

TEST(PsDsfTable, IsTheSameWithAnyNumberOfThreads) {
  const Reproduction one = quick("psdsf-table1", 3, 1), two = quick("psdsf-table1", 3, 2);
  ASSERT_EQ(one.tables.size(), two.tables.size());
  for (std::size_t t = 0; t < one.tables.size(); ++t) EXPECT_EQ(one.tables[t].rows, two.tables[t].rows);
}

}  // namespace
}  // namespace mirab::experiments
