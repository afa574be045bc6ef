// Shrinking keeps what is needed, and no more.
#include <gmock/gmock.h>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"

namespace mirab {
namespace {

using testing::cluster_of;
using ::testing::ElementsAre;

// A violation wherever `is_one` says so, of this size.
Violates wherever(std::function<bool(const Problem&)> is_one, std::function<double(const Problem&)> size) {
  return [=](const Problem& problem) -> std::optional<Witness> {
    if (!is_one(problem)) return {};
    return Witness{.words = "wrong",
                   .problem = {problem.resources(), problem.servers(), problem.users()},
                   .size = size(problem)};
  };
}

double always_half(const Problem&) { return 0.5; }

std::vector<std::vector<double>> same(std::size_t count, const std::vector<double>& amounts) {
  return std::vector(count, amounts);
}

Witness start(const Cluster& cluster, double size = 0.5) {
  return {.words = "wrong", .problem = cluster, .size = size};
}

TEST(Shrink, TakesAwayEverythingThatTheViolationDoesNotNeed) {
  Cluster cluster = cluster_of(same(9, {40, 80, 20}), same(20, {2, 4, 1}));
  cluster.users[6].weight = Quantity(3);
  cluster.users[6].servers = {{"s4", "s5"}};
  cluster.servers[4].count = 7;
  const auto needed = [](const Problem& problem) {
    bool user = false;
    for (const User& each : problem.users()) user = user || each.name == "G";
    bool server = false;
    for (const Server& each : problem.servers()) server = server || each.name == "s5";
    return user && server && problem.resources().back() == "disk";
  };
  const Witness small = shrink(start(cluster), wherever(needed, always_half), 500);
  EXPECT_THAT(small.problem.resources, ElementsAre("disk"));
  ASSERT_EQ(small.problem.users.size(), 1u);
  EXPECT_EQ(small.problem.users[0], (User{.name = "G", .demand = testing::amounts({1})}));
  ASSERT_EQ(small.problem.servers.size(), 1u);
  EXPECT_EQ(small.problem.servers[0], (Server{.name = "s5", .capacity = testing::amounts({1})}));
}

TEST(Shrink, WritesWhatIsLeftInSmallWholeNumbers) {
  const Cluster cluster = cluster_of({{123.4, 567.8}}, {{0.37, 1.91}, {2.5, 0.75}});
  const auto steep = [](const Problem& problem) {
    const ResourceVector& demand = problem.users()[0].demand;
    return problem.user_count() == 2 && problem.resource_count() == 2 &&
           demand[1].value() > 2 * demand[0].value();
  };
  const Witness small = shrink(start(cluster), wherever(steep, always_half), 500);
  EXPECT_EQ(small.problem.users[0].demand, testing::amounts({1, 3}));
  EXPECT_EQ(small.problem.users[1].demand, testing::amounts({1, 1}));
  EXPECT_EQ(small.problem.servers[0].capacity, testing::amounts({1, 1}));
}

TEST(Shrink, KeepsTheViolationLargeEnoughToBeSeen) {
  const Cluster cluster = cluster_of({{1}}, same(10, {1}));
  const auto by_users = [](const Problem& problem) {
    return 0.008 * static_cast<double>(problem.user_count());
  };
  const auto any = [](const Problem&) { return true; };
  EXPECT_EQ(shrink(start(cluster, 0.08), wherever(any, by_users), 500).problem.users.size(), 3u);
}

TEST(Shrink, AsksForNoMoreClustersThanItMay) {
  std::size_t asked = 0;
  const Violates never = [&](const Problem&) -> std::optional<Witness> {
    ++asked;
    return {};
  };
  const Cluster cluster = cluster_of(same(9, {40, 80, 20}), same(20, {2, 4, 1}));
  const Witness same_one = shrink(start(cluster), never, 25);
  EXPECT_EQ(asked, 25u);
  EXPECT_EQ(same_one.problem.users.size(), 20u);
}

// One capacity alone cannot be lowered.
TEST(Shrink, LowersAllCapacitiesTogether) {
  const Cluster cluster = cluster_of({{40, 80}, {120, 40}}, {{1, 1}});
  const auto in_proportion = [](const Problem& problem) {
    if (problem.server_count() != 2 || problem.resource_count() != 2) return false;
    const ResourceVector& first = problem.servers()[0].capacity;
    const ResourceVector& second = problem.servers()[1].capacity;
    return first[1].value() == 2 * first[0].value() && second[0].value() == 3 * first[0].value() &&
           second[1] == first[0];
  };
  const Witness small = shrink(start(cluster), wherever(in_proportion, always_half), 500);
  EXPECT_EQ(small.problem.servers[0].capacity, testing::amounts({1, 2}));
  EXPECT_EQ(small.problem.servers[1].capacity, testing::amounts({3, 1}));
}

// Everything that makes users and servers special, and that no violation needs.
Cluster special() {
  Cluster cluster = cluster_of({{4}, {4}, {4}}, {{2}, {2}});
  cluster.servers[0].labels = {{"zone", "a"}};
  cluster.servers[1].labels = {{"zone", "a"}};
  cluster.servers[1].count = 3;
  cluster.users[0].servers = {{"s2", "s3"}};
  cluster.users[0].select = {{"zone", {"a"}}};
  cluster.users[0].tasks = Quantity(40);
  cluster.users[0].weight = Quantity(12);
  cluster.users[0].demand_on = {{"s2", testing::amounts({3})}};
  return cluster;
}

bool has_a(const Problem& problem) { return problem.users()[0].name == "A"; }

TEST(Shrink, MakesUsersAndServersPlain) {
  const Witness small = shrink(start(special()), wherever(has_a, always_half), 500);
  ASSERT_EQ(small.problem.users.size(), 1u);
  EXPECT_EQ(small.problem.users[0], (User{.name = "A", .demand = testing::amounts({1})}));
  ASSERT_EQ(small.problem.servers.size(), 1u);
  EXPECT_EQ(small.problem.servers[0].count, 1);
  EXPECT_TRUE(small.problem.servers[0].labels.empty());
}

TEST(Shrink, WhereAUserMayRunIsWrittenAsNamesWhenItIsNeeded) {
  const auto only_s2 = [](const Problem& problem) {
    return has_a(problem) && problem.server_count() == 3 && problem.eligible(0, 1) &&
           !problem.eligible(0, 0) && !problem.eligible(0, 2);
  };
  const Witness small = shrink(start(special()), wherever(only_s2, always_half), 500);
  EXPECT_TRUE(small.problem.users[0].select.empty());
  EXPECT_THAT(*small.problem.users[0].servers, ElementsAre("s2"));
}

TEST(Shrink, WeightsAndCapsThatAreNeededAreMadeSmall) {
  const auto heavy = [](const Problem& problem) {
    return has_a(problem) && problem.users()[0].weight.value() >= 3 && problem.users()[0].tasks &&
           problem.users()[0].tasks->value() >= 5;
  };
  const Witness small = shrink(start(special()), wherever(heavy, always_half), 500);
  EXPECT_EQ(small.problem.users[0].weight, Quantity(3));
  EXPECT_EQ(*small.problem.users[0].tasks, Quantity(5));
}

}  // namespace
}  // namespace mirab
