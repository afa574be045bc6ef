// What the time series of Hamzeh's thesis, chapter 7, have in common.
#include <gtest/gtest.h>

#include "lab/experiments/hamzeh/thesis.hpp"

namespace mirab::experiments {
namespace {

TEST(HamzehSeries, TellInHowManyIterationsOneCourseIsAboveAnother) {
  const simulation::Course a = {1, 2, 3, 4}, b = {1, 1, 4, 3};
  EXPECT_EQ(part_above(a, b), 0.5);
  EXPECT_EQ(part_at_least(a, b), 0.75);
  EXPECT_EQ(least(b), 1);
  EXPECT_EQ(most(b), 4);
}

TEST(HamzehSeries, ACurveHasAtMostTwoHundredFiftyPointsThatAreMeans) {
  simulation::Course course;
  for (int t = 0; t < 1000; ++t) course.push_back(t);
  const Curve curve = curve_of("line", course);
  ASSERT_EQ(curve.x.size(), 250u);
  EXPECT_EQ(curve.x[1], 4);
  EXPECT_EQ(curve.y[1], 5.5);
  const Curve odd = curve_of("short tail", simulation::Course(601, 2.0));
  EXPECT_EQ(odd.x.size(), 201u);
  EXPECT_EQ(odd.y.back(), 2);
}

TEST(HamzehSeries, AUserSwitchesWhenTwoResourcesDominateIt) {
  simulation::DemandSeriesScenario scenario;
  scenario.servers = {server_of("pool", {100, 200})};
  simulation::DemandSeriesOutcome outcome;
  outcome.demands = {{{10, 30}, {50, 10}},   // RAM, then CPU
                     {{30, 30}, {10, 10}}};  // CPU twice
  EXPECT_EQ(switching_users(scenario, outcome), 1);
}

}  // namespace
}  // namespace mirab::experiments
