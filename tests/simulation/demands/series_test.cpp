// Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 7.
#include "lab/simulation/demands/series.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/demand_series.hpp"

namespace mirab::simulation {
namespace {

DemandSeriesScenario scenario(std::int64_t iterations) {
  DemandSeriesScenario scenario;
  scenario.servers = {{.name = "pool", .capacity = {Quantity(2000), Quantity(4098)}}};
  scenario.users = {{.count = 4,
                     .cpu_median = {80, 400},
                     .cpu_deviation = 20,
                     .radius = {900, 2000},
                     .start = {0, 900},
                     .stretch = {1, 2.5}}};
  scenario.mechanisms = {*choose_mechanism("mlf-drs"), *choose_mechanism("ffmra"), *choose_mechanism("drf")};
  scenario.iterations = iterations;
  scenario.repeats = 2;
  scenario.shown = 3;
  return scenario;
}

DemandSeriesOutcome run(const DemandSeriesScenario& of, std::uint64_t seed, int threads) {
  Result<DemandSeriesOutcome> outcome = simulate_demands(of, seed, threads);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  return *outcome;
}

TEST(DemandSeries, TheSameSeedGivesTheSameSeriesOnAnyNumberOfThreads) {
  const DemandSeriesOutcome one = run(scenario(60), 5, 1);
  const DemandSeriesOutcome three = run(scenario(60), 5, 3);
  for (std::size_t k = 0; k < one.mechanisms.size(); ++k) {
    EXPECT_EQ(one.mechanisms[k].granted, three.mechanisms[k].granted);
    EXPECT_EQ(one.mechanisms[k].tasks, three.mechanisms[k].tasks);
    EXPECT_EQ(one.mechanisms[k].bundles, three.mechanisms[k].bundles);
  }
  EXPECT_EQ(one.demands, three.demands);
  EXPECT_NE(one.demands, run(scenario(60), 6, 1).demands);
}

TEST(DemandSeries, CountsDivisionsThatHaveNotConverged) {
  DemandSeriesScenario extreme = scenario(5);
  extreme.mechanisms = {*choose_mechanism("drf"), *choose_mechanism("alpha-fair:alpha=0.00001")};
  const DemandSeriesOutcome outcome = run(extreme, 5, 1);
  EXPECT_EQ(outcome.mechanisms[0].not_converged, 0);
  EXPECT_EQ(outcome.mechanisms[1].not_converged, 10) << "5 iterations, 2 repeats";
}

TEST(DemandSeries, EveryIterationDrawsForItself) {
  const DemandSeriesOutcome outcome = run(scenario(60), 5, 1);
  for (const std::vector<Course>& demand : outcome.demands)
    EXPECT_GT(std::set<double>(demand[0].begin(), demand[0].end()).size(), 55u);
}

TEST(DemandSeries, AnotherMechanismChangesNothingForTheOthers) {
  DemandSeriesScenario alone = scenario(30);
  alone.mechanisms.erase(alone.mechanisms.begin());
  EXPECT_EQ(run(alone, 5, 1).mechanisms[0].tasks, run(scenario(30), 5, 1).mechanisms[1].tasks);
}

TEST(DemandSeries, MlfDrsGrantsAllAndDrfOnlyWhatRuns) {
  const DemandSeriesOutcome outcome = run(scenario(40), 9, 2);
  for (std::size_t t = 0; t < 40; ++t) {
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(outcome.mechanisms[0].granted[r][t], 1, 1e-9);
      EXPECT_LE(outcome.mechanisms[0].run[r][t], outcome.mechanisms[0].granted[r][t] + 1e-9);
      EXPECT_NEAR(outcome.mechanisms[2].granted[r][t], outcome.mechanisms[2].run[r][t], 1e-9);
    }
    EXPECT_NEAR(outcome.dominated[0][t] + outcome.dominated[1][t], 4, 1e-9);
  }
}

// Table 4.6: DRF holds 2/3 of either resource where it dominates, 1/3 and 1/9 where it does not.
TEST(DemandMeasures, AreThoseOfTableFourSixForDrf) {
  Cluster cluster{.resources = {"cpu", "ram"},
                  .servers = {{.name = "pool", .capacity = {Quantity(9), Quantity(18)}}},
                  .users = {{.name = "A", .demand = {Quantity(1), Quantity(4)}},
                            {.name = "B", .demand = {Quantity(3), Quantity(1)}}}};
  const Result<Problem> problem = Problem::from(cluster);
  ASSERT_TRUE(problem);
  const DemandMeasures drf = measure_demands(*problem, allocate(*problem, "drf")->allocation);
  EXPECT_NEAR(drf.dominant_part[0], 2.0 / 3, 1e-9);
  EXPECT_NEAR(drf.dominant_part[1], 2.0 / 3, 1e-9);
  EXPECT_NEAR(drf.beta_dominant, 0, 1e-9);
  EXPECT_NEAR(drf.beta_non_dominant, 1.0 / 3 - 1.0 / 9, 1e-9);
  EXPECT_NEAR(drf.tasks, 5, 1e-9);
  // FFMRA: bundles (2, 14) and (7, 4): 2 and 7/3 tasks run, 14/4 and 7/3 are counted by lemma 4.14.
  const DemandMeasures ffmra = measure_demands(*problem, allocate(*problem, "ffmra")->allocation);
  EXPECT_NEAR(ffmra.tasks, 2 + 7.0 / 3, 1e-9);
  EXPECT_NEAR(ffmra.counted_tasks, 3.5 + 7.0 / 3, 1e-9);
  EXPECT_NEAR(ffmra.beta_non_dominant, 0, 1e-9);
  EXPECT_NEAR(ffmra.run[1], (2 * 4 + 7.0 / 3) / 18, 1e-9);
  EXPECT_EQ(ffmra.sharing_incentive, 1);
}

TEST(DemandSeries, RefusesARangeThatIsUpsideDown) {
  DemandSeriesScenario wrong = scenario(1);
  wrong.users[0].radius = {10, 5};
  const Check error = check(wrong);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->key, "users[0].radius");
  wrong = scenario(1);
  wrong.users[0].scale = 0;
  ASSERT_TRUE(check(wrong));
  EXPECT_EQ(check(wrong)->key, "users[0].scale");
  EXPECT_FALSE(check(scenario(1)));
}

TEST(DemandSeries, RefusesMoreThanFits) {
  DemandSeriesScenario wrong = scenario(1);
  wrong.users[0].count = 600'000;
  wrong.users.push_back(wrong.users[0]);
  ASSERT_TRUE(check(wrong));
  EXPECT_EQ(check(wrong)->key, "users[1].count");
  wrong = scenario(1'000'000);
  wrong.repeats = 1'000'000'000'000;
  ASSERT_TRUE(check(wrong));
  EXPECT_EQ(check(wrong)->key, "iterations");
  wrong = scenario(1);
  wrong.users[0].stretch.high = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(check(wrong));
  EXPECT_EQ(check(wrong)->key, "users[0].stretch");
}

TEST(DemandSeries, ADisciplineFillsWholeTasksBesideTheMechanisms) {
  DemandSeriesScenario whole = scenario(10);
  whole.disciplines = {*choose_discipline("drf")};
  whole.repeats = 1;
  const DemandSeriesOutcome outcome = run(whole, 5, 1);
  ASSERT_EQ(outcome.mechanisms.size(), 4u);
  EXPECT_EQ(outcome.mechanisms[3].mechanism, "fill:drf");
  for (std::size_t t = 0; t < 10; ++t) {
    EXPECT_EQ(outcome.mechanisms[3].tasks[t], std::round(outcome.mechanisms[3].tasks[t]));
    EXPECT_LE(outcome.mechanisms[3].jain_dominant[0][t], 1);
  }
}

TEST(DemandSeries, PassesOnWhatAMechanismCannotHonour) {
  DemandSeriesScenario several = scenario(1);
  several.servers.push_back({.name = "other", .capacity = {Quantity(10), Quantity(10)}});
  EXPECT_FALSE(simulate_demands(several, 1, 1));
}

}  // namespace
}  // namespace mirab::simulation
