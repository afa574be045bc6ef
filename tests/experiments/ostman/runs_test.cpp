// Runs of the thesis' schedulers, and the sentences that are held to ratios of them.
#include "lab/experiments/ostman/runs.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace mirab::experiments {
namespace {

SeedRuns with_ticks(const std::vector<double>& ticks) {
  SeedRuns runs(ticks.size());
  for (std::size_t seed = 0; seed < ticks.size(); ++seed) runs[seed].ticks = ticks[seed];
  return runs;
}

TEST(OverlayRuns, RatiosAreTakenSeedBySeed) {
  EXPECT_EQ(ratios(with_ticks({10, 30}), with_ticks({5, 60}), ticks_of), (std::vector<double>{2, 0.5}));
}

TEST(OverlayRuns, WrongPartIsOfThePlacements) {
  simulation::OverlayRun run;
  EXPECT_EQ(wrong_part(run), 0);
  run.placements = 4;
  run.wrong = {1};
  EXPECT_EQ(wrong_part(run), 0.25);
}

TEST(OverlayRuns, OneSeedHasNoInterval) {
  const simulation::Interval one = over_seeds(std::array{3.0});
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  EXPECT_LT(over_seeds(std::array{2.0, 4.0}).low, 3);
}

TEST(OverlayRuns, ARatioIsAboveOneOnlyWithItsWholeInterval) {
  EXPECT_TRUE(above_one("", std::array{1.2, 1.21, 1.22}).holds);
  EXPECT_FALSE(below_one("", std::array{1.2, 1.21, 1.22}).holds);
  EXPECT_TRUE(below_one("", std::array{0.8, 0.81, 0.82}).holds);
  const Finding wide = above_one("", std::array{0.9, 1.5, 2.5});
  EXPECT_FALSE(wide.holds);
  EXPECT_TRUE(wide.undecided);
  EXPECT_EQ(wide.note, "1 is in the interval: neither side is shown");
  EXPECT_FALSE(below_one("", std::array{1.2, 1.21, 1.22}).undecided) << "shown the other way";
}

TEST(OverlayRuns, ARatioAndItsInverseAreToldAlike) {
  const simulation::Interval ratio = ratio_over_seeds(std::array{0.5, 1.0, 4.0});
  const simulation::Interval inverse = ratio_over_seeds(std::array{2.0, 1.0, 0.25});
  EXPECT_DOUBLE_EQ(ratio.mean, std::cbrt(2.0));
  EXPECT_DOUBLE_EQ(ratio.mean * inverse.mean, 1);
  EXPECT_DOUBLE_EQ(ratio.low * inverse.high, 1);
  EXPECT_DOUBLE_EQ(ratio_over_seeds(std::array{-2.0}).mean, -2);
}

TEST(OverlayRuns, APrintedRatioIsHeldToItsTolerance) {
  EXPECT_TRUE(about("", 1, std::array{1.1, 1.1001}, 0.2).holds);
  EXPECT_TRUE(about("", 1, std::array{1.1, 1.2}, 0.2).undecided) << "the mean alone is near enough";
  const Finding far = about("", 1, std::array{1.3, 1.4}, 0.2);
  EXPECT_FALSE(far.holds);
  EXPECT_TRUE(far.undecided) << "from 0.8 to 2.2";
  const Finding shown = about("", 1, std::array{1.3, 1.3001}, 0.2);
  EXPECT_FALSE(shown.holds || shown.undecided);
  EXPECT_FALSE(shown.note.empty());
}

TEST(OverlayRuns, SettingsOfOneClusterShareItAndThreadsChangeNothing) {
  const std::array<OverlaySetting, 2> settings{
      {{.machines = 6, .users = 2, .scheduler = overlay::Scheduler::centralised_drf},
       {.machines = 6, .users = 2, .scheduler = overlay::Scheduler::pdgdrf}}};
  const std::vector<SeedRuns> one = overlay_runs(settings, 2, {.seed = 4, .threads = 1});
  const std::vector<SeedRuns> two = overlay_runs(settings, 2, {.seed = 4, .threads = 2});
  ASSERT_EQ(one.size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(one[s].size(), 2U);
    EXPECT_GT(one[s].front().placements, 0);
    EXPECT_EQ(measured(one[s], ticks_of), measured(two[s], ticks_of));
  }
}

TEST(OverlayRuns, WhatIsSharedIsRunOnceAndChangesNothing) {
  const std::array<OverlaySetting, 1> settings{
      {{.machines = 6, .users = 2, .scheduler = overlay::Scheduler::pdgdrf}}};
  int parts = 0;
  const RunOptions options{.seed = 4, .progress = [&](double) { ++parts; }, .shared = no_runs_yet()};
  const std::vector<SeedRuns> two = overlay_runs(settings, 2, options);
  EXPECT_GT(parts, 0);
  parts = 0;
  EXPECT_EQ(measured(overlay_runs(settings, 2, options)[0], ticks_of), measured(two[0], ticks_of));
  EXPECT_EQ(parts, 0) << "nothing is run again";
  const std::vector<SeedRuns> three = overlay_runs(settings, 3, options);
  EXPECT_EQ(measured(overlay_runs(settings, 3, {.seed = 4})[0], ticks_of), measured(three[0], ticks_of));
}

}  // namespace
}  // namespace mirab::experiments
