// Östman's thesis: what chapter 3 works out by hand is found.
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "experiments/expect.hpp"

namespace mirab::experiments {
namespace {

TEST(Ostman, ProbesGiveOneUserTenTimesTheShareOfAnother) {  // table 3.1
  const Reproduction result = quick("ostman-table-3.1");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  std::string served;
  for (const std::size_t step : {2, 4, 6, 7}) served += result.tables.front().rows[step][1].back();
  EXPECT_EQ(served, "2121");
}

TEST(Ostman, DdrfInARingIsUnfairToThePoorest) {  // figure 3.1
  const Reproduction result = quick("ostman-fig-3.1");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the links are stand-ins";
  expect_all_hold(result);
}

TEST(Ostman, DdrfInIncreasingOrderIsFair) {  // figure 3.2
  const Reproduction result = quick("ostman-fig-3.2");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the links are stand-ins";
  expect_all_hold(result);
  EXPECT_EQ(result.figures.front().curves.size(), 4u);
}

// Beyond the thesis: on few small clusters; what they show takes the full runs.
TEST(OstmanBeyond, LevelTakesLessThanHalfTheTicksOfDgdrfAndFewerThanPdgdrf) {
  const Reproduction result = quick("ostman-beyond-level");
  const auto ticks = [&](std::size_t row) { return std::stod(result.tables.front().rows.at(row).at(1)); };
  EXPECT_LT(ticks(4), ticks(1) / 2) << "dgdrf";
  EXPECT_LT(ticks(4), ticks(2)) << "pdgdrf";
}

TEST(OstmanBeyond, EveryWayToFindAServerIsMeasured) {
  const Reproduction result = quick("ostman-beyond-fit");
  EXPECT_EQ(result.tables.front().rows.size(), 5u);
  for (const Finding& finding : result.findings) EXPECT_FALSE(std::isnan(finding.ours)) << finding.what;
}

TEST(OstmanBeyond, MoreIsPlacedDuringAPauseWhenItDoesNotBlock) {
  const Reproduction result = quick("ostman-beyond-pause");
  for (const std::size_t scheduler : {0, 1, 2}) EXPECT_GT(result.findings.at(scheduler).ours, 0);
}

TEST(OstmanBeyond, TasksThatEndAreServedByEveryRule) {
  const Reproduction result = quick("ostman-beyond-ending");
  for (const std::vector<std::string>& row : result.tables.front().rows) EXPECT_GT(std::stod(row.at(2)), 0);
}

TEST(OstmanBeyond, ChurnLosesAndDoublesNoAllocation) {
  const Reproduction result = quick("ostman-beyond-churn");
  EXPECT_EQ(result.findings.front().ours, 0);
  EXPECT_TRUE(result.findings.front().holds);
}

}  // namespace
}  // namespace mirab::experiments
