// The slides on DRF: what they print is found.
#include <gtest/gtest.h>

#include "experiments/expect.hpp"

namespace mirab::experiments {
namespace {

TEST(Slides, TheFiveStepsAreServedInThePrintedOrder) {  // table 1
  const Reproduction result = quick("slides-table1");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  std::string order;
  for (const auto& row : result.tables.front().rows) order += row[1];
  EXPECT_EQ(order, "BAABA");
  EXPECT_NEAR(finding_of(result, "step 5: RAM allocated").ours, 14.0 / 18, 1e-12);
}

TEST(Slides, ThreeMechanismsGiveThePrintedTasksAndEvenOutWhatTheyShould) {
  const Reproduction result = quick("slides-comparison");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  EXPECT_NEAR(finding_of(result, "<9, 18>: tasks of A under CEEI").ours, 45.0 / 11, 1e-6);
  EXPECT_EQ(result.tables.front().rows[2][1], "250.00") << "CEEI on <1000, 1000>";
}

TEST(Slides, EveryCellOfTheTableOfPropertiesIsFoundAsPrinted) {
  const Reproduction result = quick("slides-properties");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  EXPECT_EQ(result.tables.front().rows.size(), 8u);
  EXPECT_EQ(finding_of(result, "asset: share guarantee").ours, 0);
  EXPECT_EQ(finding_of(result, "drf: strategy-proofness").ours, 1);
}

TEST(Slides, TwoServersHoldLessOfAThanDrfOnOnePoolPromises) {
  const Reproduction result = quick("slides-two-servers");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the servers are stand-ins";
  expect_all_hold(result);
  EXPECT_EQ(finding_of(result, "two servers, first-fit: A loses tasks that DRF promised").ours, 1);
}

}  // namespace
}  // namespace mirab::experiments
