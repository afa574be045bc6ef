#include <cmath>
#include <gmock/gmock.h>
#include <limits>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Östman, chapter 5, whose text prints 0.267 and 0.152.
TEST(Metrics, GiniOfTheThesisExamples) {
  EXPECT_NEAR(gini(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}), 0.267, 0.0005);
  EXPECT_NEAR(gini(std::vector{1.0, 5.0, 5.0, 5.0, 5.0}), 0.152, 0.0005);
}

TEST(Metrics, GiniIsEquation26) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> shares(1 + random.below(20));
    for (double& share : shares) share = random.unit();
    double differences = 0;
    double total = 0;
    for (const double a : shares) {
      total += a;
      for (const double b : shares) differences += std::abs(a - b);
    }
    EXPECT_NEAR(gini(shares), differences / (2 * static_cast<double>(shares.size()) * total), 1e-12)
        << "seed " << seed;
  }
}

TEST(Metrics, EqualSharesAreFairByEveryMeasure) {
  const std::vector<double> equal(7, 0.25);
  EXPECT_EQ(gini(equal), 0);
  EXPECT_EQ(jain(equal), 1);
  EXPECT_EQ(ratio_20_20(equal), 1);
  EXPECT_EQ(sample_standard_deviation(equal), 0);
}

TEST(Metrics, OneWhoHasAllIsUnfairByEveryMeasure) {
  const std::vector<double> one = {0, 0, 0, 8};
  EXPECT_DOUBLE_EQ(gini(one), 0.75);
  EXPECT_DOUBLE_EQ(jain(one), 0.25);
  EXPECT_EQ(ratio_20_20(one), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(sample_standard_deviation(one), 4);
}

TEST(Metrics, AFifthIsRoundedUp) {
  EXPECT_DOUBLE_EQ(ratio_20_20(std::vector{1.0, 2.0, 3.0}), 3);
  EXPECT_DOUBLE_EQ(ratio_20_20(std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), 11.0 / 3);
}

TEST(Metrics, NothingIsSharedEqually) {
  for (const std::vector<double>& none : {std::vector<double>{}, std::vector<double>(3, 0.0)}) {
    EXPECT_EQ(gini(none), 0);
    EXPECT_EQ(jain(none), 1);
    EXPECT_EQ(ratio_20_20(none), 1);
    EXPECT_EQ(sample_standard_deviation(none), 0);
  }
}

// The slides' pool with the DRF allocation, A 3 tasks and B 2.
struct Slides {
  Problem problem;
  Allocation allocation;
};

Slides weighted_slides(Quantity weight_of_b = Quantity{1}) {
  Cluster cluster{.resources = {"cpu", "memory"},
                  .servers = {{.name = "pool", .capacity = {Quantity{9}, Quantity{18}}}},
                  .users = {{.name = "A", .demand = {Quantity{1}, Quantity{4}}},
                            {.name = "B", .demand = {Quantity{3}, Quantity{1}}, .weight = weight_of_b}}};
  Allocation allocation{
      .tasks = {3, 2},
      .grants = testing::grants_of({{0, 0, 3, {3, 12}}, {1, 0, 2, {6, 2}}}),
      .servers = {{.name = "pool", .count = 1, .capacity = {9, 18}, .used = {9, 14}, .prices = {}}}};
  return {*Problem::from(std::move(cluster)), std::move(allocation)};
}

TEST(Metrics, TheSlidesExampleIsPerfectlyFairAndLeavesMemory) {
  const auto [problem, allocation] = weighted_slides();
  EXPECT_THAT(dominant_resources(problem), ElementsAre(1u, 0u));
  EXPECT_THAT(dominant_shares(problem, allocation),
              ElementsAre(DoubleNear(2.0 / 3, 1e-15), DoubleNear(2.0 / 3, 1e-15)));
  const Metrics metrics = measure(problem, allocation);
  EXPECT_NEAR(metrics.min_dominant_share, 2.0 / 3, 1e-15);
  EXPECT_NEAR(metrics.jain, 1, 1e-15);
  EXPECT_NEAR(metrics.gini, 0, 1e-15);
  EXPECT_THAT(metrics.utilization, ElementsAre(DoubleNear(1, 1e-15), DoubleNear(14.0 / 18, 1e-15)));
  EXPECT_NEAR(metrics.beta_dominant, 0, 1e-15) << "A holds 12/18 of memory, B 6/9 of CPU";
  EXPECT_NEAR(metrics.beta_non_dominant, 3.0 / 9 - 2.0 / 18, 1e-15);
}

// 0.3 of 3 and 0.1 of 1 are equal parts, of one server and of three together; in doubles the second is
// larger.
TEST(Metrics, EqualPartsInDecimalsAreEqual) {
  ASSERT_LT(0.3 / 3, 0.1 / 1);
  const std::vector<Quantity> demand = {*Quantity::parse("0.3"), *Quantity::parse("0.1")};
  const Cluster one{.resources = {"cpu", "memory"},
                    .servers = {{.name = "pool", .capacity = {Quantity{3}, Quantity{1}}}},
                    .users = {{.name = "A", .demand = demand}}};
  EXPECT_THAT(dominant_resources(*Problem::from(one)), ElementsAre(0u));
  Cluster three = one;
  three.servers = {{.name = "s", .capacity = {*Quantity::parse("0.1"), *Quantity::parse("0.3")}, .count = 3}};
  three.users[0].demand = {*Quantity::parse("0.1"), *Quantity::parse("0.3")};
  EXPECT_THAT(dominant_resources(*Problem::from(three)), ElementsAre(0u));
}

TEST(Metrics, EqualSharesOfUnequalWeightsAreUnequal) {
  const auto [problem, allocation] = weighted_slides(Quantity{3});
  const Metrics metrics = measure(problem, allocation);
  EXPECT_NEAR(metrics.min_dominant_share, 2.0 / 3, 1e-15) << "the share itself";
  EXPECT_NEAR(metrics.jain, jain(std::vector{1.0, 1.0 / 3}), 1e-15);
  EXPECT_NEAR(metrics.gini, gini(std::vector{1.0, 1.0 / 3}), 1e-15);
}

// On s2, the only server where A may run, its tasks take no cpu: what dominates it is memory, of which it has
// all there is on s2, a half of the cluster's; B has the rest of the memory and all cpu.
TEST(Metrics, WhatDominatesAUserIsWhatItsTasksTakeWhereTheyRun) {
  Cluster cluster = testing::cluster_of({{4, 4}, {4, 4}}, {{4, 1}, {1, 1}});
  cluster.users[0].servers = {"s2"};
  cluster.users[0].demand_on = {{"s2", testing::amounts({0, 1})}};
  cluster.users[1].servers = {"s1"};
  const Problem problem = testing::problem_of(cluster);
  EXPECT_THAT(dominant_resources(problem), ElementsAre(0u, 0u));
  const Metrics metrics = measure(problem, allocate(problem, "per-server-drf")->allocation);
  EXPECT_THAT(metrics.dominant_resources, ElementsAre(1u, 0u));
  EXPECT_THAT(metrics.dominant_shares, ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.5, 1e-9)));
  EXPECT_NEAR(metrics.beta_dominant, 0, 1e-9) << "half of the cpu and half of the memory";
  EXPECT_NEAR(metrics.beta_non_dominant, 0.5, 1e-9) << "half of the memory, no cpu";
  const Allocation nothing{.tasks = {0, 0}, .grants = {}, .servers = {{}, {}}};
  EXPECT_THAT(dominant_resources(problem, nothing), ElementsAre(0u, 0u));
}

// A tenth of one resource on one server and a fifth of the other elsewhere: not three tenths of anything.
TEST(Metrics, ADominantShareIsOfOneResourceOverAllServers) {
  auto [problem, allocation] = weighted_slides();
  allocation.grants = testing::grants_of({{0, 0, 1, {0.9, 0}}, {0, 1, 1, {0, 3.6}}});
  EXPECT_THAT(dominant_shares(problem, allocation), ElementsAre(DoubleNear(0.2, 1e-15), 0));
}

// Outcomes that give every user its tasks on a pool.

Outcome of_tasks(const Problem& problem, std::vector<double> tasks) {
  Outcome outcome;
  outcome.allocation.tasks = std::move(tasks);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    std::vector<double> bundle;
    for (const Quantity& amount : problem.users()[n].demand)
      bundle.push_back(outcome.allocation.tasks[n] * amount.value());
    outcome.allocation.grants.add(n, 0, outcome.allocation.tasks[n], bundle);
  }
  outcome.allocation.servers = {{"pool", 1, problem.pool(), problem.pool(), {}}};
  return outcome;
}

// The user "shop" with the task shapes "web" and "cache", and the user "B" between them, on 100 of each
// resource.
Cluster shop(const std::vector<double>& web, const std::vector<double>& b, const std::vector<double>& cache) {
  Cluster cluster = testing::cluster_of({std::vector<double>(web.size(), 100)}, {web, b, cache});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{0}, std::size_t{2}}) {
    cluster.users[n].shape = n == 0 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
  }
  return cluster;
}

// 20 + 10 percent of the CPU against 30: two equal users, and not three unequal ones.
TEST(Metrics, AUserWithShapesIsOnePersonWithWhatItsShapesHaveTogether) {
  const Problem problem = testing::problem_of(shop({1}, {1}, {1}));
  const Metrics metrics = measure(problem, of_tasks(problem, {20, 30, 10}).allocation);
  EXPECT_NEAR(metrics.jain, 1, 1e-12);
  EXPECT_NEAR(metrics.gini, 0, 1e-12);
  EXPECT_NEAR(metrics.ratio_20_20, 1, 1e-12);
  EXPECT_NEAR(metrics.sample_standard_deviation, 0, 1e-12);
  EXPECT_NEAR(metrics.min_dominant_share, 0.3, 1e-12);
  EXPECT_THAT(metrics.dominant_shares, ElementsAre(0.2, 0.3, 0.1)) << "a row of the table is a shape";
}

// 30 percent of the CPU as web and 30 of the memory as cache are 30 of each, and not 60 of anything.
TEST(Metrics, TheSharesOfShapesAreOfOneResource) {
  const Problem problem = testing::problem_of(shop({1, 0}, {1, 0}, {0, 1}));
  const Metrics metrics = measure(problem, of_tasks(problem, {30, 60, 30}).allocation);
  EXPECT_NEAR(metrics.min_dominant_share, 0.3, 1e-12);
  EXPECT_NEAR(metrics.gini, gini(std::vector{0.3, 0.6}), 1e-12);
}

// With weight 2 the shop should hold twice what B does, whatever the weights of its shapes, even none.
TEST(Metrics, AUserWithShapesCountsWithItsOwnWeight) {
  Cluster cluster = shop({1}, {1}, {1});
  cluster.groups[0].weight = Quantity(2);
  cluster.users[0].weight = Quantity(5);
  cluster.users[2].weight = Quantity(0);
  const Problem problem = testing::problem_of(cluster);
  const Metrics metrics = measure(problem, of_tasks(problem, {10, 20, 30}).allocation);
  EXPECT_NEAR(metrics.gini, 0, 1e-12);
  EXPECT_NEAR(metrics.jain, 1, 1e-12);
  EXPECT_NEAR(metrics.min_dominant_share, 0.2, 1e-12);
}

// A user may hold all of its shapes but one and be short: then it is compared with all that it has.
TEST(Metrics, AUserIsShortWithAllItHasWhenOneOfItsShapesIs) {
  Cluster cluster = shop({1}, {1}, {1});
  cluster.users[0].tasks = Quantity(20);
  const Problem problem = testing::problem_of(cluster);
  const Outcome outcome = of_tasks(problem, {20, 10, 10});
  const std::optional<Metrics> of_short = of_short_users(
      problem, outcome.allocation, measure(problem, outcome.allocation), satisfaction(problem, outcome));
  ASSERT_TRUE(of_short);
  EXPECT_NEAR(of_short->gini, gini(std::vector{0.3, 0.1}), 1e-12);
  EXPECT_NEAR(of_short->min_dominant_share, 0.1, 1e-12);
}

// In Hamzeh's measures too. The shop holds 20 + 10 CPUs as web and cache and 10 + 40 GB, B 30 CPUs and 10 GB.
Problem shop_of_two_resources(int weight = 1) {
  Cluster cluster = shop({2, 1}, {3, 1}, {1, 4});
  cluster.groups[0].weight = Quantity(weight);
  cluster.users[0].weight = Quantity(7);  // among the shapes only
  return testing::problem_of(cluster);
}

TEST(GroupMetrics, AUserWithShapesIsOneUserOfTheResourceThatAllItsTasksTakeMostOf) {
  const Problem problem = shop_of_two_resources();
  const GroupMetrics metrics = measure_groups(problem, of_tasks(problem, {10, 10, 10}).allocation);
  EXPECT_NEAR(*metrics.pareto_index[0], 30 - 50, 1e-9) << "B alone";
  EXPECT_NEAR(*metrics.pareto_index[1], 50 - 50, 1e-9) << "the shop, with both its shapes";
  EXPECT_EQ(metrics.sharing_incentive_index, 0.5) << "the shop, and not B";
  EXPECT_THAT(metrics.jain_dominant, ElementsAre(1, 1)) << "one user in each group";
  EXPECT_THAT(metrics.jain_non_dominant, ElementsAre(1, 1));
}

TEST(GroupMetrics, AUserWithShapesHasTheFairShareOfItsOwnWeight) {
  const Problem problem = shop_of_two_resources(3);
  const GroupMetrics metrics = measure_groups(problem, of_tasks(problem, {10, 10, 10}).allocation);
  EXPECT_NEAR(*metrics.pareto_index[0], 30 - 25, 1e-9);
  EXPECT_NEAR(*metrics.pareto_index[1], 50 - 75, 1e-9);
}

// 30 CPUs of B and 50 GB of the shop; of those whom the resource does not dominate, 30 CPUs and 10 GB.
TEST(GroupMetrics, BetaPutsAllShapesOfAUserIntoOneGroup) {
  const Problem problem = shop_of_two_resources();
  const Metrics metrics = measure(problem, of_tasks(problem, {10, 10, 10}).allocation);
  EXPECT_NEAR(metrics.beta_dominant, 0.5 - 0.3, 1e-12);
  EXPECT_NEAR(metrics.beta_non_dominant, 0.3 - 0.1, 1e-12);
}

TEST(GroupMetrics, WhatATaskOfEachShapeTakesMostOfDominatesAUserThatRunsNothing) {
  const Problem problem = shop_of_two_resources();
  const GroupMetrics metrics = measure_groups(problem, of_tasks(problem, {0, 10, 0}).allocation);
  EXPECT_NEAR(*metrics.pareto_index[1], 0 - 50, 1e-9) << "3 CPUs and 5 GB";
}

// A group and users, all of weight 0: none has a fair share, and none is below it.
TEST(GroupMetrics, WithoutWeightsEveryUserHasItsFairShare) {
  Cluster cluster = shop({1}, {1}, {1});
  cluster.groups[0].weight = Quantity(0);
  cluster.users[1].weight = Quantity(0);
  const Problem problem = testing::problem_of(cluster);
  const GroupMetrics metrics = measure_groups(problem, of_tasks(problem, {10, 20, 30}).allocation);
  EXPECT_EQ(metrics.sharing_incentive_index, 1);
  EXPECT_NEAR(*metrics.pareto_index[0], 40, 1e-12);
}

// Who has all that it asks for.

TEST(Satisfaction, IsHavingAllTasksToAMillionthAndNeverOfEndlessOnes) {
  Cluster cluster = testing::cluster_of({{100}}, {{1}, {1}, {1}, {2}});
  cluster.users[0].tasks = Quantity(10);
  cluster.users[1].tasks = Quantity(10);
  cluster.users[3].tasks = Quantity(0);
  const Problem problem = testing::problem_of(cluster);
  const Satisfaction found = satisfaction(problem, of_tasks(problem, {10 * (1 - 1e-7), 9.99, 50, 0}));
  EXPECT_THAT(found.satisfied, ElementsAre(true, false, false, true));
  EXPECT_THAT(found.asked, ElementsAre(10, 10, std::nullopt, 0));
  EXPECT_THAT(found.asked_shares, ElementsAre(0.1, 0.1, std::nullopt, 0));
  EXPECT_EQ(found.users, 4u);
  EXPECT_EQ(found.satisfied_users, 2u);
  EXPECT_TRUE(found.any_asked());
}

// On s2 a task of A takes a fourth of all memory, where its plain demand would be half of the cluster's cpu.
TEST(Satisfaction, WhatIsAskedForIsMeasuredWhereTheTasksRun) {
  Cluster cluster = testing::cluster_of({{4, 4}, {4, 4}}, {{4, 1}, {1, 1}});
  cluster.users[0].servers = {"s2"};
  cluster.users[0].demand_on = {{"s2", testing::amounts({0, 2})}};
  for (User& user : cluster.users) user.tasks = Quantity(2);
  const Problem problem = testing::problem_of(cluster);
  Outcome outcome;
  outcome.allocation = {.tasks = {2, 2}, .grants = {}, .servers = {{}, {}}};
  outcome.allocation.grants.add(0, 1, 2, {0, 4});
  outcome.allocation.grants.add(1, 0, 2, {2, 2});
  const Satisfaction all = satisfaction(problem, outcome);
  EXPECT_THAT(all.satisfied, ElementsAre(true, true));
  EXPECT_THAT(all.asked_shares, ElementsAre(0.5, 0.25));
  EXPECT_THAT(measure(problem, outcome.allocation).dominant_shares,
              ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.25, 1e-9)));
  outcome.allocation.tasks = {0, 0};
  outcome.allocation.grants = {};
  EXPECT_THAT(satisfaction(problem, outcome).asked_shares, ElementsAre(0.5, 0.25));
  outcome.allocation.servers.resize(1);
  EXPECT_THAT(satisfaction(problem, outcome).asked_shares, ElementsAre(1, 0.25)) << "a pool asks the plain";
}

TEST(Satisfaction, AFillingAsksForWholeTasks) {
  Cluster cluster = testing::cluster_of({{100}}, {{1}});
  cluster.users[0].tasks = *Quantity::parse("2.5");
  const Problem problem = testing::problem_of(cluster);
  Outcome outcome = of_tasks(problem, {2});
  EXPECT_FALSE(satisfaction(problem, outcome).satisfied[0]);
  outcome.filling.emplace();
  EXPECT_TRUE(satisfaction(problem, outcome).satisfied[0]);
  EXPECT_EQ(satisfaction(problem, outcome).asked[0], 2);
}

TEST(Satisfaction, AUserWithShapesIsOneAndHasAllWhenEachShapeHas) {
  Cluster cluster = shop({1}, {1}, {1});
  for (User& user : cluster.users) user.tasks = Quantity(10);
  const Problem problem = testing::problem_of(cluster);
  const Satisfaction some = satisfaction(problem, of_tasks(problem, {10, 10, 9}));
  EXPECT_EQ(some.users, 2u);
  EXPECT_EQ(some.satisfied_users, 1u);
  EXPECT_NEAR(*some.lowest_short_share, 0.19, 1e-12) << "of both shapes together";
  const Satisfaction all = satisfaction(problem, of_tasks(problem, {10, 10, 10}));
  EXPECT_EQ(all.satisfied_users, 2u);
  EXPECT_FALSE(all.lowest_short_share);
}

// Of 10, 20 and 5 percent the last has all that it asks for: Gini of (10, 20) is 1/6.
TEST(Satisfaction, FiguresOfTheShortLeaveOutWhoIsContentWithLess) {
  Cluster cluster = testing::cluster_of({{100}}, {{1}, {1}, {1}});
  cluster.users[2].tasks = Quantity(5);
  const Problem problem = testing::problem_of(cluster);
  const Outcome outcome = of_tasks(problem, {10, 20, 5});
  const Metrics metrics = measure(problem, outcome.allocation);
  const std::optional<Metrics> of_short =
      of_short_users(problem, outcome.allocation, metrics, satisfaction(problem, outcome));
  ASSERT_TRUE(of_short);
  EXPECT_NEAR(of_short->gini, 1.0 / 6, 1e-12);
  EXPECT_NEAR(of_short->jain, 0.9, 1e-12);
  EXPECT_NEAR(of_short->min_dominant_share, 0.1, 1e-12);
  EXPECT_NEAR(metrics.gini, 2.0 / 7, 1e-12) << "the figures of all stay what they were";
  cluster.users[0].tasks = Quantity(10);
  cluster.users[1].tasks = Quantity(20);
  const Problem content = testing::problem_of(cluster);
  EXPECT_FALSE(of_short_users(content, outcome.allocation, metrics, satisfaction(content, outcome)));
}

// One user has all 10 CPUs and all that it asks for, and two have none: that is unfair.
TEST(Satisfaction, WhoHasAllAndHoldsMoreThanAShortUserIsCompared) {
  Cluster cluster = testing::cluster_of({{10}}, {{1}, {1}, {1}});
  for (User& user : cluster.users) user.tasks = Quantity(10);
  const auto short_of = [&](const std::vector<double>& tasks) {
    const Problem problem = testing::problem_of(cluster);
    const Outcome outcome = of_tasks(problem, tasks);
    return of_short_users(problem, outcome.allocation, measure(problem, outcome.allocation),
                          satisfaction(problem, outcome));
  };
  const std::optional<Metrics> one_has_all = short_of({10, 0, 0});
  ASSERT_TRUE(one_has_all);
  EXPECT_NEAR(one_has_all->gini, 2.0 / 3, 1e-12);
  EXPECT_NEAR(one_has_all->jain, 1.0 / 3, 1e-12);
  EXPECT_EQ(one_has_all->min_dominant_share, 0);
  // 2 of 2 with weight 4 are less per weight than 3 and 5 of 10; with weight 1/2 they are more than 3.
  cluster.users[0].tasks = Quantity(2);
  cluster.users[0].weight = Quantity(4);
  EXPECT_NEAR(short_of({2, 3, 5})->gini, 1.0 / 8, 1e-12);
  cluster.users[0].weight = *Quantity::parse("0.5");
  EXPECT_NEAR(short_of({2, 3, 5})->gini, 1.0 / 9, 1e-12);
  EXPECT_NEAR(short_of({2, 3, 5})->min_dominant_share, 0.3, 1e-12) << "of those who are short";
  // One short user, and no other who holds more than it: there is nothing to compare, but a lowest share.
  cluster.users[1].tasks = Quantity(2);
  cluster.users[0].weight = Quantity(1);
  EXPECT_FALSE(short_of({2, 2, 5}));
  const Problem problem = testing::problem_of(cluster);
  EXPECT_EQ(satisfaction(problem, of_tasks(problem, {2, 2, 5})).lowest_short_share, 0.5);
}

}  // namespace
}  // namespace mirab
