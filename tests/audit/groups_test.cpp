// The properties of a tree of groups, each on allocations that break it alone, on the worked cases of
// docs/explanation/teams.md, and what the search does with trees: draws, lies, smaller clusters.
#include <cmath>
#include <gmock/gmock.h>
#include <map>

#include <mirab/audit/audit.hpp>
#include <mirab/model/cluster_file.hpp>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"
#include "audit/properties/strategy_proofness.hpp"

namespace mirab {
namespace {

using testing::amounts;
using testing::cluster_of;
using ::testing::ElementsAre;
using testing::giving;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::verdict_on;

constexpr std::array kOfGroups = {Property::hierarchical_sharing_incentive, Property::guarantee,
                                  Property::group_envy_freeness, Property::group_strategy_proofness,
                                  Property::own_part};

// Users of one pool, in the groups of these names; "" is the cluster. Groups in the order in which they come.
Cluster in_groups(const std::vector<double>& capacity, const std::vector<std::vector<double>>& demands,
                  const std::vector<std::string>& groups) {
  Cluster cluster = cluster_of({capacity}, demands);
  for (std::size_t n = 0; n < groups.size(); ++n) {
    if (groups[n].empty()) continue;
    cluster.users[n].group = groups[n];
    const auto is_it = [&](const Group& group) { return group.name == groups[n]; };
    if (std::none_of(cluster.groups.begin(), cluster.groups.end(), is_it))
      cluster.groups.push_back({.name = groups[n]});
  }
  return cluster;
}

Verdict verdict_of_giving(Property property, const Problem& problem, const std::vector<double>& tasks) {
  std::vector<std::vector<double>> rows;
  for (const double each : tasks) rows.push_back({each});
  const Outcome outcome = giving(problem, Scope::pool, rows);
  const Rule none{.scope = Scope::pool, .divide = [](const Problem&) { return Error{}; }};
  return check(property, {problem, outcome, Scope::pool}, none);
}

TEST(GroupProperties, AskNothingOfAFlatCluster) {
  const Problem flat = problem_of(testing::slides());
  for (const Property property : kOfGroups) {
    const Verdict verdict = verdict_on(property, flat, "hdrf");
    EXPECT_TRUE(verdict.vacuous) << property_name(property);
    EXPECT_FALSE(verdict.note.empty());
  }
}

TEST(GroupProperties, AreAskedByDefaultWhereThereIsATree) {
  const auto asked = [](bool groups) { return asked_properties({}, groups); };
  EXPECT_EQ(asked(true).size(), properties().size());
  EXPECT_EQ(asked(false).size(), properties().size() - kOfGroups.size());
  EXPECT_THAT(asked_properties({.properties = {Property::guarantee}}, false),
              ElementsAre(Property::guarantee));
}

// teams_cases.json, collapsed-hierarchy: A takes both, B and C of G one each. G is owed a half.
const Cluster kCollapsed = in_groups({1, 1}, {{1, 1}, {1, 0}, {0, 1}}, {"", "G", "G"});

TEST(HierarchicalSharingIncentive, FailsForAGroupThatIsOwedAHalfAndHasAThird) {
  const Property property = Property::hierarchical_sharing_incentive;
  const Problem problem = problem_of(kCollapsed);
  EXPECT_TRUE(verdict_on(property, problem, "hdrf").holds);
  const Verdict verdict = verdict_of_giving(property, problem, {2.0 / 3, 1.0 / 3, 1.0 / 3});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(
      verdict.witness->words,
      "B has tasks left under test, and G has a dominant share of 0.3333, while its part of the tree is "
      "0.5");
  EXPECT_EQ(verdict.witness->other, "G");
  EXPECT_NEAR(verdict.witness->size, 1.0 / 3, 1e-12);
}

TEST(HierarchicalSharingIncentive, OwesNothingToWhoHasAllItsTasksOrMeetsALimit) {
  const Property property = Property::hierarchical_sharing_incentive;
  Cluster cluster = kCollapsed;
  for (std::size_t n : {1, 2}) cluster.users[n].tasks = *Quantity::parse("0.25");
  EXPECT_TRUE(verdict_of_giving(property, problem_of(cluster), {0.75, 0.25, 0.25}).holds);
  cluster = kCollapsed;
  cluster.groups[0].quota.limit = {*Quantity::parse("0.25"), *Quantity::parse("0.25")};
  EXPECT_TRUE(verdict_of_giving(property, problem_of(cluster), {0.75, 0.25, 0.25}).holds);
  EXPECT_FALSE(verdict_of_giving(property, problem_of(kCollapsed), {0.75, 0.25, 0.25}).holds);
}

// The user of a group of weight 3, next to a user of weight 1, is owed half of the group's three quarters.
TEST(HierarchicalSharingIncentive, MultipliesThePartsOfThePath) {
  Cluster cluster = in_groups({8}, {{1}, {1}, {1}}, {"", "G", "G"});
  cluster.groups[0].weight = Quantity(3);
  const Property property = Property::hierarchical_sharing_incentive;
  EXPECT_TRUE(verdict_of_giving(property, problem_of(cluster), {2, 3, 3}).holds);
  const Verdict verdict = verdict_of_giving(property, problem_of(cluster), {2, 4, 2});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->numbers[1], (std::pair<std::string, double>("part", 0.375)));
}

// Of 10 CPUs A is owed 6 and half of the rest, 8 in all.
TEST(HierarchicalSharingIncentive, IsOfWhatIsNotGuaranteed) {
  Cluster cluster = in_groups({10}, {{1}, {1}}, {"G", ""});
  cluster.groups[0].quota.guarantee = amounts({6});
  const Property property = Property::hierarchical_sharing_incentive;
  EXPECT_TRUE(verdict_of_giving(property, problem_of(cluster), {8, 2}).holds);
  const Verdict verdict = verdict_of_giving(property, problem_of(cluster), {9, 1});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words,
            "B has tasks left under test, and it has a dominant share beyond its guarantee of 0.1, while its "
            "part of the tree is 0.2");
  cluster.groups[0].quota.reserved = amounts({1});
  EXPECT_TRUE(verdict_of_giving(property, problem_of(cluster), {9, 1}).vacuous);
}

TEST(Guarantee, FailsForWhoHoldsLessOfAllThatItDemands) {
  Cluster cluster = in_groups({10, 10}, {{1, 0}, {1, 1}, {1, 0}}, {"G", "G", ""});
  cluster.groups[0].quota.guarantee = amounts({6, 6});
  const Problem problem = problem_of(cluster);
  EXPECT_TRUE(verdict_of_giving(Property::guarantee, problem, {3, 3, 4}).holds);
  const Verdict verdict = verdict_of_giving(Property::guarantee, problem, {0, 5, 5});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "A has tasks left under test, and G holds 5.0 cpu and is guaranteed 6.0");
  EXPECT_TRUE(verdict_of_giving(Property::guarantee, problem_of(kCollapsed), {0, 0, 0}).vacuous);
}

// A has all its tasks; the rest of what it reserves is not lent to B, and counts for G.
TEST(Guarantee, CountsWhatIsReservedBesideThePathAsHeld) {
  Cluster cluster = in_groups({6}, {{1}, {1}, {1}}, {"G", "G", ""});
  cluster.users[0].quota = {.guarantee = amounts({5}), .reserved = amounts({5})};
  cluster.users[0].tasks = Quantity(1);
  EXPECT_TRUE(verdict_of_giving(Property::guarantee, problem_of(cluster), {1, 0, 1}).holds);
  cluster.users[0].quota.reserved = amounts({3});
  const Verdict verdict = verdict_of_giving(Property::guarantee, problem_of(cluster), {1, 0, 1});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "B has tasks left under test, and G holds 3.0 cpu and is guaranteed 5.0");
  cluster.users[0].tasks.reset();
  cluster.users[0].quota.reserved = amounts({5});
  EXPECT_FALSE(verdict_of_giving(Property::guarantee, problem_of(cluster), {1, 0, 1}).holds);
}

// docs/explanation/teams.md, "Guarantees inside guarantees, with several resources".
TEST(Guarantee, OfAGroupWithinAGroupCanBeMissed) {
  Cluster cluster = in_groups({10, 10}, {{0, 1}, {1, 0}, {1, 0}, {1, 0}}, {"a", "a", "T", ""});
  std::swap(cluster.groups[0], cluster.groups[1]);
  cluster.groups[1].parent = "T";
  cluster.groups[0].quota.guarantee = amounts({6, 10});
  cluster.groups[1].quota.guarantee = amounts({4, 4});
  cluster.users[1].weight = *Quantity::parse("0.25");
  cluster.users[3].quota.guarantee = amounts({4, 0});
  const Verdict verdict = verdict_on(Property::guarantee, problem_of(cluster), "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "B has tasks left under hdrf, and a holds 2.0 cpu and is guaranteed 4.0");
}

TEST(GroupEnvyFreeness, IsWithinAGroup) {
  const Problem problem = problem_of(in_groups({10}, {{1}, {1}, {1}}, {"G", "G", ""}));
  EXPECT_TRUE(verdict_of_giving(Property::group_envy_freeness, problem, {1, 1, 8}).holds);
  const Verdict verdict = verdict_of_giving(Property::group_envy_freeness, problem, {1, 2, 7});
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "A could run 2.0 tasks with what test gives B, its own bundle runs 1.0");
}

TEST(GroupEnvyFreeness, IsNotAskedOfTaskShapesOfOneUser) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
    cluster.users[n].shape = n == 0 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
  }
  EXPECT_TRUE(verdict_of_giving(Property::group_envy_freeness, problem_of(cluster), {1, 2, 7}).vacuous);
}

TEST(GroupEnvyFreeness, IsNotOfWhoHasAQuotaOrAnotherWeightOrOtherServers) {
  Cluster cluster = in_groups({10}, {{1}, {1}, {1}}, {"G", "G", ""});
  cluster.users[1].quota.guarantee = amounts({2});
  EXPECT_TRUE(verdict_of_giving(Property::group_envy_freeness, problem_of(cluster), {1, 2, 7}).holds);
  cluster.users[1].quota = {};
  cluster.users[1].weight = Quantity(2);
  EXPECT_TRUE(verdict_of_giving(Property::group_envy_freeness, problem_of(cluster), {1, 2, 7}).holds);
  cluster.users[1].weight = Quantity(1);
  cluster.servers.push_back({.name = "s2", .capacity = amounts({10})});
  cluster.users[0].servers = {{"s1"}};
  cluster.users[1].servers = {{"s2"}};
  const Problem apart = problem_of(cluster);
  const Outcome outcome = giving(apart, Scope::servers, {{1, 0}, {0, 2}, {0, 0}});
  EXPECT_TRUE(check_group_envy_freeness({apart, outcome, Scope::servers}).holds);
}

// teams_cases.json, not-every-member-gains.
const Cluster kNotEveryMember =
    in_groups({1, 1}, {{1, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}}, {"n3", "n3", "n3", "n3", ""});

TEST(OwnPart, IsMoreThanTheOneGpuUserOfAGroupOfCpuUsersHas) {
  const Verdict verdict = verdict_on(Property::own_part, problem_of(kNotEveryMember), "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words,
            "D has 0.25 tasks under hdrf, and 0.5 if n3 divided its half of the cluster alone");
  EXPECT_EQ(verdict.witness->changed->servers[0].capacity, amounts({0.5, 0.5}));
  EXPECT_TRUE(verdict.witness->changed->groups.empty());
  EXPECT_TRUE(Problem::from(*verdict.witness->changed));
}

TEST(OwnPart, IsHeldWithOneResourceAndNotAskedWithQuotas) {
  Cluster cluster = in_groups({12}, {{1}, {2}, {1}, {3}}, {"G", "G", "H", ""});
  cluster.groups[1].parent = "G";
  const Verdict verdict = verdict_on(Property::own_part, problem_of(cluster), "hdrf");
  EXPECT_TRUE(verdict.holds && !verdict.vacuous);
  EXPECT_EQ(verdict.tried, 2u);
  EXPECT_EQ(verdict.scope, VerdictScope::instance);
  cluster.users[3].quota.limit = {Quantity(2)};
  EXPECT_TRUE(verdict_on(Property::own_part, problem_of(cluster), "hdrf").vacuous);
}

// A user with task shapes divides its own part among them.
TEST(OwnPart, IsOfUsersWithShapesToo) {
  Cluster cluster = kNotEveryMember;
  cluster.groups[0].is_user = true;
  for (std::size_t n = 0; n < 4; ++n) {
    cluster.users[n].shape = cluster.users[n].name;
    cluster.users[n].name = "n3/" + cluster.users[n].name;
  }
  const Verdict verdict = verdict_on(Property::own_part, problem_of(cluster), "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->user, "n3/D");
}

// A takes CPUs, B and C GPUs: as one group A and B are level with C at twice its GPUs.
TEST(GroupStrategyProofness, FailsWhereAGroupGainsByJoiningAnother) {
  const Problem problem = problem_of(in_groups({1, 1}, {{1, 0}, {0, 1}, {0, 1}}, {"G", "H", ""}));
  const Verdict verdict = verdict_on(Property::group_strategy_proofness, problem, "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words,
            "B has 0.5 tasks under hdrf, and 0.6667 when G and H are one group, without a loss to the others "
            "of the group");
  ASSERT_TRUE(verdict.witness->changed);
  EXPECT_EQ(verdict.witness->changed->groups.size(), 1u);
  EXPECT_EQ(verdict.witness->changed->groups[0].weight, Quantity(2));
  EXPECT_TRUE(verdict.witness->again(problem));
  EXPECT_FALSE(verdict.witness->again(problem_of(kCollapsed)));
}

// docs/explanation/teams.md: A has one task of 1 CPU, and what it leaves goes to its group first.
TEST(GroupStrategyProofness, FailsWithOneResourceWhereAMemberHasFewTasks) {
  Cluster cluster = in_groups({12}, {{1}, {1}, {1}}, {"g", "h", ""});
  cluster.users[0].tasks = Quantity(1);
  const Problem problem = problem_of(cluster);
  const Verdict verdict = verdict_on(Property::group_strategy_proofness, problem, "hdrf");
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words,
            "B has 5.5 tasks under hdrf, and 7.0 when g and h are one group, without a loss to the others of "
            "the group");
  EXPECT_TRUE(verdict.witness->again(problem));
}

TEST(GroupStrategyProofness, HoldsWhereAllFormsDivideOneResourceAlike) {
  Cluster cluster = in_groups({12}, {{1}, {1}, {1}, {1}}, {"G", "G", "H", ""});
  const Verdict verdict = verdict_on(Property::group_strategy_proofness, problem_of(cluster), "hdrf");
  EXPECT_TRUE(verdict.holds && !verdict.vacuous);
  EXPECT_GT(verdict.tried, 4u);
}

// Divides one pool of one resource equally among the members of the cluster, whatever their weights, and so
// on below.
Result<Outcome> by_heads(const Problem& problem) {
  const Tree& tree = problem.tree();
  std::vector<double> has(tree.size(), 0.0);
  has[0] = problem.pool()[0];
  std::vector<std::vector<double>> tasks(problem.user_count());
  for (std::size_t v = 0; v < tree.size(); ++v) {
    for (const std::size_t c : tree.members(v)) has[c] = has[v] / static_cast<double>(tree.members(v).size());
    if (tree.is_user(v))
      tasks[tree.user_at(v)] = {has[v] / problem.users()[tree.user_at(v)].demand[0].value()};
  }
  return giving(problem, Scope::pool, tasks);
}

// Divides it by the weights of users, whatever their groups.
Result<Outcome> by_user_weights(const Problem& problem) {
  double weights = 0;
  for (const User& user : problem.users()) weights += user.weight.value();
  std::vector<std::vector<double>> tasks;
  for (const User& user : problem.users())
    tasks.push_back({problem.pool()[0] * user.weight.value() / weights / user.demand[0].value()});
  return giving(problem, Scope::pool, tasks);
}

Verdict of_rule(Result<Outcome> (*divide)(const Problem&), const Cluster& cluster) {
  const Problem problem = problem_of(cluster);
  const Rule rule{.scope = Scope::pool, .divide = divide, .groups = true};
  const Outcome outcome = *divide(problem);
  return check(Property::group_strategy_proofness, {problem, outcome, Scope::pool}, rule);
}

TEST(GroupStrategyProofness, FailsWhereAPartOfAGroupCountsAsMuchAsTheWhole) {
  const Verdict verdict = of_rule(by_heads, in_groups({12}, {{1}, {1}, {1}, {1}}, {"G", "G", "G", ""}));
  ASSERT_FALSE(verdict.holds);
  EXPECT_THAT(
      verdict.witness->words,
      HasSubstr("has 2.0 tasks under test, and 4.0 when G appears as two groups of half the weight, with "));
  ASSERT_EQ(verdict.witness->changed->groups.size(), 2u);
  for (const Group& half : verdict.witness->changed->groups) EXPECT_EQ(half.weight.value(), 0.5);
}

TEST(GroupStrategyProofness, FailsWhereTheWeightOfAGroupCountsOnlyInItsMembers) {
  Cluster cluster = in_groups({12}, {{1}, {1}, {1}, {1}}, {"G", "G", "G", ""});
  cluster.groups[0].weight = Quantity(9);
  const Verdict verdict = of_rule(by_user_weights, cluster);
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words,
            "A has 3.0 tasks under test, and 3.6 when the members of G are members of its parent, without a "
            "loss to the others of the group");
  EXPECT_EQ(verdict.witness->changed->users[0].weight, Quantity(3));
  EXPECT_FALSE(verdict.witness->changed->users[0].group);
}

// teams_cases.json, not-strategy-proof: B lies and A, of the same group, has less; so it is no gain of the
// group.
TEST(GroupStrategyProofness, IsNotBrokenByALieThatHurtsAMemberOfTheGroup) {
  Cluster cluster = in_groups({1, 1, 1}, {{1, 0.5, 0}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}}, {"g", "g", "g", ""});
  cluster.users[1].weight = Quantity(2);
  const Problem problem = problem_of(cluster);
  const Verdict alone = verdict_on(Property::strategy_proofness, problem, "hdrf", {.attempts = 400});
  ASSERT_FALSE(alone.holds);
  EXPECT_EQ(alone.witness->user, "C");
  EXPECT_TRUE(verdict_on(Property::group_strategy_proofness, problem, "hdrf", {.attempts = 400}).holds);
}

// What a linear program leaves of none is neither a gain nor a loss.
TEST(Rounding, CountsAsNoTasks) {
  const Problem problem = testing::pool_of({10}, {{1}, {1}});
  const auto leaving = [](double left) {
    return [left](const Problem& p) -> Result<Outcome> {
      const bool both = p.user_count() == 2;
      const bool truth = p.users()[0].demand[0] == Quantity(1);
      if (both) return giving(p, Scope::pool, {{truth ? left : 2 * left}, {1}});
      return giving(p, Scope::pool, {{0.0}});
    };
  };
  for (const double left : {1e-15, 1e-3}) {
    const Rule rule{.scope = Scope::pool, .divide = leaving(left)};
    const Outcome outcome = *rule.divide(problem);
    for (const Property property : {Property::strategy_proofness, Property::population_monotonicity}) {
      const Verdict verdict = check(property, {problem, outcome, Scope::pool}, rule, {.attempts = 100});
      const bool is_seen = !verdict.holds && verdict.witness->user == "A";
      EXPECT_EQ(is_seen, left == 1e-3) << property_name(property) << " " << left;
    }
  }
}

TEST(EfficiencyInATree, IsNotAskedWhereALimitMayKeepResourcesFree) {
  Cluster cluster = in_groups({10}, {{1}, {1}, {1}}, {"G", "G", ""});
  cluster.groups[0].quota.limit = {Quantity(4)};
  for (const Property property : {Property::pareto_efficiency, Property::non_wastefulness}) {
    EXPECT_TRUE(verdict_on(property, problem_of(cluster), "hdrf").vacuous) << property_name(property);
    EXPECT_FALSE(verdict_on(property, problem_of(cluster), "tsf").vacuous) << property_name(property);
  }
  cluster.groups[0].quota = {};
  EXPECT_FALSE(verdict_on(Property::pareto_efficiency, problem_of(cluster), "hdrf").vacuous);
}

TEST(Trees, AGroupGoesWithItsLastMember) {
  Cluster cluster = in_groups({1}, {{1}, {1}, {1}}, {"H", "G", ""});
  std::swap(cluster.groups[0], cluster.groups[1]);
  cluster.groups[1].parent = "G";
  Cluster left = cluster;
  remove_user(left, 0);
  EXPECT_EQ(left.groups.size(), 1u);
  EXPECT_TRUE(Problem::from(left));
  remove_user(left, 0);
  EXPECT_TRUE(left.groups.empty());
  Cluster inner = cluster;
  inner.users[1].group.reset();
  remove_user(inner, 0);
  EXPECT_TRUE(inner.groups.empty());
}

TEST(Trees, AResourceGoesFromQuotas) {
  Cluster cluster = in_groups({4, 5}, {{1, 1}, {1, 1}}, {"G", ""});
  cluster.groups[0].quota = {
      .guarantee = amounts({1, 2}), .limit = {Quantity(3), std::nullopt}, .reserved = amounts({1, 0})};
  remove_resource(cluster, 0);
  EXPECT_EQ(cluster.groups[0].quota,
            (Quota{.guarantee = amounts({2}), .limit = {std::nullopt}, .reserved = amounts({0})}));
  EXPECT_TRUE(Problem::from(cluster));
}

TEST(Trees, WhoAppearsAsTwoIsTwiceInItsGroupWithHalfOfItsQuota) {
  Cluster cluster = in_groups({8, 8}, {{1, 2}, {1, 1}}, {"G", "G"});
  cluster.users[0].quota = {
      .guarantee = amounts({2, 4}), .limit = {Quantity(5), std::nullopt}, .reserved = amounts({1, 0})};
  const std::optional<ReportedCluster> reported =
      report(problem_of(cluster), {.user = "A", .demands = {{{"cpu", 2.0}}, {{"cpu", 0.5}}}});
  ASSERT_TRUE(reported);
  for (const std::size_t liar : reported->liars) {
    const User& user = reported->cluster.users[liar];
    EXPECT_EQ(user.group, "G");
    EXPECT_EQ(*user.quota.guarantee, amounts({1, 2}));
    EXPECT_EQ(user.quota.limit[0]->value(), 2.5);
    EXPECT_EQ(user.quota.reserved, amounts({0.5, 0}));
  }
  EXPECT_TRUE(Problem::from(reported->cluster));
}

TEST(Trees, AShapeThatAppearsAsTwoIsTwoShapes) {
  Cluster cluster = in_groups({8, 8}, {{1, 2}, {1, 1}}, {"G", "G"});
  cluster.groups[0].is_user = true;
  for (User& user : cluster.users) {
    user.shape = user.name;
    user.name = "G/" + user.name;
  }
  const std::optional<ReportedCluster> reported =
      report(problem_of(cluster), {.user = "G/A", .demands = {{{"cpu", 2.0}}, {{"cpu", 0.5}}}});
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->cluster.users[2].shape, "A'");
  EXPECT_TRUE(Problem::from(reported->cluster));
}

// How many of 400 random clusters have what.
struct Seen {
  int groups = 0, inner = 0, guarantees = 0, inner_guarantees = 0, reserves = 0, limits = 0, shapes = 0;
};

Seen drawn(const Conditions& conditions, bool honours, Property property = Property::guarantee) {
  Accepts accepts{.weights = true, .caps = true, .placement = true, .zero_demands = true, .demand_on = false};
  accepts.groups = honours;
  Random random(5);
  Seen seen;
  for (int k = 0; k < 400; ++k) {
    const Problem problem = random_cluster(
        {.accepts = accepts, .scope = Scope::servers, .conditions = conditions, .property = property},
        random);
    const Tree& tree = problem.tree();
    EXPECT_TRUE(!conditions.one_resource || problem.resource_count() == 1);
    bool inner = false, guarantee = false, inner_guarantee = false, reserve = false, limit = false,
         shapes = false;
    for (std::size_t v = 1; v < tree.size(); ++v) {
      const auto some = [](std::span<const double> list) {
        return std::any_of(list.begin(), list.end(), [](double x) { return x > 0; });
      };
      inner = inner || (tree.is_group(v) && tree.parent(v) != 0);
      guarantee = guarantee || some(tree.guarantee(v));
      inner_guarantee = inner_guarantee || (tree.parent(v) != 0 && some(tree.guarantee(v)));
      reserve = reserve || some(tree.reserve(v));
      limit = limit || !tree.limit(v).empty();
    }
    for (const User& user : problem.users()) shapes = shapes || user.shape;
    seen.groups += tree.group_count() > 0;
    seen.inner += inner;
    seen.guarantees += guarantee;
    seen.inner_guarantees += inner_guarantee;
    seen.reserves += reserve;
    seen.limits += limit;
    seen.shapes += shapes;
    EXPECT_EQ(problem_of(problem.cluster()).tree().size(), tree.size());
  }
  return seen;
}

TEST(RandomTrees, HaveEverythingNowAndThenAndMeetTheirConditions) {
  const Seen any = drawn({}, true);
  EXPECT_EQ(any.groups, 400);
  for (const int count :
       {any.inner, any.guarantees, any.inner_guarantees, any.reserves, any.limits, any.shapes})
    EXPECT_GT(count, 15);
  EXPECT_GT(drawn({}, true, Property::feasible).groups, 100);
  EXPECT_LT(drawn({}, true, Property::feasible).groups, 300);
  EXPECT_EQ(drawn({}, false).groups, 0);
  EXPECT_EQ(drawn({.no_groups = true}, true).groups, 0);
  EXPECT_EQ(drawn({.no_limits = true}, true).limits, 0);
  EXPECT_EQ(drawn({.no_reserves = true}, true).reserves, 0);
  EXPECT_EQ(drawn({.no_guarantees = true}, true).guarantees, 0);
  const Seen top = drawn({.top_guarantees = true}, true);
  EXPECT_EQ(top.inner_guarantees, 0);
  EXPECT_GT(top.guarantees, 15);
  drawn({.one_resource = true}, true);
}

// A tree with quotas, weights and shapes that the violation does not need is taken away.
TEST(Shrink, TakesAwayGroupsQuotasAndShapes) {
  Cluster cluster = in_groups({4, 4}, {{1, 1}, {1, 1}, {1, 1}}, {"G", "H", ""});
  cluster.groups[1].parent = "G";
  cluster.groups[0].weight = Quantity(2);
  cluster.groups[0].quota = {.guarantee = amounts({2, 2}), .limit = {Quantity(3), std::nullopt}};
  cluster.groups[1].is_user = true;
  cluster.users[1].shape = "B";
  cluster.users[1].name = "H/B";
  cluster.users[2].quota.limit = {Quantity(2), std::nullopt};
  const auto shrunk = [&](const std::function<bool(const Problem&)>& needed) {
    return shrink(
               {.words = "wrong", .problem = cluster, .size = 0.5},
               [&](const Problem& problem) -> std::optional<Witness> {
                 if (!needed(problem)) return {};
                 return Witness{.words = "wrong", .problem = problem.cluster(), .size = 0.5};
               },
               500)
        .problem;
  };
  const Cluster flat = shrunk([](const Problem&) { return true; });
  EXPECT_TRUE(flat.groups.empty());
  ASSERT_EQ(flat.users.size(), 1u);
  EXPECT_EQ(flat.users[0].quota, Quota{});
  const Cluster grouped = shrunk([](const Problem& p) { return !p.groups().empty(); });
  ASSERT_EQ(grouped.groups.size(), 1u);
  EXPECT_EQ(grouped.groups[0].weight, Quantity(1));
  EXPECT_EQ(grouped.groups[0].quota, Quota{});
  EXPECT_FALSE(grouped.groups[0].is_user);
  const Cluster guaranteed = shrunk([](const Problem& p) { return !p.tree().guarantee(1).empty(); });
  EXPECT_TRUE(guaranteed.groups.size() == 1 && guaranteed.groups[0].quota.guarantee);
}

}  // namespace
}  // namespace mirab
