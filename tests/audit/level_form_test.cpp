// The level form of PS-DSF (mathematics.md, section 5) as a predicate on allocations.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/audit/level_form.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using testing::amounts;

Problem two_by_two(std::vector<std::vector<double>> servers, std::vector<std::vector<double>> demands) {
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (const std::vector<double>& capacity : servers) {
    cluster.servers.push_back(
        {.name = "s" + std::to_string(cluster.servers.size()), .capacity = amounts(capacity)});
  }
  for (const std::vector<double>& demand : demands) {
    cluster.users.push_back({.name = "u" + std::to_string(cluster.users.size()), .demand = amounts(demand)});
  }
  return *Problem::from(cluster);
}

// tasks[n][i]; the form looks at nothing else.
Allocation placed(const Problem& problem, const std::vector<std::vector<double>>& tasks) {
  Allocation allocation;
  allocation.servers.resize(problem.server_count());
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    for (std::size_t i = 0; i < tasks[n].size(); ++i) {
      if (tasks[n][i] > 0) allocation.grants.add(n, i, tasks[n][i], {});
    }
  }
  return allocation;
}

Problem not_unique() { return two_by_two({{7, 7}, {2, 2}}, {{2, 1}, {1, 2}}); }

// Section 5: both X = (3, 3) and X = (8/3, 8/3) satisfy the definition.
TEST(LevelForm, HoldsForBothSolutionsOfTheNonUniqueExample) {
  const Problem problem = not_unique();
  const double third = 1.0 / 3;
  EXPECT_LE(level_form(problem, placed(problem, {{7 * third, 2 * third}, {7 * third, 2 * third}})).violation,
            1e-12);
  EXPECT_LE(level_form(problem, placed(problem, {{5 * third, 1}, {8 * third, 0}})).violation, 1e-12);
}

TEST(LevelForm, ShowsTheLevelsOfWhatIsFullAndNoOthers) {
  const Problem problem = two_by_two({{9, 18}}, {{1, 4}, {3, 1}});
  const LevelForm form = level_form(problem, placed(problem, {{3}, {2}}));
  EXPECT_LE(form.violation, 1e-12);
  EXPECT_NEAR(form.levels[0][0], 2.0 / 3, 1e-12);                         // 3 + 6 = 9 of cpu
  EXPECT_EQ(form.levels[0][1], std::numeric_limits<double>::infinity());  // 12 + 2 of 18
}

TEST(LevelForm, FailsWhenAUserIsBelowTheLevelThatStopsIt) {
  const Problem problem = two_by_two({{9, 18}}, {{1, 4}, {3, 1}});
  const LevelForm form = level_form(problem, placed(problem, {{2.7}, {2.1}}));
  EXPECT_NEAR(form.violation, 1 - 2.7 / 4.5 / (2.1 / 3), 1e-12);
  EXPECT_EQ(form.user, 0u);
}

TEST(LevelForm, FailsWhenNothingStopsAUser) {
  const Problem problem = two_by_two({{9, 18}}, {{1, 4}, {3, 1}});
  EXPECT_EQ(level_form(problem, placed(problem, {{3}, {1.9}})).violation, 1);
}

TEST(LevelForm, FailsWhenMoreIsUsedThanThereIs) {
  const Problem problem = two_by_two({{9, 18}}, {{1, 4}, {3, 1}});
  EXPECT_NEAR(level_form(problem, placed(problem, {{3.3}, {2.2}})).violation, 0.1, 1e-9);
}

TEST(LevelForm, AsksNothingForAUserThatHasEnough) {
  Cluster cluster{.resources = {"cpu"}, .servers = {{.name = "s", .capacity = amounts({10})}}, .users = {}};
  cluster.users.push_back({.name = "a", .demand = amounts({1}), .tasks = Quantity(2)});
  cluster.users.push_back({.name = "b", .demand = amounts({1})});
  const Problem problem = *Problem::from(cluster);
  EXPECT_LE(level_form(problem, placed(problem, {{2}, {8}})).violation, 1e-12);
  EXPECT_NEAR(level_form(problem, placed(problem, {{2.5}, {7.5}})).violation, 0.25, 1e-12);
  EXPECT_NEAR(level_form(problem, placed(problem, {{1}, {9}})).violation, 1 - 1.0 / 9, 1e-12);
}

TEST(LevelForm, FailsWithoutBoundsWhereAUserMayNotRun) {
  Cluster cluster{
      .resources = {"cpu"},
      .servers = {{.name = "s", .capacity = amounts({1})}, {.name = "t", .capacity = amounts({1})}},
      .users = {{.name = "a", .demand = amounts({1}), .servers = std::vector<std::string>{"s"}}}};
  const Problem problem = *Problem::from(cluster);
  EXPECT_LE(level_form(problem, placed(problem, {{1, 0}})).violation, 1e-12);
  EXPECT_EQ(level_form(problem, placed(problem, {{1, 1}})).violation,
            std::numeric_limits<double>::infinity());
}

TEST(LevelForm, FailsWithoutBoundsForTasksThatAreNoAmount) {
  const Problem problem = two_by_two({{9, 18}}, {{1, 4}, {3, 1}});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {std::nan(""), infinity, -infinity, -1e-300}) {
    Allocation allocation = placed(problem, {{3}, {2}});
    allocation.grants = testing::edited(allocation.grants, [&](testing::EditedGrant& grant) {
      if (grant.user == 1) grant.tasks = wrong;
    });
    const LevelForm form = level_form(problem, allocation);
    EXPECT_EQ(form.violation, infinity) << wrong;
    EXPECT_EQ(form.user, 1u) << wrong;
  }
}

}  // namespace
}  // namespace mirab
