// Chapter 5 of Östman's thesis in quick runs: the sentences that hold on small clusters too.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "experiments/expect.hpp"

namespace mirab::experiments {
namespace {

const Finding& first_with(const Reproduction& result, const std::string& beginning) {
  const auto found = std::ranges::find_if(
      result.findings, [&](const Finding& finding) { return finding.what.starts_with(beginning); });
  if (found != result.findings.end()) return *found;
  ADD_FAILURE() << result.id << " has no finding '" << beginning << "…'";
  return result.findings.front();
}

TEST(OstmanErrors, AreFollowedOverTheRunForThreeSchedulersAndTwoTolerances) {  // figure 5.6
  const Reproduction result = quick("ostman-fig-5.6");
  EXPECT_EQ(result.findings.size(), 5U);
  ASSERT_EQ(result.figures.front().curves.size(), 6U);
  for (std::size_t scheduler = 0; scheduler < 3; ++scheduler) {
    const Curve& exact = result.figures.front().curves[2 * scheduler];
    const Curve& within = result.figures.front().curves[2 * scheduler + 1];
    ASSERT_EQ(exact.y.size(), 50U);
    for (std::size_t moment = 0; moment < 50; ++moment) EXPECT_GE(exact.y[moment], within.y[moment]);
  }
}

TEST(OstmanErrors, AreFewerTheMoreCountsAsRight) {  // figure 5.7
  const Reproduction result = quick("ostman-fig-5.7");
  for (const Curve& curve : result.figures.front().curves)
    EXPECT_TRUE(std::ranges::is_sorted(curve.y, std::greater<>())) << curve.name;
}

void expect_dgdrf_worst(const Reproduction& result) {
  for (const std::string other : {"pdgdrf", "centralised-drf", "probes", "ddrf-random"})
    EXPECT_TRUE(first_with(result, "ticks of dgdrf over those of " + other).holds) << other;
}

TEST(OstmanRuntime, OfDgdrfIsTheWorstAndGrowsWithTheNeighbours) {  // figure 5.8
  const Reproduction result = quick("ostman-5.8");
  expect_dgdrf_worst(result);
  EXPECT_TRUE(first_with(result, "ticks of dgdrf with").holds);
}

TEST(OstmanRuntime, OfDgdrfIsTheWorstOnTwiceAsManyMachines) {  // figure 5.9
  expect_dgdrf_worst(quick("ostman-5.9"));
}

TEST(OstmanPdgdrf, IsNearlyAsFairAsTheCentralisedSchedulerWithAnyNumberOfUsers) {  // figures 5.11 and A.1
  const Reproduction result = quick("ostman-5.11");
  const std::vector<Curve>& shares = result.figures[1].curves;
  ASSERT_EQ(shares.size(), 2U);
  ASSERT_EQ(shares[0].x, (std::vector<double>{10, 40, 80}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(shares[0].y[i], 0.8 * shares[1].y[i]);
}

TEST(OstmanPdgdrf, IsFasterTheMoreOftenTheGradientIsUpdated) {  // figure 5.12
  const Reproduction result = quick("ostman-5.12");
  const std::vector<Curve>& curves = result.figures.front().curves;
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_GT(curves[0].y.front(), curves[0].y.back());  // shuffles a tick
  EXPECT_TRUE(std::ranges::is_sorted(curves[1].y));    // ticks a shuffle
  EXPECT_LT(curves[2].y.front(), curves[2].y.back());
}

}  // namespace
}  // namespace mirab::experiments
