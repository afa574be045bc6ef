// The worked tables of Hamzeh, Fairness for Resource Allocation in Cloud Computing.
#include <gtest/gtest.h>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/hamzeh/thesis.hpp"

namespace mirab::experiments {
namespace {

Problem two_users() {
  return worked_example({"cpu", "ram"}, {{"pool", {9, 18}}}, {{"A", {1, 4}}, {"B", {3, 1}}});
}

TEST(HamzehTables, HoldPrintedBundlesWithinTheirTolerance) {
  Reproduction result;
  check_bundles(two_users(), {.mechanism = "ffmra", .bundles = {{2, 14}, {7, 4.2}}},
                bundles_of(two_users(), "ffmra"), 0.1, result);
  ASSERT_EQ(result.findings.size(), 4u);
  EXPECT_TRUE(result.findings[0].holds);
  EXPECT_FALSE(result.findings[3].holds);
  EXPECT_NEAR(result.findings[3].ours, 4, 1e-9);
}

TEST(HamzehTables, ASlipIsCorrectedWithItsReason) {
  Reproduction result;
  check_bundles(two_users(),
                {.mechanism = "drf", .bundles = {{3, 12}, {6, 9}}, .slips = {{1, 1, 2, "2, not 9"}}},
                bundles_of(two_users(), "drf"), 0.1, result);
  EXPECT_TRUE(result.findings[3].holds);
  EXPECT_TRUE(result.findings[3].corrected);
  EXPECT_EQ(result.findings[3].note, "2, not 9");
  EXPECT_FALSE(result.findings[2].corrected);
}

TEST(HamzehTables, ASlipDoesNotHoldWhenOursIsNotTheRightAmountEither) {
  Reproduction result;
  check_bundles(two_users(),
                {.mechanism = "drf", .bundles = {{3, 12}, {6, 9}}, .slips = {{1, 1, 3, "3, not 9"}}},
                bundles_of(two_users(), "drf"), 0.1, result);
  EXPECT_FALSE(result.findings[3].holds);
  EXPECT_EQ(verdict_of(result.findings), Verdict::differs);
}

TEST(HamzehTables, BundlesRunTheTasksOfTheirScarcestResource) {
  constexpr std::string_view kBoth[] = {"mlf-drs", "drf"};
  const Table table = what_runs(two_users(), kBoth);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][1], "1.636, 1.800");
  EXPECT_EQ(table.rows[1][1], "3.000, 2.000");
}

TEST(HamzehTables, AFillingGivesWholeTasks) {
  const auto bundles = bundles_of_filling(worked_example(
      {"cpu", "ram"}, {{"pool", {18, 36}}}, {{"A", {3, 1}}, {"B", {5, 3}}, {"C", {1, 5}}, {"D", {2, 7}}}));
  EXPECT_EQ(bundles[2], (std::vector<double>{3, 15}));  // table 4.3 prints (3, 12)
}

}  // namespace
}  // namespace mirab::experiments
