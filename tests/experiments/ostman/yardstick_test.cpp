#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "lab/experiments/ostman/runs.hpp"

namespace mirab::experiments {
namespace {

SeedRuns centralised(std::size_t machines, std::size_t users) {
  const std::array settings = {
      OverlaySetting{.machines = machines, .users = users, .scheduler = overlay::Scheduler::centralised_drf}};
  return overlay_runs(settings, 2, {.seed = 1}).front();
}

// On one machine there is no server to choose: serial DRF is the centralised scheduler.
TEST(Yardstick, IsTheCentralisedLeastShareWhereThereIsOneServer) {
  const Yardstick yardstick = yardstick_of(1, 3, centralised(1, 3), 1);
  EXPECT_EQ(yardstick.means.size(), 2U);
  for (const double draw : yardstick.draws) EXPECT_DOUBLE_EQ(draw, 1);
}

TEST(Yardstick, DiffersByTheServersThatAreDrawn) {
  const Yardstick yardstick = yardstick_of(8, 4, centralised(8, 4), 1);
  EXPECT_NE(std::ranges::min(yardstick.draws), std::ranges::max(yardstick.draws));
}

TEST(Yardstick, TellsHowManyDrawsAreBelowWhatIsNearlyAsGood) {
  const Yardstick yardstick{.means = {0.9, 1}, .draws = {0.8, 1, 1, 1}};
  EXPECT_NE(in_words(yardstick, 0.95).find("between 0.80 and 1.00, 1 of 4 below 0.95"), std::string::npos);
}

TEST(Yardstick, RatiosAreHeldAgainstThatOfTheirSeed) {
  const Yardstick yardstick{.means = {0.9, 1}, .draws = {}};
  EXPECT_EQ(over_yardstick({0.45, 1.5}, yardstick), (std::vector<double>{0.5, 1.5}));
}

}  // namespace
}  // namespace mirab::experiments
