#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

#include <mirab/model/classes.hpp>
#include <mirab/model/random.hpp>

#include "random_cases.hpp"

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

Quantity amount(std::string_view text) { return *Quantity::parse(text); }

Problem valid(Cluster cluster) {
  Result<Problem> problem = Problem::from(std::move(cluster));
  EXPECT_TRUE(problem) << describe(problem.error());
  return *std::move(problem);
}

Problem with_users(std::vector<User> users) {
  return valid({.resources = {"cpu", "memory"},
                .servers = {{.name = "s", .capacity = {Quantity{10}, Quantity{20}}},
                            {.name = "t", .capacity = {Quantity{7}, Quantity{7}}}},
                .users = std::move(users)});
}

TEST(Classes, EqualServersMergeIntoOneOfManifoldCapacity) {
  const Problem problem = valid({.resources = {"cpu"},
                                 .servers = {{.name = "a", .capacity = {amount("1.5")}, .count = 3},
                                             {.name = "b", .capacity = {amount("2")}},
                                             {.name = "c", .capacity = {amount("1500m")}}},
                                 .users = {{.name = "u", .demand = {Quantity{1}}}}});
  const Classes classes = merge(problem, MergeUsers::parallel, MergeServers::equal);
  ASSERT_EQ(classes.servers.size(), 2u);
  EXPECT_THAT(classes.servers[0].members, ElementsAre(0, 2));
  EXPECT_THAT(classes.servers[0].part, ElementsAre(0.75, 0.25));
  EXPECT_THAT(classes.servers[0].capacity, ElementsAre(6.0));
}

TEST(Classes, ProportionalServersMergeByTheirCapacity) {
  const Problem problem =
      valid({.resources = {"cpu", "memory"},
             .servers = {{.name = "half", .capacity = {amount("0.5"), amount("0.25")}, .count = 2},
                         {.name = "other", .capacity = {Quantity{1}, Quantity{1}}},
                         {.name = "whole", .capacity = {Quantity{3}, amount("1.5")}}},
             .users = {{.name = "u", .demand = {Quantity{1}, Quantity{1}}}}});
  const Classes classes = merge(problem, MergeUsers::parallel, MergeServers::proportional);
  ASSERT_EQ(classes.servers.size(), 2u);
  EXPECT_THAT(classes.servers[0].members, ElementsAre(0, 2));
  EXPECT_THAT(classes.servers[0].part, ElementsAre(0.25, 0.75));
  EXPECT_THAT(classes.servers[0].capacity, ElementsAre(4.0, 2.0));
  EXPECT_EQ(merge(problem, MergeUsers::parallel, MergeServers::equal).servers.size(), 3u);
}

TEST(Classes, ServersThatAUserCanTellApartDoNotMerge) {
  const auto classes = [](User user) {
    return merge(valid({.resources = {"cpu"},
                        .servers = {{.name = "a", .capacity = {Quantity{4}}, .labels = {{"zone", "x"}}},
                                    {.name = "b", .capacity = {Quantity{4}}, .labels = {{"zone", "y"}}}},
                        .users = {{.name = "anybody", .demand = {Quantity{1}}}, std::move(user)}}),
                 MergeUsers::parallel, MergeServers::equal)
        .servers.size();
  };
  EXPECT_EQ(classes({.name = "u", .demand = {Quantity{1}}}), 1u)
      << "labels that nobody selects do not matter";
  EXPECT_EQ(classes({.name = "u", .demand = {Quantity{1}}, .servers = {{"a"}}}), 2u);
  EXPECT_EQ(classes({.name = "u", .demand = {Quantity{1}}, .select = {{"zone", {"y"}}}}), 2u);
  EXPECT_EQ(classes({.name = "u", .demand = {Quantity{1}}, .demand_on = {{"b", {Quantity{2}}}}}), 2u);
}

TEST(Classes, UsersWithParallelDemandsMergeAndAddTheirWeights) {
  const Problem problem =
      with_users({{.name = "a", .demand = {amount("0.1"), amount("0.3")}, .weight = Quantity{2}},
                  {.name = "b", .demand = {amount("0.2"), amount("0.6")}},
                  {.name = "c", .demand = {amount("0.1"), amount("0.300000000000001")}}});
  const Classes classes = merge(problem, MergeUsers::parallel, MergeServers::equal);
  ASSERT_EQ(classes.users.size(), 2u) << "one in 10^15 is another direction";
  EXPECT_THAT(classes.users[0].members, ElementsAre(0, 1));
  EXPECT_EQ(classes.users[0].weight, 3.0);
  EXPECT_THAT(classes.users[0].part, ElementsAre(DoubleNear(2.0 / 3, 1e-15), DoubleNear(1.0 / 6, 1e-15)))
      << "a third of the weight, in tasks of twice the size";
  EXPECT_EQ(merge(problem, MergeUsers::equal, MergeServers::equal).users.size(), 3u);
}

TEST(Classes, CapsMergeOnlyWhereTheyAreEqualPerWeight) {
  const auto classes = [](std::optional<Quantity> first, std::optional<Quantity> second) {
    return merge(with_users({{.name = "a", .demand = {Quantity{1}, Quantity{2}}, .tasks = first},
                             {.name = "b",
                              .demand = {Quantity{2}, Quantity{4}},
                              .weight = Quantity{3},
                              .tasks = second}}),
                 MergeUsers::parallel, MergeServers::equal)
        .users;
  };
  EXPECT_EQ(classes({}, {}).size(), 1u);
  EXPECT_EQ(classes(Quantity{4}, {}).size(), 2u);
  EXPECT_EQ(classes(Quantity{4}, Quantity{4}).size(), 2u);
  const std::vector<UserClass> merged = classes(Quantity{4}, Quantity{6});
  ASSERT_EQ(merged.size(), 1u) << "4 tasks of size 1 at weight 1, 6 of size 2 at weight 3";
  EXPECT_EQ(merged[0].tasks, 16.0);
  EXPECT_EQ(classes({}, {})[0].tasks, std::numeric_limits<double>::infinity());
}

// A cluster of a few kinds of servers and users, many times over.
TEST(Classes, UsersOfWeightZeroMergeOnlyWithTheirEquals) {
  const ResourceVector demand = {Quantity{1}, Quantity{2}};
  const auto user = [&](const char* name, std::int64_t weight, std::optional<Quantity> tasks) {
    return User{.name = name, .demand = demand, .weight = Quantity(weight), .tasks = std::move(tasks)};
  };
  User twice = user("twice", 0, {});
  twice.demand = {Quantity{2}, Quantity{4}};
  const Problem problem =
      with_users({user("none", 0, Quantity{4}), user("one", 1, Quantity{4}), user("equal", 0, Quantity{4}),
                  user("fewer", 0, Quantity{3}), user("endless", 0, {}), user("weighted", 1, {}), twice});
  for (const MergeUsers how : {MergeUsers::equal, MergeUsers::parallel}) {
    const Classes classes = merge(problem, how, MergeServers::equal);
    ASSERT_EQ(classes.users.size(), 6u);
    EXPECT_THAT(classes.users[0].members, ElementsAre(0, 2));
    EXPECT_THAT(classes.users[0].part, ElementsAre(0.5, 0.5));
    EXPECT_EQ(classes.users[0].tasks, 8);
  }
}

Problem random_problem(Random& random) {
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (std::uint64_t i = 0; i < 2 + random.below(6); ++i) {
    cluster.servers.push_back(
        {.name = "s" + std::to_string(i),
         .capacity = {Quantity{static_cast<std::int64_t>(5 + 5 * random.below(2))}, Quantity{10}},
         .count = static_cast<std::int64_t>(1 + random.below(3)),
         .labels = {{"zone", random.below(2) == 0 ? "a" : "b"}}});
  }
  for (std::uint64_t n = 0; n < 2 + random.below(8); ++n) {
    const auto size = static_cast<std::int64_t>(1 + random.below(3));
    User user{.name = "u" + std::to_string(n),
              .demand = {Quantity{size}, Quantity{size * static_cast<std::int64_t>(random.below(3))}},
              .weight = Quantity{static_cast<std::int64_t>(1 + random.below(2))}};
    if (random.below(3) == 0) user.tasks = Quantity{static_cast<std::int64_t>(1 + random.below(3))};
    if (random.below(3) == 0) user.servers = {{"s0", "s1"}};
    cluster.users.push_back(std::move(user));
  }
  return valid(std::move(cluster));
}

TEST(Classes, SplittingBackKeepsWhatIsUsedAndGivesByWeight) {
  for (std::uint64_t seed = 0; seed < random_cases(500); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Problem problem = random_problem(random);
    const MergeUsers how = random.below(2) == 0 ? MergeUsers::parallel : MergeUsers::equal;
    const MergeServers which = random.below(2) == 0 ? MergeServers::equal : MergeServers::proportional;
    const Classes classes = merge(problem, how, which);
    std::vector<std::vector<double>> tasks(classes.users.size(), std::vector<double>(classes.servers.size()));
    for (auto& row : tasks) {
      for (double& number : row) number = random.below(3) == 0 ? 0 : random.unit();
    }
    const Allocation allocation = split(problem, classes, tasks);

    for (std::size_t k = 0; k < classes.servers.size(); ++k) {
      for (std::size_t r = 0; r < 2; ++r) {
        double used_by_classes = 0;
        for (std::size_t j = 0; j < classes.users.size(); ++j) {
          const std::size_t first = classes.users[j].members[0];
          used_by_classes += tasks[j][k] * problem.demand(first, classes.servers[k].members[0])[r].value();
        }
        double used_by_members = 0;
        for (std::size_t member = 0; member < classes.servers[k].members.size(); ++member) {
          const ServerUse& use = allocation.servers[classes.servers[k].members[member]];
          used_by_members += use.used[r];
          EXPECT_NEAR(use.used[r], classes.servers[k].part[member] * used_by_classes, 1e-12);
        }
        EXPECT_NEAR(used_by_members, used_by_classes, 1e-12);
      }
    }
    for (const UserClass& users : classes.users) {
      const std::size_t first = users.members[0];
      for (const std::size_t n : users.members) {
        const auto per_weight = [&](std::size_t user) {
          return allocation.tasks[user] * problem.users()[user].demand[0].value() /
                 problem.users()[user].weight.value();
        };
        EXPECT_NEAR(per_weight(n), per_weight(first), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace mirab
