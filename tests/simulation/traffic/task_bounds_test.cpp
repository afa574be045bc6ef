#include <functional>
#include <gtest/gtest.h>

#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {
namespace {

TrafficScenario pool_of_ten() {
  return {.resources = {"cpu"},
          .capacity = {10},
          .classes = {{.name = "a", .demand = {1}, .arrivals = 1}},
          .sizes = {},
          .model = TrafficModel::tasks,
          .tasks_per_job = 2,
          .mechanisms = {*choose_discipline("drf")},
          .loads = {0.3, 0.5},
          .jobs = 1'000};
}

TEST(TaskBounds, NameTheKeyOfWhatNoRunCanHold) {
  const std::pair<const char*, std::function<void(TrafficScenario&)>> kCases[] = {
      {"classes[0].permanent", [](TrafficScenario& s) { s.classes[0].permanent = 100'000'000; }},
      {"tasks_per_job", [](TrafficScenario& s) { s.tasks_per_job = 1'000'000'000'000; }},
      {"tasks_per_job", [](TrafficScenario& s) { s.jobs = 10'000'000'000; }},
      {"tasks_per_job",
       [](TrafficScenario& s) {  // τ = 10⁻⁷
         s.capacity = {1};
         s.tasks_per_job = 8'000'000;
       }},
      {"tasks_per_job", [](TrafficScenario& s) { s.capacity = {1e9}; }},  // τ = 5·10⁸
      {"classes[0].demand",
       [](TrafficScenario& s) {
         s.capacity = {1e9};
         s.tasks_per_job = 1'000'000;
       }},
      {"load.at[1]", [](TrafficScenario& s) { s.loads[1] = 1e-12; }},
      {"load.at[0]", [](TrafficScenario& s) { s.loads[0] = 1e-300; }},
  };
  for (const auto& [key, spoil] : kCases) {
    TrafficScenario scenario = pool_of_ten();
    ASSERT_FALSE(check(scenario));
    spoil(scenario);
    const Check found = check(scenario);
    ASSERT_TRUE(found) << key;
    EXPECT_EQ(found->key, key) << found->message;
  }
}

// A part of 10⁻¹⁵ of all arrivals: the first is due after 10¹⁵ units of time, more than virtual time has.
TEST(TaskBounds, LetAClassArriveThatNeverDoesInTheRun) {
  TrafficScenario scenario = pool_of_ten();
  scenario.classes.push_back({.name = "b", .demand = {1}, .arrivals = 1e-15});
  const Result<TrafficOutcome> outcome = simulate_traffic(scenario, 1, 1);
  ASSERT_TRUE(outcome) << describe(outcome.error());
  EXPECT_GT(outcome->points[0].service_rate, 0);
}

}  // namespace
}  // namespace mirab::simulation
