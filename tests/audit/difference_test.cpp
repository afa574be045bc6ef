// Who gains and who loses between two allocations.
#include <cmath>
#include <gmock/gmock.h>

#include <mirab/audit/difference.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::slides;

struct Divided {
  Problem problem;
  Outcome outcome;
  Side side() const { return {problem, outcome.allocation}; }
};

Divided divide(Cluster cluster, std::string_view mechanism) {
  Problem problem = *Problem::from(std::move(cluster));
  Outcome outcome = *allocate(problem, mechanism);
  return {std::move(problem), std::move(outcome)};
}

std::vector<std::string> names(const std::vector<UserChange>& users) {
  std::vector<std::string> result;
  for (const UserChange& user : users) result.push_back(user.user);
  return result;
}

// DRF gives (3, 2) tasks, asset fairness (2.52, 2.16).
TEST(Difference, TheGreatestGainComesFirst) {
  const Divided before = divide(slides(), "drf"), after = divide(slides(), "asset");
  const Difference found = difference(before.side(), after.side());
  EXPECT_THAT(names(found.users), ElementsAre("B", "A"));
  EXPECT_NEAR(found.users[0].change, 0.08, 1e-9);
  EXPECT_NEAR(found.users[1].change, -0.16, 1e-9);
  EXPECT_NEAR(found.users[1].before->dominant_share, 2.0 / 3, 1e-9);
  EXPECT_NEAR(found.users[1].after->dominant_share, 0.56, 1e-9);
  EXPECT_EQ(found.gainers, 1u);
  EXPECT_EQ(found.losers, 1u);
  EXPECT_NEAR(found.tasks_before, 5, 1e-9);
  EXPECT_NEAR(found.tasks_after, 4.68, 1e-9);
  EXPECT_NEAR(*found.resources[1].before, 14.0 / 18, 1e-9);
  EXPECT_NEAR(*found.resources[1].after, 0.68, 1e-9);
  EXPECT_NEAR(found.lowest_after.tasks, 2.16, 1e-9);
}

// Two more servers of the same kind: each user keeps its tasks, which are a third of what they were a part
// of.
TEST(Difference, SharesOfTheClusterBeforeDoNotFallWhenServersAreBought) {
  Cluster now = slides();
  for (User& user : now.users) user.tasks = Quantity(1);
  Cluster more = now;
  more.servers[0].count = 3;
  const Divided before = divide(now, "drf"), after = divide(more, "drf");
  const Difference found = difference(before.side(), after.side());
  EXPECT_FALSE(found.same_pool);
  for (const UserChange& user : found.users) {
    EXPECT_NEAR(user.after->dominant_share, user.before->dominant_share / 3, 1e-12);
    EXPECT_NEAR(user.after->share_of_before, user.before->share_of_before, 1e-12);
    EXPECT_EQ(user.before->share_of_before, user.before->dominant_share);
  }
  EXPECT_NEAR(found.lowest_after.share_of_before, found.lowest_before.dominant_share, 1e-12);
  EXPECT_TRUE(difference(before.side(), before.side()).same_pool);
}

// A resource that the cluster before has not is no part of it.
TEST(Difference, SharesOfTheClusterBeforeAreOfItsResources) {
  Cluster other = slides();
  other.resources = {"memory", "gpu"};
  other.servers[0].capacity = {Quantity(9), Quantity(1)};
  other.users[0].demand = {Quantity(3), Quantity(1)};
  other.users.resize(1);
  const Divided before = divide(slides(), "drf"), after = divide(other, "drf");
  const Difference found = difference(before.side(), after.side());
  EXPECT_EQ(found.users[0].after->dominant_share, 1) << "all of the gpu";
  EXPECT_NEAR(found.users[0].after->share_of_before, 3.0 / 18, 1e-12) << "of the memory";
}

TEST(Difference, ThereIsNoneBetweenAnAllocationAndItself) {
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule) continue;
    std::string mechanism(row.name);
    for (const OptionInfo& option : row.options) {
      if (option.fallback.empty()) mechanism += ":" + std::string(option.name) + "=2";
    }
    const Divided one = divide(slides(), mechanism);
    const Difference found = difference(one.side(), one.side());
    EXPECT_EQ(found.gainers + found.losers, 0u) << row.name;
    EXPECT_THAT(found.gone, IsEmpty());
    EXPECT_THAT(found.come, IsEmpty());
  }
}

// The shop has two task shapes: it counts once, whatever each of them does.
TEST(Difference, AUserWithTaskShapesIsCountedOnce) {
  Cluster cluster = testing::cluster_of({{10}}, {{1}, {1}, {1}, {1}});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}}) {
    cluster.users[n].shape = n == 1 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
  }
  const Problem problem = testing::problem_of(cluster);
  const auto changed = [&](std::vector<double> tasks) {
    Allocation old{.tasks = {1, 1, 1, 1}, .grants = {}, .servers = {{"s1", 1, {10}, {4}, {}}}};
    Allocation fresh = old;
    fresh.tasks = std::move(tasks);
    const ChangedUsers found = difference({problem, old}, {problem, fresh}).changed;
    return std::vector{found.gain, found.lose, found.mixed, found.unchanged};
  };
  EXPECT_THAT(changed({1, 1, 1, 1}), ElementsAre(0u, 0u, 0u, 3u));
  EXPECT_THAT(changed({1, 2, 1, 1}), ElementsAre(1u, 0u, 0u, 2u));
  EXPECT_THAT(changed({2, 2, 0, 3}), ElementsAre(2u, 1u, 0u, 0u));
  EXPECT_THAT(changed({1, 1, 1, 0}), ElementsAre(0u, 1u, 0u, 2u));
  EXPECT_THAT(changed({2, 2, 1, 0}), ElementsAre(1u, 0u, 1u, 1u));
}

// The shop gives up 3 web for 1 more cache: it holds less of the CPUs, which are scarce, whatever the shapes
// do. With other numbers of the same size it holds as much of another mix.
TEST(Difference, AUserWithTaskShapesGainsOrLosesByItsDominantShare) {
  Cluster cluster = testing::cluster_of({{10}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{0}, std::size_t{2}}) {
    cluster.users[n].shape = n == 0 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
  }
  const Problem problem = testing::problem_of(cluster);
  const auto with = [](double web, double other, double cache) {
    return Allocation{
        .tasks = {web, other, cache},
        .grants = testing::grants_of({{0, 0, web, {web}}, {1, 0, other, {other}}, {2, 0, cache, {cache}}}),
        .servers = {{"s1", 1, {10}, {web + other + cache}, {}}}};
  };
  const auto teams = [&](const Allocation& fresh) {
    std::vector<std::pair<std::string, Direction>> found;
    const Allocation old = with(4, 5, 1);
    for (const TeamChange& team : difference({problem, old}, {problem, fresh}).teams)
      found.emplace_back(team.whole.user, team.direction);
    return found;
  };
  using Found = std::pair<std::string, Direction>;
  const std::string other = problem.users()[1].name;
  EXPECT_THAT(teams(with(1, 6, 2)),
              ElementsAre(Found(other, Direction::gain), Found("shop", Direction::lose)));
  EXPECT_THAT(teams(with(1, 4, 5)),
              ElementsAre(Found("shop", Direction::gain), Found(other, Direction::lose)));
  EXPECT_THAT(teams(with(3, 5, 2)),
              ElementsAre(Found("shop", Direction::mixed), Found(other, Direction::unchanged)));
}

// The shapes that run before are others than those after: they are of one user all the same.
TEST(Difference, AUserWhoseTaskShapesChangeIsOnBothSides) {
  Cluster now = testing::cluster_of({{10}}, {{1}, {1}});
  now.groups = {{.name = "shop", .is_user = true}};
  now.users[0].shape = "web";
  now.users[0].name = "shop/web";
  now.users[0].group = "shop";
  Cluster next = now;
  next.users[0].shape = "cache";
  next.users[0].name = "shop/cache";
  const Problem before = testing::problem_of(now), after = testing::problem_of(next);
  const auto with = [](double shop) {
    return Allocation{.tasks = {shop, 1},
                      .grants = testing::grants_of({{0, 0, shop, {shop}}, {1, 0, 1, {1}}}),
                      .servers = {{"s1", 1, {10}, {shop + 1}, {}}}};
  };
  const Allocation old = with(2), fresh = with(3);
  const Difference found = difference({before, old}, {after, fresh});
  EXPECT_THAT(names(found.gone), ElementsAre("shop/web"));
  EXPECT_EQ(found.changed.gain, 1u);
  EXPECT_EQ(found.teams[0].whole.user, "shop");
  EXPECT_THAT(names(found.teams[0].shapes), ElementsAre("shop/web", "shop/cache"));
}

// The shop holds 2 + 2 of 10 CPUs, B 3; with twice the CPUs the same tasks are the same parts of the cluster
// before.
TEST(Difference, TheLowestShareIsOfAUserWithAllItsTaskShapes) {
  Cluster cluster = testing::cluster_of({{10}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{0}, std::size_t{2}}) {
    cluster.users[n].shape = n == 0 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
  }
  Cluster more = cluster;
  more.servers[0].count = 2;
  const Problem small = testing::problem_of(cluster), large = testing::problem_of(more);
  const Allocation same{.tasks = {2, 3, 2},
                        .grants = testing::grants_of({{0, 0, 2, {2}}, {1, 0, 3, {3}}, {2, 0, 2, {2}}}),
                        .servers = {{"s1", 1, {10}, {7}, {}}}};
  const Difference found = difference({small, same}, {large, same});
  EXPECT_NEAR(found.lowest_before.dominant_share, 0.3, 1e-12) << "of B";
  EXPECT_NEAR(found.lowest_after.dominant_share, 0.15, 1e-12);
  EXPECT_NEAR(found.lowest_after.share_of_before, 0.3, 1e-12);
  EXPECT_EQ(found.lowest_after.tasks, 2) << "of a task shape";
}

// What a converged outcome leaves is no change.
TEST(Difference, BetweenTwoWaysToTheSameAllocationNobodyGains) {
  const Divided before = divide(slides(), "pf"), after = divide(slides(), "alpha-fair:alpha=1");
  const Difference found = difference(before.side(), after.side());
  EXPECT_EQ(found.gainers + found.losers, 0u);
}

TEST(Difference, UsersWhoAreUnchangedWithinRoundingStayInTheirOrder) {
  const Divided before = divide(slides(), "drf");
  Divided after = before;
  after.outcome.allocation.tasks[0] *= 1 - 1e-10;
  after.outcome.allocation.tasks[1] *= 1 + 1e-10;
  EXPECT_THAT(names(difference(before.side(), after.side()).users), ElementsAre("A", "B"));
}

// 0.004 % of its tasks are shown as 0.00 %.
TEST(Difference, AChangeThatTwoDecimalsDoNotShowIsNone) {
  const Divided before = divide(slides(), "drf");
  const auto gainers = [&](double part) {
    Divided after = before;
    after.outcome.allocation.tasks[0] *= 1 + part;
    const Difference found = difference(before.side(), after.side());
    EXPECT_EQ(found.changed.gain, found.gainers);
    return found.gainers;
  };
  EXPECT_EQ(gainers(0.00004), 0u);
  EXPECT_EQ(gainers(0.00006), 1u);
}

// C gains 20 points of a weight of 4, B 10 of a weight of 1, A one of almost nothing.
TEST(Difference, TeamsStandByTheChangeOfTheirShareForTheirWeight) {
  Cluster cluster = testing::cluster_of({{100}}, {{1}, {1}, {1}, {1}});
  cluster.users[2].weight = Quantity(4);
  const Problem problem = testing::problem_of(cluster);
  const auto with = [](std::vector<double> tasks) {
    Allocation allocation{.tasks = tasks, .grants = {}, .servers = {{"s1", 1, {100}, {100}, {}}}};
    std::vector<testing::EditedGrant> grants;
    for (std::size_t n = 0; n < tasks.size(); ++n) grants.push_back({n, 0, tasks[n], {tasks[n]}});
    allocation.grants = testing::grants_of(grants);
    return allocation;
  };
  const Difference found = difference({problem, with({1, 10, 20, 69})}, {problem, with({2, 20, 40, 38})});
  std::vector<std::string> teams;
  for (const TeamChange& team : found.teams) teams.push_back(team.whole.user);
  EXPECT_THAT(teams, ElementsAre("B", "C", "A", "D"));
  EXPECT_NEAR(found.teams[1].gain, 0.05, 1e-12);
}

TEST(Difference, UsersOfOneSideOnlyStandApart) {
  Cluster next = slides();
  next.users[0] = {.name = "C", .demand = {Quantity(1), Quantity(1)}};
  const Divided before = divide(slides(), "drf"), after = divide(next, "drf");
  const Difference found = difference(before.side(), after.side());
  EXPECT_THAT(names(found.users), ElementsAre("B"));
  EXPECT_THAT(names(found.gone), ElementsAre("A"));
  EXPECT_THAT(names(found.come), ElementsAre("C"));
  EXPECT_FALSE(found.gone[0].after);
  EXPECT_FALSE(found.come[0].before);
}

TEST(Difference, UsersAndResourcesAreKnownByTheirNamesInAnyOrder) {
  Cluster next = slides();
  next.resources = {"memory", "gpu", "cpu"};
  next.servers[0].capacity = {Quantity(18), Quantity(1), Quantity(9)};
  next.users = {{.name = "B", .demand = {Quantity(1), Quantity(0), Quantity(3)}},
                {.name = "A", .demand = {Quantity(4), Quantity(0), Quantity(1)}}};
  const Divided before = divide(slides(), "drf"), after = divide(next, "drf");
  const Difference found = difference(before.side(), after.side());
  ASSERT_THAT(found.users, SizeIs(2));
  for (const UserChange& user : found.users) {
    EXPECT_NEAR(user.change, 0, 1e-9);
    EXPECT_TRUE(user.same_task) << user.user;
  }
  ASSERT_THAT(found.resources, SizeIs(3));
  EXPECT_EQ(found.resources[0].resource, "cpu");
  EXPECT_NEAR(*found.resources[0].after, 1, 1e-9);
  EXPECT_EQ(found.resources[2].resource, "gpu");
  EXPECT_FALSE(found.resources[2].before);
}

TEST(Difference, ATaskThatDemandsSomethingElseIsMarked) {
  Cluster next = slides();
  next.users[1].demand[1] = Quantity(2);
  const Divided before = divide(slides(), "drf"), after = divide(next, "drf");
  for (const UserChange& user : difference(before.side(), after.side()).users) {
    EXPECT_EQ(user.same_task, user.user == "A");
  }
}

TEST(Difference, WhoHadNothingGainsWithoutBound) {
  Cluster none = slides();
  none.users[0].tasks = Quantity(0);
  const Divided before = divide(none, "drf"), after = divide(slides(), "drf");
  const Difference found = difference(before.side(), after.side());
  EXPECT_EQ(found.users[0].user, "A");
  EXPECT_TRUE(std::isinf(found.users[0].change));
}

Cluster teams() {
  Cluster cluster{
      .resources = {"cpu"}, .servers = {{.name = "s", .capacity = testing::amounts({10})}}, .users = {}};
  cluster.groups = {{.name = "x"}, {.name = "y"}, {.name = "old"}};
  cluster.groups[0].quota.guarantee = testing::amounts({4});
  for (const char* group : {"x", "y", "old"})
    cluster.users.push_back(
        {.name = std::string("of ") + group, .demand = testing::amounts({1}), .group = group});
  cluster.users[2].tasks = Quantity(1);
  return cluster;
}

// Before: old 1, x 4 and 5/2 beyond, y 5/2. After: y has twice the weight and new is within x, whose
// guarantee is 7: x 8 of 10 in halves, y 2.
TEST(Difference, GroupsGainLoseComeGoMoveAndAreSetOtherwise) {
  const Cluster now = teams();
  Cluster next = now;
  next.groups[0].quota.guarantee = testing::amounts({7});
  next.groups[1].weight = Quantity(2);
  next.groups[2] = {.name = "new", .parent = "x"};
  next.users[2].group = "new";
  next.users[2].tasks.reset();
  const Divided before = divide(now, "hdrf"), after = divide(next, "hdrf");
  const std::vector<GroupChange> groups = difference(before.side(), after.side()).groups;
  ASSERT_THAT(groups, SizeIs(4));
  const GroupChange &x = groups[0], &y = groups[1], &old = groups[2], &fresh = groups[3];
  EXPECT_EQ(x.group, "x");
  EXPECT_THAT(x.settings, ElementsAre("guarantee"));
  EXPECT_NEAR(x.before->guarantee[0], 4, 1e-12);
  EXPECT_NEAR(x.after->guarantee[0], 7, 1e-12);
  EXPECT_NEAR(x.before->borrowed[0], 2.5, 1e-9);
  EXPECT_NEAR(x.after->borrowed[0], 1, 1e-9);
  EXPECT_NEAR(x.gain, 0.8 - 0.65, 1e-9);
  EXPECT_FALSE(x.moved);
  EXPECT_THAT(y.settings, ElementsAre("weight"));
  EXPECT_NEAR(y.gain, 0.2 - 0.25, 1e-9);
  EXPECT_FALSE(old.after);
  EXPECT_EQ(old.gain, 0);
  EXPECT_EQ(fresh.group, "new");
  EXPECT_FALSE(fresh.before);
  EXPECT_EQ(*fresh.after->parent, "x");

  Cluster moved = now;
  moved.groups[1].parent = "x";
  const Divided below = divide(moved, "hdrf");
  const std::vector<GroupChange> changes = difference(before.side(), below.side()).groups;
  EXPECT_TRUE(changes[1].moved);
  EXPECT_FALSE(changes[0].moved);
  EXPECT_THAT(changes[1].settings, IsEmpty());
}

// x has 1 of the 4 that it is guaranteed, and with more tasks 6.5.
TEST(Difference, OfAGroupSaysWhatIsLent) {
  Cluster now = teams();
  now.users[0].tasks = Quantity(1);
  const Divided before = divide(now, "hdrf"), after = divide(teams(), "hdrf");
  const GroupChange x = difference(before.side(), after.side()).groups[0];
  EXPECT_NEAR(x.before->lent[0], 3, 1e-9);
  EXPECT_NEAR(x.after->lent[0], 0, 1e-9);
  EXPECT_NEAR(x.before->borrowed[0], 0, 1e-9);
}

TEST(Difference, WithoutGroupsHasNone) {
  const Divided before = divide(slides(), "drf"), after = divide(slides(), "asset");
  EXPECT_THAT(difference(before.side(), after.side()).groups, IsEmpty());
}

}  // namespace
}  // namespace mirab
