#include <gtest/gtest.h>

#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// docs/explanation/mathematics.md, section 11: class 0 on both resources, classes 1 and 2 on one each, unit
// demands. There proportional fairness is balanced, with a product form.
TEST(BalancedFairness, HasTheProductFormOfTheLineNetwork) {
  const auto scenario = fluid_scenario({{.name = "0", .demand = {1, 1}, .arrivals = 1},
                                        {.name = "1", .demand = {1, 0}, .arrivals = 2},
                                        {.name = "2", .demand = {0, 1}, .arrivals = 1}},
                                       {"pf"}, {0.3, 0.75});
  const auto points = balanced_fairness(scenario);
  ASSERT_TRUE(points) << describe(points.error());
  for (const ExactPoint& point : *points) {
    const std::vector<double> rho = arrival_rates(scenario, point.load);
    double line = 1;
    for (const std::size_t l : {1U, 2U}) {
      const double part = rho[l] / (1 - rho[0] - rho[l]);
      EXPECT_NEAR(point.jobs[l], part, 1e-7) << l << " at " << point.load;
      line += part;
    }
    EXPECT_NEAR(point.jobs[0], rho[0] / (1 - rho[0]) * line, 1e-7) << point.load;
    EXPECT_LT(point.boundary, 1e-9);
  }
}

TEST(BalancedFairness, IsWhatTheExactChainGivesWhereProportionalFairnessIsBalanced) {
  const auto scenario = fluid_scenario(
      {{.name = "0", .demand = {1, 1}, .arrivals = 1}, {.name = "1", .demand = {1, 0}, .arrivals = 2}},
      {"pf"}, {0.2, 0.8});
  const auto balanced = balanced_fairness(scenario);
  const auto exact = exact_traffic(scenario, 1);
  ASSERT_TRUE(balanced && exact);
  for (std::size_t p = 0; p < 2; ++p) {
    for (const std::size_t k : {0U, 1U})
      EXPECT_NEAR((*balanced)[p].service_rate[k], (*exact)[p].service_rate[k], 1e-6);
  }
}

// Bonald, Massoulié, Proutière and Virtamo 2006: balanced fairness is near proportional fairness.
TEST(BalancedFairness, IsNearProportionalFairnessElsewhere) {
  const auto scenario = fluid_scenario(two_classes(0.1, 0.1, 0.75), {"pf"}, {0.5});
  const auto balanced = balanced_fairness(scenario);
  const auto exact = exact_traffic(scenario, 1);
  ASSERT_TRUE(balanced && exact);
  EXPECT_NEAR(balanced->front().service_rate[0], exact->front().service_rate[0], 0.01);
  EXPECT_NEAR(balanced->front().service_rate[1], exact->front().service_rate[1], 0.05);
  EXPECT_GT(std::abs(balanced->front().service_rate[1] - exact->front().service_rate[1]), 1e-3);
}

TEST(BalancedFairness, SaysWhenTooManyStatesWouldBeNeeded) {
  const auto scenario = fluid_scenario(two_classes(0.1, 0.1, 0.5), {"pf"}, {0.9});
  const auto points = balanced_fairness(scenario, 1000);
  ASSERT_TRUE(points);
  EXPECT_LE(points->front().states, 1000U);
  EXPECT_GT(points->front().boundary, 1e-6);
}

TEST(BalancedFairness, IsNotThatOfPermanentJobs) {
  auto classes = two_classes(0.1, 0.1, 0.5);
  classes[1].permanent = 1;
  EXPECT_EQ(balanced_fairness(fluid_scenario(classes, {"pf"}, {0.5})).error().key, "classes[1]");
}

}  // namespace
}  // namespace mirab::simulation
