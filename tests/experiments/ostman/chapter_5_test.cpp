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

TEST(OstmanRuntime, OfDgdrfIsTheWorst) {  // figure 5.8
  const Reproduction result = quick("ostman-5.8");
  for (const std::string other : {"pdgdrf", "centralised-drf", "probes", "ddrf-random"})
    EXPECT_TRUE(first_with(result, "ticks of dgdrf over those of " + other).holds) << other;
}

TEST(OstmanRuntime, OfDgdrfAndPdgdrfGrowsWithTheNeighbours) {  // figure 5.9
  const Reproduction result = quick("ostman-5.9");
  EXPECT_TRUE(first_with(result, "ticks of dgdrf with").holds);
  EXPECT_TRUE(first_with(result, "ticks of pdgdrf with").holds);
}

TEST(OstmanPdgdrf, GainsOnTheCentralisedSchedulerWithMoreUsers) {  // figure 5.11
  const Reproduction result = quick("ostman-5.11");
  const Curve& ratio = result.figures.front().curves.front();
  ASSERT_EQ(ratio.x, (std::vector<double>{10, 40, 80}));
  EXPECT_GT(ratio.y.front(), ratio.y.back());
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
