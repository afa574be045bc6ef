// The properties of users, asked of teams: who is compared, by what, and that a team of one user is that
// user.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/audit/audit.hpp>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"
#include "random_cases.hpp"
#include "support/shop.hpp"

namespace mirab {
namespace {

using testing::amounts;
using testing::cluster_of;
using testing::giving;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::verdict_on;

constexpr std::array kByWeight = {Property::sharing_incentive, Property::envy_freeness,
                                  Property::bottleneck_fairness, Property::single_resource_fairness};

// What a rule that honours groups would be told of this allocation, by server.
Verdict of_giving(Property property, const Problem& problem, const std::vector<std::vector<double>>& tasks,
                  Scope scope = Scope::pool) {
  const Outcome outcome = giving(problem, scope, tasks);
  const Rule rule{.scope = scope, .divide = [](const Problem&) { return Error{}; }, .groups = true};
  return check(property, {problem, outcome, scope}, rule);
}

// A and B in G, C beside it: [m] by user.
Cluster two_and_one(const std::vector<double>& capacity, const std::vector<std::vector<double>>& demands) {
  Cluster cluster = cluster_of({capacity}, demands);
  cluster.groups = {{.name = "G"}};
  cluster.users[0].group = cluster.users[1].group = "G";
  return cluster;
}

TEST(BetweenTeams, ATeamIsNotComparedByEachOfItsShapes) {
  const Problem shop = test::shop();
  const Verdict envy = verdict_on(Property::envy_freeness, shop, "given");
  ASSERT_FALSE(envy.holds);
  EXPECT_EQ(
      envy.witness->words,
      "serve could run 6.0 tasks of serve/api, and all others that it runs, with what given gives train, "
      "its own bundle runs 2.0");
  EXPECT_EQ(envy.witness->user, "serve");
  EXPECT_EQ(envy.witness->other, "train");
  const Verdict incentive = verdict_on(Property::sharing_incentive, shop, "given");
  ASSERT_FALSE(incentive.holds);
  EXPECT_EQ(incentive.witness->words,
            "serve could run 3.333 tasks of serve/api, and all others that it runs, on its third of the "
            "cluster, given gives it 2.0");
  for (const Property property : kByWeight) {
    const Verdict fair = verdict_on(property, shop, "hdrf");
    EXPECT_TRUE(fair.holds && fair.decided) << property_name(property);
  }
}

// Of 12 GPUs G, with two users, is owed half: 3, 3, 6. Users alone would be owed 4 each.
TEST(BetweenTeams, TheTeamCountsAndNotItsUsers) {
  const Problem problem = problem_of(two_and_one({12}, {{1}, {1}, {1}}));
  for (const Property property : kByWeight)
    EXPECT_TRUE(of_giving(property, problem, {{3}, {3}, {6}}).holds) << property_name(property);
  const Verdict incentive = of_giving(Property::sharing_incentive, problem, {{4}, {4}, {4}});
  ASSERT_FALSE(incentive.holds);
  EXPECT_EQ(incentive.witness->words, "C could run 6.0 tasks on its half of the cluster, test gives it 4.0");
  const Verdict envy = of_giving(Property::envy_freeness, problem, {{4}, {4}, {4}});
  ASSERT_FALSE(envy.holds);
  EXPECT_EQ(envy.witness->words, "C could run 8.0 tasks with what test gives G, its own bundle runs 4.0");
  const Verdict level = of_giving(Property::single_resource_fairness, problem, {{4}, {4}, {4}});
  ASSERT_FALSE(level.holds);
  EXPECT_EQ(
      level.witness->words,
      "C holds 4.0 cpu under test and could have some of the 4.0 of A, whose team G has more for its weight");
  const Verdict within = of_giving(Property::single_resource_fairness, problem, {{2}, {4}, {6}});
  ASSERT_FALSE(within.holds) << "members of G are compared too";
  EXPECT_THAT(within.witness->words, HasSubstr("A holds 2.0 cpu"));
}

TEST(BetweenTeams, WeightsAreThoseOfTheMembersOfAParent) {
  Cluster cluster = two_and_one({12}, {{1}, {1}, {1}});
  cluster.groups[0].weight = Quantity(2);
  const Problem problem = problem_of(cluster);
  for (const Property property : kByWeight)
    EXPECT_TRUE(of_giving(property, problem, {{4}, {4}, {4}}).holds) << property_name(property);
  const Verdict envy = of_giving(Property::envy_freeness, problem, {{2}, {2}, {8}});
  ASSERT_FALSE(envy.holds);
  EXPECT_EQ(
      envy.witness->words,
      "G could run 16.0 tasks of A and 1 like it, and all others that it runs, with what test gives C (per "
      "weight), its own bundle runs 4.0");
}

// All that it runs must fit: A would like the CPUs of C, but the GPU tasks of B would not fit there.
TEST(BetweenTeams, ATeamPrefersOnlyWhatHoldsAllOfItsTasks) {
  const Problem problem = problem_of(two_and_one({12, 4}, {{1, 0}, {1, 1}, {1, 0}}));
  EXPECT_TRUE(of_giving(Property::envy_freeness, problem, {{1}, {1}, {10}}).holds);
  EXPECT_FALSE(of_giving(Property::envy_freeness, problem, {{1}, {0}, {10}}).holds);
}

TEST(BetweenTeams, NobodyIsOwedMoreThanItsTasksAndLimitsAllow) {
  Cluster cluster = two_and_one({12}, {{1}, {1}, {1}});
  cluster.users[2].tasks = Quantity(2);
  for (const Property property : kByWeight)
    EXPECT_TRUE(of_giving(property, problem_of(cluster), {{5}, {5}, {2}}).holds) << property_name(property);
  cluster.users[2].tasks.reset();
  cluster.users[2].quota.limit = {Quantity(2)};
  for (const Property property : kByWeight)
    EXPECT_TRUE(of_giving(property, problem_of(cluster), {{5}, {5}, {2}}).holds) << property_name(property);
}

TEST(BetweenTeams, WhatIsGuaranteedIsNotEnvied) {
  Cluster cluster = two_and_one({12}, {{1}, {1}, {1}});
  cluster.groups[0].quota.guarantee = amounts({8});
  const Problem problem = problem_of(cluster);
  const std::vector<std::vector<double>> tasks{{5}, {5}, {2}};
  EXPECT_TRUE(of_giving(Property::envy_freeness, problem, tasks).holds);
  for (const Property property : {Property::sharing_incentive, Property::single_resource_fairness})
    EXPECT_TRUE(of_giving(property, problem, tasks).vacuous) << property_name(property);
}

TEST(BetweenTeams, WhoHasNoWeightIsOwedNothingAndComesLast) {
  Cluster cluster = cluster_of({{12}}, {{1}, {1}});
  cluster.users[0].weight = Quantity(0);
  const Problem problem = problem_of(cluster);
  for (const Property property : kByWeight)
    EXPECT_TRUE(of_giving(property, problem, {{0}, {12}}).holds) << property_name(property);
  EXPECT_FALSE(of_giving(Property::single_resource_fairness, problem, {{1}, {11}}).holds);
  EXPECT_FALSE(of_giving(Property::sharing_incentive, problem, {{1}, {11}}).holds);
}

// By server: a part of a server that the team may not use is lost to it.
TEST(BetweenTeams, TheirTasksRunWhereTheyMay) {
  Cluster cluster = cluster_of({{8}, {8}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "G"}};
  cluster.users[0].group = cluster.users[1].group = "G";
  cluster.users[0].servers = cluster.users[1].servers = {{"s1"}};
  const Problem problem = problem_of(cluster);
  EXPECT_TRUE(
      of_giving(Property::sharing_incentive, problem, {{2, 0}, {2, 0}, {4, 8}}, Scope::servers).holds);
  EXPECT_FALSE(
      of_giving(Property::sharing_incentive, problem, {{2, 0}, {1, 0}, {5, 8}}, Scope::servers).holds);
  EXPECT_TRUE(of_giving(Property::envy_freeness, problem, {{4, 0}, {4, 0}, {0, 8}}, Scope::servers).holds)
      << "what C has on s2 is of no use to G";
}

// Where users may run is nothing to the pool.
TEST(BetweenTeams, OnThePoolTheyMayRunEverywhere) {
  Cluster cluster = cluster_of({{10}, {10}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "G"}};
  cluster.users[0].group = cluster.users[1].group = "G";
  cluster.users[0].not_servers = {"s2"};
  cluster.servers[0].taints = {{.key = "gpu"}};
  cluster.users[0].tolerates = {{.key = "gpu"}};
  for (const Property property : kByWeight) {
    const Verdict verdict = verdict_on(property, problem_of(cluster), "hdrf");
    EXPECT_TRUE(verdict.decided && verdict.holds) << property_name(property) << verdict.note;
  }
}

// The examples of docs/explanation/fairness.md.
TEST(BetweenTeams, ATeamOfUsersWhoNeedDifferentResourcesIsEnvied) {
  Cluster cluster = cluster_of({{2, 1}}, {{1, 0}, {1, 1}, {1, 0}, {0, 1}});
  cluster.groups = {{.name = "G"}};
  cluster.users[2].group = cluster.users[3].group = "G";
  const Verdict verdict = verdict_on(Property::envy_freeness, problem_of(cluster), "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "B could run 0.6 tasks with what hdrf gives G, its own bundle runs 0.4");
}

TEST(BetweenTeams, WhereAMemberMayRunElsewhereItsTeamMayHaveMore) {
  Cluster cluster = cluster_of({{1}, {1}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "G"}};
  cluster.users[0].group = cluster.users[1].group = "G";
  cluster.users[1].servers = cluster.users[2].servers = {{"s1"}};
  const Verdict verdict = verdict_on(Property::single_resource_fairness, problem_of(cluster), "hdrfh");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(
      verdict.witness->words,
      "C holds 0.6667 cpu under hdrfh and could have some of the 0.3333 of B, whose team G has more for "
      "its weight");
}

// The oracle: with a group around each user the verdicts are those on users, by another way.
TEST(BetweenTeams, ATeamOfOneUserIsThatUser) {
  int violated = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(400); ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    const Property property = kByWeight[seed % kByWeight.size()];
    const Choice mechanism = *choose_mechanism(seed % 8 < 4 ? "drfh" : "cmmf");
    const RandomStyle style{
        .accepts = mechanism_of(mechanism).accepts, .scope = Scope::servers, .property = property};
    Cluster cluster = random_cluster(style, random).cluster();
    const Problem flat = *Problem::from(cluster);
    const Outcome outcome = *allocate(flat, mechanism);
    for (User& user : cluster.users) {
      cluster.groups.push_back({.name = "team-" + user.name, .weight = user.weight});
      user.group = cluster.groups.back().name;
      user.weight = Quantity(1);
    }
    const Problem grouped = *Problem::from(cluster);
    const Rule users{.scope = Scope::servers, .divide = {}};
    const Rule teams{.scope = Scope::servers, .divide = {}, .groups = true};
    const Verdict of_users = check(property, {flat, outcome, Scope::servers}, users);
    const Verdict of_teams = check(property, {grouped, outcome, Scope::servers}, teams);
    ASSERT_TRUE(of_teams.decided) << of_teams.note;
    EXPECT_EQ(of_teams.vacuous, of_users.vacuous) << property_name(property);
    ASSERT_EQ(of_teams.holds, of_users.holds) << property_name(property);
    if (of_teams.holds) continue;
    ++violated;
    EXPECT_NEAR(of_teams.witness->size, of_users.witness->size, 1e-6);
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(violated, 20);
}

}  // namespace
}  // namespace mirab
