#include <cmath>
#include <gtest/gtest.h>

#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kTaskTrafficSeed = 3;

// Bonald and Roberts, section 4.2: 500 tasks a job on a capacity of 100.
TrafficScenario of_the_paper(std::string_view discipline, std::int64_t jobs) {
  return {.resources = {"cpu", "ram"},
          .capacity = {100, 100},
          .classes = {{.name = "1", .demand = {1, 0.1}, .arrivals = 3},
                      {.name = "2", .demand = {0.1, 1}, .arrivals = 1}},
          .sizes = {},
          .model = TrafficModel::tasks,
          .mechanisms = {*choose_discipline(discipline)},
          .loads = {},
          .jobs = jobs};
}

TrafficScenario queue(double capacity) {
  auto scenario = of_the_paper("drf", 20'000);
  scenario.resources = {"servers"};
  scenario.capacity = {capacity};
  scenario.classes = {{.name = "1", .demand = {1}, .arrivals = 1}};
  scenario.tasks_per_job = 1;
  return scenario;
}

TrafficMeasured simulated(const TrafficScenario& scenario, double load) {
  EXPECT_FALSE(check_task_traffic(scenario)) << describe(*check_task_traffic(scenario));
  return simulate_task_traffic({.scenario = scenario,
                                .mechanism = 0,
                                .load = load,
                                .arrivals = arrival_rates(scenario, load),
                                .seed = kTaskTrafficSeed});
}

double jobs_present(const TrafficMeasured& measured, std::size_t k) {
  double present = 0, time = 0;
  for (const TrafficBatch& batch : measured.batches) {
    present += batch.classes[k].present;
    time += batch.time;
  }
  return present / time;
}

// The inverse of the mean time that a job is there.
double rate(const TrafficMeasured& measured, std::size_t k) {
  double present = 0, arrived = 0;
  for (const TrafficBatch& batch : measured.batches) {
    present += batch.classes[k].present;
    arrived += batch.classes[k].arrived;
  }
  return arrived / present;
}

// Section 4.2: 500/100 over 401/100 + 1/99 + 1/98 + … + 1, 0.544.
TEST(TaskTraffic, OfAJobAloneIsServedAtTheZeroLoadRate) {
  double time = 401.0 / 100;
  for (int k = 1; k < 100; ++k) time += 1.0 / k;
  EXPECT_NEAR(5 / time, 0.544, 5e-4);
  const TrafficMeasured measured = simulated(of_the_paper("pf:blocking=freeze", 400), 0.001);
  EXPECT_NEAR(rate(measured, 0), 5 / time, 0.012) << "seed " << kTaskTrafficSeed;
}

TEST(TaskTraffic, OfAJobAloneIsThatOfTheFluidWhenTasksAllTakeTheSame) {
  for (const std::vector<double>& demand : {std::vector<double>{1, 0.1}, {0.4, 0.5}, {0.04, 0.1}}) {
    auto scenario = of_the_paper("drf", 40);
    scenario.sizes.law = Sizes::Law::deterministic;
    scenario.tasks_per_job = 2000;
    scenario.classes = {{.name = "1", .demand = demand, .arrivals = 1}};
    EXPECT_NEAR(rate(simulated(scenario, 1e-6), 0), 1, 1e-9) << demand[0];
  }
}

// M/M/1: E[n] = ρ / (1 - ρ). M/M/3 by Erlang's C: at ρ = 2/3, E[n] = 2 + C ρ / (1 - ρ), C = 4/9.
TEST(TaskTraffic, OfSingleTasksIsAQueue) {
  EXPECT_NEAR(jobs_present(simulated(queue(1), 0.5), 0), 1, 0.06) << "seed " << kTaskTrafficSeed;
  EXPECT_NEAR(jobs_present(simulated(queue(3), 2.0 / 3), 0), 2 + 8.0 / 9, 0.12)
      << "seed " << kTaskTrafficSeed;
}

// M/D/1: E[n] = ρ + ρ² / (2 (1 - ρ)).
TEST(TaskTraffic, HonoursTheLawOfTaskTimes) {
  auto scenario = queue(1);
  scenario.sizes.law = Sizes::Law::deterministic;
  EXPECT_NEAR(jobs_present(simulated(scenario, 0.5), 0), 0.75, 0.03) << "seed " << kTaskTrafficSeed;
}

// A permanent job that nobody disturbs runs as many tasks as the pool holds.
TEST(TaskTraffic, OfAPermanentJobUndisturbedIsAtRateOne) {
  auto scenario = of_the_paper("drf", 40);
  scenario.classes[0] = {.name = "1", .demand = {1, 0}, .arrivals = 0, .permanent = 1};
  scenario.classes[1].demand = {0, 1};
  scenario.load_resource = 1;
  scenario.freeze = false;  // a task of the other class that has no room would stop this one too
  const TrafficMeasured measured = simulated(scenario, 0.5);
  double served = 0, time = 0;
  for (const TrafficBatch& batch : measured.batches) {
    served += batch.classes[0].served;
    time += batch.time;
  }
  EXPECT_NEAR(served / time, 1, 1e-12);
}

TEST(TaskTraffic, IsCutIntoBatchesAtArrivals) {
  const TrafficMeasured measured = simulated(of_the_paper("drf", 200), 0.3);
  ASSERT_EQ(measured.batches.size(), kTrafficBatches);
  for (const TrafficBatch& batch : measured.batches) {
    EXPECT_EQ(batch.classes[0].arrived + batch.classes[1].arrived, 10);
    EXPECT_GT(batch.time, 0);
  }
}

TEST(TaskTraffic, RepeatsItselfForTheSameSeed) {
  const auto scenario = of_the_paper("pf", 60);
  const TrafficMeasured one = simulated(scenario, 0.6);
  const TrafficMeasured two = simulated(scenario, 0.6);
  EXPECT_EQ(one.events, two.events);
  EXPECT_EQ(jobs_present(one, 1), jobs_present(two, 1));
}

// With freeze nothing passes a task that does not fit; with skip the pool is used more.
TEST(TaskTraffic, FreezesOrSkipsAsTheScenarioSays) {
  auto scenario = of_the_paper("drf", 300);
  const double frozen = jobs_present(simulated(scenario, 0.8), 1);
  scenario.freeze = false;
  EXPECT_LT(jobs_present(simulated(scenario, 0.8), 1), frozen);
}

TEST(TaskTraffic, NamesWhatItCannotPlay) {
  auto scenario = of_the_paper("drf", 10);
  scenario.tasks_per_job = 0;
  EXPECT_EQ(check_task_traffic(scenario)->key, "tasks_per_job");
  scenario.tasks_per_job = 1;
  scenario.classes[1].demand = {0.1, 101};
  EXPECT_EQ(check_task_traffic(scenario)->key, "classes[1]");
  scenario.classes[1].demand = {0.1, 1};
  scenario.mechanisms.push_back({.name = "nobody", .options = {}, .text = "nobody"});
  EXPECT_EQ(check_task_traffic(scenario)->key, "mechanisms[1]");
}

}  // namespace
}  // namespace mirab::simulation
