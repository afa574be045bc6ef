#include <cmath>
#include <gtest/gtest.h>

#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSettledSeed = 4;

TrafficScenario queue(double load, std::int64_t jobs) {
  TrafficScenario scenario = traffic_of({{1}}, {1}, {"drf"}, {load});
  scenario.jobs = jobs;
  return scenario;
}

// How many of 100 runs are settled.
int settled_of_100(const TrafficScenario& scenario) {
  int settled = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    settled += simulate_traffic(scenario, seed, 1)->points[0].settled;
  return settled;
}

TEST(Settled, AreLongRunsAtLoadsThatAreNotHigh) {
  EXPECT_GE(settled_of_100(queue(0.3, 2'000)), 98);
  EXPECT_GE(settled_of_100(queue(0.6, 2'000)), 97);
}

// Of intervals of 95 % 84 of 100 hold here, and 60.
TEST(Settled, AreNoRunsThatAreShortForTheirLoad) {
  EXPECT_EQ(settled_of_100(queue(0.8, 2'000)), 0);
  EXPECT_EQ(settled_of_100(queue(0.9, 2'000)), 0);
}

TEST(Settled, IsNoClassOfWhichFewJobsCome) {
  TrafficScenario scenario = traffic_of({{1}, {1}}, {0.95, 0.05}, {"drf"}, {0.3});
  scenario.jobs = 2'000;
  const TrafficOutcome outcome = *simulate_traffic(scenario, kSettledSeed, 1);
  EXPECT_TRUE(outcome.points[0].settled);
  EXPECT_FALSE(outcome.points[1].settled);
}

// Two tasks of 6 of 10 never run at the same time: at a load of 0.9 jobs pile up without bound.
TEST(Settled, IsNoPoolThatWholeTasksOverload) {
  TrafficScenario scenario = traffic_of({{6, 1}, {1, 6}}, {0.5, 0.5}, {}, {0.9});
  scenario.capacity = {10, 10};
  scenario.model = TrafficModel::tasks;
  scenario.tasks_per_job = 10;
  scenario.mechanisms = {*choose_discipline("drf")};
  for (const std::int64_t jobs : {4'000, 10'000}) {
    scenario.jobs = jobs;
    const auto outcome = simulate_traffic(scenario, kSettledSeed, 1);
    ASSERT_TRUE(outcome);
    for (const TrafficPoint& point : outcome->points) {
      EXPECT_TRUE(point.stable);  // of divisible jobs
      EXPECT_FALSE(point.settled) << jobs;
    }
  }
}

// At load 0.3 no batch is short: the drift alone tells it.
TEST(Settled, IsNoDriftAtALowLoad) {
  const TrafficScenario scenario = queue(0.3, 20'000);
  const TrafficRun run{.scenario = scenario,
                       .mechanism = 0,
                       .load = 0.3,
                       .arrivals = arrival_rates(scenario, 0.3),
                       .seed = kSettledSeed};
  std::vector<double> growing(kTrafficBatches);
  std::vector<double> mixed(kTrafficBatches);
  for (std::size_t b = 0; b < kTrafficBatches; ++b) {
    growing[b] = static_cast<double>(b);
    mixed[b] = static_cast<double>(b * 7 % kTrafficBatches);
  }
  EXPECT_FALSE(is_settled(run, 0, growing));
  EXPECT_TRUE(is_settled(run, 0, mixed));
}

// One resource with exponential sizes: 1 / (1 - √ρ)²; sizes that never vary take half of it.
TEST(Settled, ComparesWithTheRelaxationTimeOfOneQueue) {
  TrafficScenario scenario = queue(0.81, 1'000);
  EXPECT_NEAR(relaxation_time(scenario, 0.81), 100, 1e-9);
  scenario.sizes.law = Sizes::Law::deterministic;
  EXPECT_NEAR(relaxation_time(scenario, 0.81), 50, 1e-9);
  EXPECT_TRUE(std::isinf(relaxation_time(scenario, 1)));
}

}  // namespace
}  // namespace mirab::simulation
