// Every property against allocations in which it alone is broken, and against what it means, worked out by
// hand or by brute force.
#include <gmock/gmock.h>
#include <gmpxx.h>

#include <mirab/model/random.hpp>

#include "audit/clusters.hpp"

namespace mirab {
namespace {

using testing::cluster_of;
using testing::giving;
using ::testing::HasSubstr;
using testing::pool_of;
using testing::problem_of;
using testing::verdict_on;

using Tasks = std::vector<std::vector<double>>;

constexpr Property kOfAllocations[] = {
    Property::feasible,          Property::sharing_incentive,   Property::envy_freeness,
    Property::pareto_efficiency, Property::bottleneck_fairness, Property::single_resource_fairness,
    Property::non_wastefulness};

Verdict verdict(Property property, const Problem& problem, const Outcome& outcome, Scope scope) {
  const Rule none{.scope = scope, .divide = [](const Problem&) { return Error{.message = "not asked"}; }};
  return check(property, {.problem = problem, .outcome = outcome, .scope = scope}, none);
}

// The names of what an allocation breaks.
std::vector<std::string> broken(const Problem& problem, const Outcome& outcome, Scope scope) {
  std::vector<std::string> names;
  for (const Property property : kOfAllocations) {
    if (!verdict(property, problem, outcome, scope).holds) names.emplace_back(property_name(property));
  }
  return names;
}

std::vector<std::string> broken(const Problem& problem, const Tasks& tasks, Scope scope = Scope::pool) {
  return broken(problem, giving(problem, scope, tasks), scope);
}

// The slides' example: DRF's 3 and 2 tasks keep everything.
const Problem kPropertiesSlides = pool_of({9, 18}, {{1, 4}, {3, 1}});

TEST(Properties, TheSlidesAllocationBreaksNothing) {
  EXPECT_THAT(broken(kPropertiesSlides, {{3}, {2}}), ::testing::IsEmpty());
}

TEST(Properties, OnlyFeasibilityIsBrokenByABundleThatHoldsLessThanIsSaid) {
  Outcome outcome = giving(kPropertiesSlides, Scope::pool, {{3}, {2}});
  outcome.allocation.grants = testing::edited(outcome.allocation.grants, [](testing::EditedGrant& grant) {
    if (grant.user == 0) grant.tasks = 4;
  });
  outcome.allocation.tasks[0] = 4;
  EXPECT_FALSE(verdict(Property::feasible, kPropertiesSlides, outcome, Scope::pool).holds);
}

TEST(Properties, FeasibilityIsBrokenByMoreThanThereIs) {
  const Verdict found = verdict(Property::feasible, kPropertiesSlides,
                                giving(kPropertiesSlides, Scope::pool, {{4}, {2}}), Scope::pool);
  EXPECT_FALSE(found.holds);
  EXPECT_EQ(found.witness->words, "the pool has 9.0 of cpu, and test gives out 10.0");
}

TEST(Properties, FeasibilityIsBrokenByTasksWhereTheUserMayNotRun) {
  Cluster cluster = cluster_of({{4}, {4}}, {{1}, {1}});
  cluster.users[0].servers = {{"s1"}};
  const Problem problem = problem_of(cluster);
  EXPECT_THAT(broken(problem, Tasks{{4, 0}, {0, 4}}, Scope::servers), ::testing::IsEmpty());
  EXPECT_FALSE(
      verdict(Property::feasible, problem, giving(problem, Scope::servers, {{0, 4}, {4, 0}}), Scope::servers)
          .holds);
}

TEST(Properties, FeasibilityIsBrokenByMoreTasksThanTheUserHas) {
  Cluster cluster = cluster_of({{4}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(1);
  const Problem problem = problem_of(cluster);
  EXPECT_FALSE(
      verdict(Property::feasible, problem, giving(problem, Scope::pool, {{2}, {2}}), Scope::pool).holds);
  EXPECT_THAT(broken(problem, {{1}, {3}}), ::testing::IsEmpty());
}

// Slides, asset fairness: half of (30, 30) holds 15 tasks of (1, 1).
TEST(Properties, OnlyTheSharingIncentiveIsBrokenByAssetFairnessOnTheSlides) {
  const Problem problem = pool_of({30, 30}, {{1, 3}, {1, 1}});
  EXPECT_THAT(broken(problem, {{6}, {12}}), ::testing::Contains("sharing-incentive"));
  const Verdict found = verdict_on(Property::sharing_incentive, problem, "asset");
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->words, "B could run 15.0 tasks on its half of the cluster, asset gives it 12.0");
  EXPECT_THAT(found.witness->numbers,
              ::testing::ElementsAre(::testing::Pair("tasks", ::testing::DoubleNear(12, 1e-9)),
                                     ::testing::Pair("alone", ::testing::DoubleNear(15, 1e-9))));
}

// A third of (12, 12) holds 2 tasks of each; memory is full at 4 + 6 + 2.
TEST(Properties, OnlyEnvyFreenessIsBrokenWhenWhatIsLeftGoesToOneOfTwoAlike) {
  const Problem problem = pool_of({12, 12}, {{1, 2}, {1, 2}, {2, 1}});
  EXPECT_THAT(broken(problem, {{2}, {3}, {2}}), ::testing::ElementsAre("envy-freeness"));
  EXPECT_THAT(broken(problem, {{2.5}, {2.5}, {2}}), ::testing::IsEmpty());
}

// B needs memory too, which nobody else does: A could use what B has, B not what A has.
TEST(Properties, EnvyLooksAtTheTasksThatTheOtherBundleRuns) {
  const Problem problem = pool_of({8, 8}, {{1, 0}, {1, 1}});
  EXPECT_THAT(broken(problem, {{4}, {4}}), ::testing::IsEmpty());
  EXPECT_THAT(broken(problem, {{5}, {3}}),
              ::testing::ElementsAre("sharing-incentive", "bottleneck-fairness"));
  EXPECT_THAT(broken(problem, {{3}, {5}}),
              ::testing::ElementsAre("sharing-incentive", "envy-freeness", "bottleneck-fairness"));
}

TEST(Properties, EnvyIsScaledByWeights) {
  Cluster cluster = cluster_of({{9}}, {{1}, {1}});
  cluster.users[1].weight = Quantity(2);
  const Problem problem = problem_of(cluster);
  EXPECT_THAT(broken(problem, {{3}, {6}}), ::testing::IsEmpty());
  EXPECT_THAT(broken(problem, {{4}, {5}}), ::testing::Contains("envy-freeness"));
}

TEST(Properties, OnlyParetoEfficiencyIsBrokenByATradeThatIsNotMade) {
  // Each runs where the other would run better: (2, 12) suits A, (12, 2) suits B. 6 tasks instead of 10.
  const Problem problem = problem_of(cluster_of({{2, 12}, {12, 2}}, {{0.2, 1}, {1, 0.2}}));
  EXPECT_THAT(broken(problem, {{5, 1}, {1, 5}}, Scope::servers), ::testing::ElementsAre("pareto-efficiency"));
  EXPECT_THAT(broken(problem, {{10, 0}, {0, 10}}, Scope::servers), ::testing::IsEmpty());
  const Verdict found = verdict(Property::pareto_efficiency, problem,
                                giving(problem, Scope::servers, {{5, 1}, {1, 5}}), Scope::servers);
  EXPECT_THAT(found.witness->numbers,
              ::testing::Contains(::testing::Pair("common_factor", ::testing::DoubleNear(10.0 / 6, 1e-6))));
}

TEST(Properties, ParetoEfficiencyAsksForNoTasksBeyondTheCap) {
  Cluster cluster = cluster_of({{4, 4}}, {{1, 2}, {1, 1}});
  cluster.users[0].tasks = Quantity(1);
  cluster.users[1].tasks = Quantity(1);
  const Problem problem = problem_of(cluster);
  EXPECT_THAT(broken(problem, {{1}, {1 - 1e-9}}), ::testing::IsEmpty());
  EXPECT_THAT(broken(problem, {{1}, {0.5}}), ::testing::Contains("pareto-efficiency"));
}

TEST(Properties, OnlyBottleneckFairnessIsBrokenByAnUnevenSplitOfWhatAllNeedMost) {
  // Slides: (21, 21), tasks (3, 2) and (4, 1): 9 and 12 cpus instead of 10.5 each.
  const Problem problem = pool_of({21, 21}, {{3, 2}, {4, 1}});
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "asset").holds);
  EXPECT_THAT(broken(problem, {{3.5}, {2.625}}), ::testing::IsEmpty());
  EXPECT_TRUE(verdict_on(Property::bottleneck_fairness, kPropertiesSlides, "asset").vacuous);
}

// Ravi Kiran and Srinuvas, figure 1: even memory is 2, 6, 8 and 8 tasks.
TEST(Properties, BottleneckFairnessOverServersIsThatOfDefinitionTwo) {
  Cluster cluster = cluster_of({{12, 4, 75}, {8, 16, 0}},
                               {{1.5, 1, 6}, {0.5, 0.333333333333333, 6}, {0.25, 1, 0}, {0.5, 1, 0}});
  const Problem problem = problem_of(cluster);
  EXPECT_TRUE(verdict_on(Property::bottleneck_fairness, problem, "ps-dsf").holds);
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "ps-dsf").vacuous);
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "drfh").holds);
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "tsf").holds);
}

// 0.3 of 3 is 0.1 of 1: both need CPU most. In doubles the first part is the smaller one.
TEST(Properties, ABottleneckIsToldExactly) {
  const Problem problem = pool_of({3, 1}, {{0.3, 0.1}, {0.6, 0.1}});
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "drf").vacuous);
  EXPECT_TRUE(verdict_on(Property::bottleneck_fairness, problem, "drf").holds);
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem, "max-min").holds);
  Cluster cluster = cluster_of({{3, 1}, {6, 2}}, {{0.3, 0.1}, {0.6, 0.1}});
  EXPECT_FALSE(verdict_on(Property::bottleneck_fairness, problem_of(cluster), "ps-dsf").vacuous);
}

TEST(Properties, SingleResourceFairnessIsMaxMinInTheResource) {
  const Problem problem = pool_of({4}, {{1}, {3}});
  EXPECT_THAT(broken(problem, {{2}, {2.0 / 3}}), ::testing::IsEmpty());
  EXPECT_THAT(broken(problem, {{1}, {1}}), ::testing::Contains("single-resource-fairness"));
  EXPECT_TRUE(verdict_on(Property::single_resource_fairness, kPropertiesSlides, "drf").vacuous);
}

// A user with all its tasks passes on what it holds: B has 2 of 2 tasks on s1, and could have them on s2.
TEST(Properties, MaxMinLooksThroughUsersWhoHaveAllTheirTasks) {
  Cluster cluster = cluster_of({{4}, {6}}, {{1}, {1}, {1}});
  cluster.users[0].servers = {{"s1"}};
  cluster.users[1].tasks = Quantity(2);
  cluster.users[2].servers = {{"s2"}};
  const Problem problem = problem_of(cluster);
  const Property property = Property::single_resource_fairness;
  EXPECT_FALSE(
      verdict(property, problem, giving(problem, Scope::servers, {{2, 0}, {2, 0}, {0, 6}}), Scope::servers)
          .holds);
  EXPECT_TRUE(
      verdict(property, problem, giving(problem, Scope::servers, {{4, 0}, {0, 2}, {0, 4}}), Scope::servers)
          .holds);
}

TEST(Properties, OnlyNonWastefulnessIsBrokenByABundleOfMoreThanItsTasksUse) {
  Outcome outcome = giving(kPropertiesSlides, Scope::pool, {{3}, {2}});
  outcome.allocation.grants = testing::edited(outcome.allocation.grants, [](testing::EditedGrant& grant) {
    if (grant.user == 1) grant.resources[1] += 3;
  });
  EXPECT_THAT(broken(kPropertiesSlides, outcome, Scope::pool), ::testing::ElementsAre("non-wastefulness"));
}

TEST(Properties, NonWastefulnessIsBrokenByAnIdleResourceThatAloneWouldHelp) {
  const Problem problem = pool_of({4, 4}, {{1, 0}, {0, 1}});
  const Verdict found =
      verdict(Property::non_wastefulness, problem, giving(problem, Scope::pool, {{2}, {4}}), Scope::pool);
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->words,
            "2.0 cpu idles on the pool under test, with which A could run 4.0 tasks instead of 2.0");
}

TEST(Properties, WhatACertificateLeavesOpenIsNoViolation) {
  Outcome outcome = giving(kPropertiesSlides, Scope::pool, {{3 * 0.99999}, {2 * 0.99999}});
  EXPECT_FALSE(verdict(Property::pareto_efficiency, kPropertiesSlides, outcome, Scope::pool).holds);
  outcome.certificate.value = 1e-5;
  EXPECT_TRUE(verdict(Property::pareto_efficiency, kPropertiesSlides, outcome, Scope::pool).holds);
}

// mathematics.md, section 12: (3, 2) tasks become (4.5, 1.5) when memory grows from 18 to 36.
TEST(Properties, ResourceMonotonicityOfDrfFailsOnTheSlides) {
  const Verdict found = verdict_on(Property::resource_monotonicity, kPropertiesSlides, "drf");
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->user, "B");
  EXPECT_TRUE(verdict_on(Property::resource_monotonicity, pool_of({4}, {{1}, {3}}), "drf").holds);
}

// mathematics.md, section 12: A has 2/3, and 1/2 when C2 leaves.
TEST(Properties, PopulationMonotonicityOfDrfFailsWithZeroDemandsOnly) {
  const Verdict found =
      verdict_on(Property::population_monotonicity, pool_of({1, 1}, {{1, 0}, {1, 1}, {0, 1}, {0, 1}}), "drf");
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->words, "A has 0.6667 tasks under drf, and 0.5 when C leaves");
  EXPECT_TRUE(verdict_on(Property::population_monotonicity, kPropertiesSlides, "drf").holds);
  EXPECT_EQ(verdict_on(Property::population_monotonicity, kPropertiesSlides, "drf").scope,
            VerdictScope::instance);
}

TEST(Properties, ScaleInvarianceFailsForWhatCountsTasks) {
  EXPECT_FALSE(verdict_on(Property::scale_invariance, kPropertiesSlides, "max-min").holds);
  EXPECT_TRUE(verdict_on(Property::scale_invariance, kPropertiesSlides, "drf").holds);
  EXPECT_TRUE(verdict_on(Property::scale_invariance, kPropertiesSlides, "pf").holds);
}

// A has 2 tasks of 9: as one task of twice the size they take as much.
TEST(Properties, ScaleInvarianceScalesTheCapToo) {
  Cluster cluster = cluster_of({{9}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(2);
  EXPECT_TRUE(verdict_on(Property::scale_invariance, problem_of(cluster), "drf").holds);
}

// Who claims endless tasks gets bundles for 5, and has 1 task to run.
TEST(Properties, BundlesBeyondTheTrueNumberOfTasksAreNoGain) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(1);
  EXPECT_TRUE(verdict_on(Property::strategy_proofness, problem_of(cluster), "drf").holds);
}

// mathematics.md, section 12: 1 task becomes 1.368 by reporting (2, 2.214).
TEST(Properties, StrategyProofnessOfProportionalFairnessFailsByAnUnderstatement) {
  const Verdict found = verdict_on(Property::strategy_proofness, pool_of({10, 8}, {{2, 4}, {4, 2}}), "pf");
  ASSERT_FALSE(found.holds);
  EXPECT_THAT(found.witness->words, HasSubstr("by reporting cpu"));
  EXPECT_NEAR(found.witness->numbers[0].second, 1.0, 1e-5);
  EXPECT_GT(found.witness->numbers[1].second, 1.36);
  EXPECT_TRUE(verdict_on(Property::strategy_proofness, kPropertiesSlides, "drf").holds);
}

TEST(Properties, StrategyProofnessFailsByAnInflatedCap) {
  // The user that asks for most tasks gets most: divided in proportion to caps.
  const Rule by_cap{
      .scope = Scope::pool, .divide = [](const Problem& problem) -> Result<Outcome> {
        double asked = 0;
        for (const User& user : problem.users()) asked += user.tasks ? user.tasks->value() : 1e3;
        Tasks tasks;
        for (const User& user : problem.users())
          tasks.push_back({10 * (user.tasks ? user.tasks->value() : 1e3) / asked / user.demand[0].value()});
        return giving(problem, Scope::pool, tasks);
      }};
  Cluster cluster = cluster_of({{10}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(10);
  cluster.users[1].tasks = Quantity(10);
  const Problem problem = problem_of(cluster);
  const Outcome outcome = *by_cap.divide(problem);
  const Verdict found = check_strategy_proofness({problem, outcome, Scope::pool}, by_cap);
  ASSERT_FALSE(found.holds);
  EXPECT_THAT(found.witness->words, HasSubstr("by claiming endless tasks instead of 10"));
}

// A gets s1 whole when it says that it may run nowhere else, else only a task on s2.
const Rule kPity{
    .scope = Scope::servers, .divide = [](const Problem& problem) -> Result<Outcome> {
      const double a = 1 / problem.users()[0].demand[0].value();
      const double b = 1 / problem.users()[1].demand[0].value();
      return giving(problem, Scope::servers,
                    problem.eligible(0, 1) ? Tasks{{0, a}, {4 * b, 3 * b}} : Tasks{{4 * a, 0}, {0, 4 * b}});
    }};

TEST(Properties, StrategyProofnessFailsByHidingAServer) {
  const Problem problem = problem_of(cluster_of({{4}, {5}}, {{1}, {1}}));
  const Outcome outcome = *kPity.divide(problem);
  const Verdict found = check_strategy_proofness({problem, outcome, Scope::servers}, kPity);
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->words, "A runs 1.0 tasks under test, and 4.0 by saying that it may not run on s2");
}

TEST(Properties, WithoutPlacementConstraintsNobodyHidesAServer) {
  const Problem problem = problem_of(cluster_of({{4}, {5}}, {{1}, {1}}));
  const Outcome outcome = *kPity.divide(problem);
  Search search;
  search.conditions.no_placement = true;
  EXPECT_TRUE(check_strategy_proofness({problem, outcome, Scope::servers}, kPity, search).holds);
}

// The third user changes next to nothing, but that somebody does not demand everything.
TEST(Properties, ALieToldAgainKeepsToTheConditionsToo) {
  const Problem problem = pool_of({10, 8}, {{2, 4}, {4, 2}});
  Cluster three = cluster_of({{10, 8}}, {{2, 4}, {4, 2}, {0, 1}});
  three.users[2].weight = *Quantity::from(0.001);
  const Problem with_a_zero = problem_of(three);
  for (const bool positive : {false, true}) {
    Search search;
    search.conditions.positive_demands = positive;
    const Verdict found = verdict_on(Property::strategy_proofness, problem, "pf", search);
    ASSERT_FALSE(found.holds);
    EXPECT_TRUE(found.witness->again(problem));
    EXPECT_EQ(found.witness->again(with_a_zero).has_value(), !positive);
  }
}

// Everybody gets the same, whatever its weight; the certificate leaves so much open.
Rule heads(double open) {
  return {.scope = Scope::pool, .divide = [open](const Problem& problem) -> Result<Outcome> {
            const double each = 6.0 / static_cast<double>(problem.user_count());
            Tasks tasks;
            for (const User& user : problem.users()) tasks.push_back({each / user.demand[0].value()});
            Outcome outcome = giving(problem, Scope::pool, tasks);
            outcome.certificate = {.kind = "violation", .value = open};
            return outcome;
          }};
}

TEST(Properties, StrategyProofnessFailsByAppearingAsTwo) {
  const Problem problem = pool_of({6}, {{1}, {1}});
  const Outcome outcome = *heads(0).divide(problem);
  const Verdict found = check_strategy_proofness({problem, outcome, Scope::pool}, heads(0));
  ASSERT_FALSE(found.holds);
  EXPECT_THAT(found.witness->words, HasSubstr("by appearing as two of half the weight"));
}

// Who appears as two has 4 instead of 3, a quarter more; ten times what both certificates leave open is less
// than that with 0.012, and more with 0.013.
TEST(Properties, AGainThatBothCertificatesLeaveOpenIsNone) {
  const Problem problem = pool_of({6}, {{1}, {1}});
  for (const double open : {0.012, 0.013}) {
    const Rule rule = heads(open);
    const Outcome outcome = *rule.divide(problem);
    EXPECT_EQ(check_strategy_proofness({problem, outcome, Scope::pool}, rule).holds, open == 0.013) << open;
  }
}

// The answer does not depend on how many work on it.
TEST(Properties, TheSearchIsTheSameWithAnyNumberOfThreads) {
  const Problem problem = pool_of({10, 8}, {{2, 4}, {4, 2}, {1, 5}});
  for (const Property property : {Property::strategy_proofness, Property::resource_monotonicity,
                                  Property::population_monotonicity, Property::scale_invariance}) {
    const Verdict one = verdict_on(property, problem, "pf", {.attempts = 200, .seed = 3, .threads = 1});
    const Verdict three = verdict_on(property, problem, "pf", {.attempts = 200, .seed = 3, .threads = 3});
    EXPECT_EQ(one.tried, three.tried);
    ASSERT_EQ(one.holds, three.holds);
    if (!one.holds) {
      EXPECT_EQ(one.witness->words, three.witness->words);
    }
  }
}

// What somebody could have more while nobody loses: on one resource and two servers, by brute force over a
// grid of divisions.
TEST(Properties, ParetoEfficiencyAgreesWithEveryDivisionOnAGrid) {
  Random random(7);
  int efficient = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto draw = [&] { return static_cast<double>(1 + random.below(3)); };
    const std::vector<std::vector<double>> capacity = {{4, 4}, {4, 4}};
    const std::vector<std::vector<double>> demand = {{draw(), draw()}, {draw(), draw()}};
    const Problem problem = problem_of(cluster_of(capacity, demand));
    // Integer tasks x[n][i] that fit.
    const auto fits = [&](int a, int b) {
      return a * demand[0][0] + b * demand[1][0] <= 4 && a * demand[0][1] + b * demand[1][1] <= 4;
    };
    std::vector<std::array<int, 4>> all;
    for (int a = 0; a <= 4; ++a)
      for (int b = 0; b <= 4; ++b)
        for (int c = 0; c <= 4; ++c)
          for (int d = 0; d <= 4; ++d)
            if (fits(a, b) && fits(c, d)) all.push_back({a, b, c, d});
    const auto& x = all[random.below(all.size())];
    const bool dominated = std::any_of(all.begin(), all.end(), [&](const auto& y) {
      const int first = y[0] + y[2] - x[0] - x[2];
      const int second = y[1] + y[3] - x[1] - x[3];
      return first >= 0 && second >= 0 && first + second > 0;
    });
    const Outcome outcome =
        giving(problem, Scope::servers, {{1.0 * x[0], 1.0 * x[2]}, {1.0 * x[1], 1.0 * x[3]}});
    const Verdict found = verdict(Property::pareto_efficiency, problem, outcome, Scope::servers);
    EXPECT_FALSE(dominated && found.holds) << trial;
    efficient += found.holds ? 1 : 0;
  }
  EXPECT_GT(efficient, 0);
}

// What users have differs by a factor of thousands: to take a task from one would make room for thousands of
// another's.
TEST(ParetoEfficiency, IsDecidedWhenWhatUsersHaveIsFarApart) {
  Cluster cluster = testing::cluster_of({{16, 64}, {16, 32}}, {{1, 2}, {1, 4}});
  cluster.users[1].weight = Quantity(5000);
  for (const char* mechanism : {"drfh", "tsf", "cmmf"}) {
    const Verdict verdict =
        testing::verdict_on(Property::pareto_efficiency, testing::problem_of(cluster), mechanism);
    EXPECT_TRUE(verdict.holds) << mechanism;
    EXPECT_FALSE(verdict.vacuous) << mechanism << ": " << verdict.note;
  }
}

// A task of which next to nothing fits, and one of which billions do: 0.3 CPUs, tasks of 1e9 and of 1e-6.
class TasksFarApart : public ::testing::Test {
 protected:
  static Problem problem(std::vector<std::vector<double>> capacity) {
    Cluster cluster = testing::cluster_of(capacity, {{1e9}, {1e-6}});
    cluster.users[0].tasks = Quantity(5);
    return testing::problem_of(cluster);
  }

  // In exact numbers, by which part of the capacity these tasks miss it.
  static double missed(const std::vector<double>& tasks) {
    const mpq_class capacity(3, 10);
    const mpq_class used = mpq_class(tasks[0]) * 1'000'000'000 + mpq_class(tasks[1]) / 1'000'000;
    const mpq_class part = (capacity - used) / capacity;
    return part.get_d();
  }
};

// In exact numbers the one resource is full, and who takes some of it can gain only by another's loss. In
// doubles a rounding of it is more than a tenth of what the tiny tasks hold, and is not free.
TEST_F(TasksFarApart, MaxMinIsEfficient) {
  const Problem pool = problem({{0.3}});
  const Outcome outcome = *allocate(pool, "max-min");
  const mpq_class level = mpq_class(3, 10) / (mpq_class(1'000'000'000) + mpq_class(1, 1'000'000));
  for (const double tasks : outcome.allocation.tasks) EXPECT_DOUBLE_EQ(tasks, level.get_d());
  EXPECT_LE(std::abs(missed(outcome.allocation.tasks)), 3e-16);
  const Verdict found = verdict(Property::pareto_efficiency, pool, outcome, Scope::pool);
  EXPECT_TRUE(found.holds);
  EXPECT_FALSE(found.vacuous) << found.note;
}

// A hundredth of the pool is free: the tiny tasks gain what it holds of them, less what others may take.
TEST_F(TasksFarApart, WhatIsFreeCounts) {
  const Problem pool = problem({{0.3}});
  Outcome outcome = *allocate(pool, "max-min");
  outcome.allocation.tasks[0] *= 0.99;
  const double free = 0.3 * missed(outcome.allocation.tasks);
  const Verdict found = verdict(Property::pareto_efficiency, pool, outcome, Scope::pool);
  ASSERT_FALSE(found.holds);
  EXPECT_EQ(found.witness->user, pool.users()[1].name);
  EXPECT_NEAR(found.witness->numbers[1].second, free / 1e-6, 1e-9 * free / 1e-6);
}

TEST_F(TasksFarApart, SoAreMechanismsOverServers) {
  for (const char* mechanism : {"drfh", "tsf", "cmmf"}) {
    const Verdict verdict =
        testing::verdict_on(Property::pareto_efficiency, problem({{0.3}, {0.3}}), mechanism);
    EXPECT_TRUE(verdict.holds) << mechanism;
  }
}

}  // namespace
}  // namespace mirab
