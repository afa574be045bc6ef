#include "lab/simulation/traffic/exact_traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// Section 3.3: on one resource, a locally fair rule makes the pool a processor sharing queue.
TEST(ExactTraffic, IsOneMinusTheLoadOnOneResourceUnderLocallyFairRules) {
  const auto scenario = fluid_scenario({{.name = "small", .demand = {0.2}, .arrivals = 0.7},
                                        {.name = "large", .demand = {1}, .arrivals = 0.3}},
                                       {"drf", "pf", "asset"}, {0.1, 0.5, 0.9});
  const auto points = exact_traffic(scenario, 1);
  ASSERT_TRUE(points) << describe(points.error());
  ASSERT_EQ(points->size(), 9U);
  for (const ExactPoint& point : *points) {
    for (const double rate : point.service_rate)
      EXPECT_NEAR(rate, 1 - point.load, 1e-6) << point.mechanism << " at " << point.load;
    EXPECT_LT(point.residual, 1e-11);
    EXPECT_LT(point.boundary, 2e-9);
    EXPECT_LT(point.change, 1e-6);
  }
}

TEST(ExactTraffic, IsAnErrorWhereADivisionHasNotConverged) {
  const auto points = exact_traffic(
      fluid_scenario(two_classes(0.1, 0.5, 0.5), {"pf", "alpha-fair:alpha=0.00001"}, {0.05}), 1);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().key, "mechanisms[1]");
  EXPECT_EQ(points.error().message,
            "the chain of alpha-fair:alpha=0.00001 at a load of 0.05 has not converged");
}

// Section 2.3: max-min is not locally fair; a task is a task, so small ones are served faster.
TEST(ExactTraffic, IsNotOneMinusTheLoadOnOneResourceUnderMaxMin) {
  const auto scenario = fluid_scenario({{.name = "small", .demand = {0.2}, .arrivals = 0.5},
                                        {.name = "large", .demand = {1}, .arrivals = 0.5}},
                                       {"max-min"}, {0.5});
  const auto points = exact_traffic(scenario, 1);
  ASSERT_TRUE(points);
  EXPECT_LT(points->front().service_rate[0], 0.49);
  EXPECT_GT(points->front().service_rate[1], 0.51);
}

TEST(ExactTraffic, IsTwoQueuesWhereNothingIsShared) {
  auto classes = two_classes(0, 0, 0.5);
  classes[0].arrivals = 0.6;
  classes[1].arrivals = 0.3;
  const auto points = exact_traffic(fluid_scenario(classes, {"pf", "drf"}, {0.8}), 2);
  ASSERT_TRUE(points);
  for (const ExactPoint& point : *points) {
    EXPECT_NEAR(point.service_rate[0], 0.2, 1e-6);
    EXPECT_NEAR(point.service_rate[1], 0.6, 1e-6);
  }
}

// docs/explanation/mathematics.md, section 11: d(1/γ_i) = w_i + w_j · 2 (1 - x_i) / (x_i + x_j) times dρ
// along the loads ρ (w_1, w_2), with x the rates when one job of each class is there.
TEST(ExactTraffic, BeginsWithTheLightTrafficSlopes) {
  constexpr double kStep = 2e-4;
  const std::pair<double, double> profiles[] = {{0.1, 0.1}, {0.1, 0.5}, {0.3, 0.8}};
  for (const auto& [alpha, beta] : profiles) {
    for (const double part : {0.5, 0.75, 0.1}) {
      const auto scenario =
          fluid_scenario(two_classes(alpha, beta, part), {"drf", "pf", "asset"}, {kStep, 2 * kStep});
      const auto points = exact_traffic(scenario, 1);
      ASSERT_TRUE(points);
      const std::vector<double> w = arrival_rates(scenario, 1);
      for (std::size_t mechanism = 0; mechanism < 3; ++mechanism) {
        auto rates = ClassRates::from(scenario, mechanism);
        ASSERT_TRUE(rates);
        rates->cover({1, 1});
        const std::array<double, 2> x = rates->at(1, 1);
        const ExactPoint& one = (*points)[2 * mechanism];
        const ExactPoint& two = (*points)[2 * mechanism + 1];
        for (const std::size_t i : {0, 1}) {
          const double slope_one = (1 / one.service_rate[i] - 1) / kStep;
          const double slope_two = (1 / two.service_rate[i] - 1) / (2 * kStep);
          const double expected = w[i] + w[1 - i] * 2 * (1 - x[i]) / (x[0] + x[1]);
          EXPECT_NEAR(2 * slope_one - slope_two, expected, 3e-5)
              << scenario.mechanisms[mechanism].text << ", class " << i + 1 << ", " << alpha << ", " << beta;
        }
      }
    }
  }
}

// Section 3.4 with φ_1(0) = 1: one permanent job, n others; a birth-death chain that can be summed by hand.
TEST(ExactTraffic, OfOnePermanentJobIsABirthDeathSum) {
  constexpr double kAlpha = 0.1;
  constexpr double kBeta = 1 / (1 + 2 * (1 - kAlpha));  // claimed, best against two others
  auto classes = two_classes(kAlpha, kAlpha, 0);
  classes[0].claims = {1, kBeta};
  classes[0].permanent = 1;
  auto scenario = fluid_scenario(classes, {"pf"}, {0.5});
  scenario.load_resource = 1;
  const auto points = exact_traffic(scenario, 1);
  ASSERT_TRUE(points) << describe(points.error());

  double weight = 1, all = 0, rate = 0;
  for (int n = 0; n < 200; ++n) {
    const double phi_1 = n == 0 ? 1 : std::min((1 - kAlpha) / (1 - kAlpha * kBeta), 1 / (kBeta * (n + 1)));
    if (n > 0) weight *= 0.5 / (1 - kBeta * phi_1);
    all += weight;
    rate += weight * phi_1;
  }
  EXPECT_NEAR(points->front().service_rate[0], rate / all, 1e-8);
  EXPECT_EQ(points->front().jobs[0], 1);
}

// docs/explanation/mathematics.md, section 11: b permanent jobs on one resource leave (1 - ρ)/(b + 1) to one
// that comes, of their class or of another.
TEST(ExactTraffic, BesidePermanentJobsIsThatOfTheirPart) {
  auto scenario = fluid_scenario({{.name = "both", .demand = {1}, .arrivals = 0.5, .permanent = 2},
                                  {.name = "comes", .demand = {1}, .arrivals = 0.5}},
                                 {"drf", "pf"}, {0.4});
  const auto points = exact_traffic(scenario, 1);
  ASSERT_TRUE(points) << describe(points.error());
  for (const ExactPoint& point : *points) {
    for (const double rate : point.service_rate) EXPECT_NEAR(rate, 0.6 / 3, 1e-6);
  }
}

TEST(ExactTraffic, OfAnOverloadedPoolIsMarked) {
  const auto points = exact_traffic(fluid_scenario(two_classes(0.1, 0.1, 0.5), {"pf"}, {1.2}), 1);
  ASSERT_TRUE(points);
  EXPECT_FALSE(points->front().stable);
  EXPECT_TRUE(std::isinf(points->front().jobs[0]));
  EXPECT_EQ(points->front().service_rate[1], 0);
}

TEST(ExactTraffic, DoesNotDependOnTheThreads) {
  const auto scenario = fluid_scenario(two_classes(0.1, 0.5, 0.5), {"pf", "drf", "asset"}, {0.3, 0.6});
  const auto one = exact_traffic(scenario, 1);
  const auto three = exact_traffic(scenario, 3);
  ASSERT_TRUE(one && three);
  for (std::size_t p = 0; p < one->size(); ++p) EXPECT_EQ((*one)[p].jobs, (*three)[p].jobs);
}

TEST(ExactTraffic, SaysWhatItCannotSolve) {
  auto scenario = fluid_scenario(two_classes(0.1, 0.5, 0.5), {"pf"}, {0.3});
  scenario.sizes = {.law = Sizes::Law::deterministic};
  EXPECT_EQ(exact_traffic(scenario, 1).error().key, "sizes");
  scenario.sizes = {};
  scenario.classes.push_back({.name = "3", .demand = {1, 1}, .arrivals = 1});
  EXPECT_EQ(exact_traffic(scenario, 1).error().key, "classes");
}

}  // namespace
}  // namespace mirab::simulation
