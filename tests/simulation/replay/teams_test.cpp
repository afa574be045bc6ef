// Traces with teams: who is assigned where, what the engine gets, and what is measured.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/simulation/replay/play.hpp"
#include "random_cases.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

const std::vector<std::string> kUsers = {"ann", "ann-test", "bob", "eve"};

Problem ten_machines() { return cluster_of({"cpu"}, {{.name = "s", .capacity = whole({10}), .count = 1}}); }

Result<Teams> teams_of(const std::string& text, std::span<const std::string> users = kUsers) {
  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "-teams.yaml";
  std::ofstream(path) << text;
  return read_teams_file(path, ten_machines(), users, "users");
}

std::string error_of(const std::string& text) {
  const Result<Teams> teams = teams_of(text);
  return teams ? "no error" : describe(teams.error());
}

TEST(Teams, PlainNamesComeBeforeThoseWithAStarAndEarlierOnesBeforeLaterOnes) {
  const Result<Teams> teams = teams_of(R"(groups:
  - {name: tests, users: ["*-test"]}
  - name: people
    groups:
      - {name: some, users: ["*n*", eve]}
      - {name: rest, users: ["*"]}
)");
  ASSERT_TRUE(teams) << describe(teams.error());
  ASSERT_EQ(teams->groups.size(), 4U);
  EXPECT_THAT(teams->groups[3].parent, Optional(std::string("people")));
  EXPECT_THAT(teams->group_of,
              ElementsAre(Optional(2U), Optional(0U), Optional(3U), Optional(2U)));  // ann-test is of tests
}

TEST(Teams, WhoeverNoGroupNamesIsAMemberOfTheCluster) {
  const Result<Teams> teams = teams_of("groups: [{name: a, users: [bob]}]\n");
  ASSERT_TRUE(teams);
  EXPECT_THAT(teams->group_of, ElementsAre(std::nullopt, std::nullopt, Optional(0U), std::nullopt));
}

TEST(Teams, APercentageIsOfTheClustersCapacity) {
  const Result<Teams> teams = teams_of("groups: [{name: a, guarantee: 25%, users: [bob]}]\n");
  ASSERT_TRUE(teams);
  EXPECT_THAT(teams->groups[0].quota.guarantee, Optional(ElementsAre(*Quantity::parse("2.5"))));
}

TEST(Teams, ErrorsNameTheLineAndTheKey) {
  EXPECT_THAT(error_of("groups:\n  - {name: a, users: [bub]}\n"),
              HasSubstr("teams.yaml:2: groups[0].users[0]: there is no user 'bub'; did you mean bob?"));
  EXPECT_THAT(error_of("groups:\n  - {name: a, users: [bob]}\n  - {name: b, users: [bob]}\n"),
              HasSubstr("teams.yaml:3: groups[1].users[0]: the user 'bob' is already in the group 'a'"));
  EXPECT_THAT(error_of("groups:\n  - {name: a, users: ['x*']}\n"),
              HasSubstr("teams.yaml:2: groups[0].users[0]: no user is called 'x*'"));
  EXPECT_THAT(error_of("groups:\n  - {name: a}\n"), HasSubstr("teams.yaml:2: groups[0]"));
  EXPECT_THAT(error_of("groups:\n  - {name: a, users: [bob], guarantee: {cpu: 11}}\n"),
              HasSubstr("teams.yaml:2: groups[0].guarantee"));
  EXPECT_THAT(error_of("groups:\n  - {name: a, members: [bob]}\n"), HasSubstr("members: unknown key"));
  EXPECT_THAT(error_of("servers: []\n"), HasSubstr("servers: unknown key"));
}

// Three users of tasks of one CPU and a second, on ten CPUs, for a hundred seconds; each asks for everything.
SmallTrace three_greedy_users() {
  Workload workload;
  workload.resources = {"cpu"};
  workload.users = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  workload.requests = {{.demand = whole({1})}};
  for (std::uint32_t user = 0; user < 3; ++user)
    workload.jobs.push_back(job_of("j", at_second(0), user, 0, 2000, at_second(1)));
  workload.span = at_second(100);
  return {ten_machines(), std::move(workload)};
}

ReplayOutcome replayed_with(const SmallTrace& trace, const Teams& teams, const char* discipline,
                            ReplayScale scale = {}) {
  const auto outcomes = replay(
      trace.cluster, trace.workload,
      {.contenders = {contender(discipline, "first-fit")}, .scale = scale, .samples = 10, .teams = teams}, 1,
      1);
  EXPECT_TRUE(outcomes) << describe(outcomes.error());
  return outcomes->front();
}

TEST(Teams, AWeightDividesTheClusterAmongTeamsAndAGuaranteeComesFirst) {
  const SmallTrace trace = three_greedy_users();
  Teams teams{.groups = {{.name = "one", .weight = Quantity(1)}, {.name = "two", .weight = Quantity(4)}},
              .group_of = {0, 0, 1}};
  ReplayOutcome outcome = replayed_with(trace, teams, "drf");
  ASSERT_EQ(outcome.teams.size(), 2U);
  EXPECT_NEAR(outcome.teams[0].share, 0.2, 1e-9);
  EXPECT_NEAR(outcome.teams[1].share, 0.8, 1e-9);
  EXPECT_EQ(outcome.teams[0].submitted, 4000);
  EXPECT_EQ(outcome.teams[0].started, outcome.users[0].started + outcome.users[1].started);
  EXPECT_NEAR(outcome.users[0].share + outcome.users[1].share, 0.2, 1e-9);

  teams.groups[0].quota.guarantee = whole({5});  // then 5 and 1 of the rest, by weight
  outcome = replayed_with(trace, teams, "drf");
  EXPECT_NEAR(outcome.teams[0].share, 0.6, 1e-9);

  teams.groups[0].quota.guarantee.reset();
  teams.groups[1].quota.limit = {Quantity(3)};
  EXPECT_NEAR(replayed_with(trace, teams, "drf").teams[1].share, 0.3, 1e-9);
}

TEST(Teams, ADisciplineWithoutGroupsServesAllAlikeAndANoticeSaysSo) {
  const SmallTrace trace = three_greedy_users();
  const Teams teams{.groups = {{.name = "one"}, {.name = "two"}}, .group_of = {0, 0, 1}};
  for (const char* discipline : {"fifo", "drf:groups=ignore"}) {
    ReplayOutcome with = replayed_with(trace, teams, discipline);
    ReplayOutcome without = replayed_with(trace, {}, discipline);
    // To what the users are entitled is another matter: that counts their teams.
    for (ReplayOutcome* const outcome : {&with, &without}) {
      for (auto& user : outcome->users) user.unfairness = 0;
    }
    EXPECT_EQ(with.users, without.users);
    EXPECT_THAT(with.notices, ElementsAre(HasSubstr("does not honour teams")));
    EXPECT_EQ(with.teams.size(), 2U);  // measured all the same
  }
}

TEST(Teams, QuotasAreScaledWithTheMachines) {
  SmallTrace trace = three_greedy_users();
  trace.cluster = cluster_of({"cpu"}, {{.name = "s", .capacity = whole({10}), .count = 4}});
  Teams teams{.groups = {{.name = "one"}}, .group_of = {0, {}, {}}};
  teams.groups[0].quota.limit = {Quantity(20)};
  const auto input = replay_input(trace.cluster, trace.workload, {.machines = 0.5}, 1, teams);
  ASSERT_TRUE(input);
  EXPECT_THAT(input->teams[0].quota.limit, Optional(ElementsAre(10)));
}

TEST(Teams, ACopyOfAUserIsInItsTeam) {
  const SmallTrace trace = three_greedy_users();
  const Teams teams{.groups = {{.name = "one"}}, .group_of = {{}, 0, {}}};
  const auto input = replay_input(trace.cluster, trace.workload, {.users = 2}, 1, teams);
  ASSERT_TRUE(input);
  for (std::size_t n = 0; n < input->users.size(); ++n)
    EXPECT_EQ(input->team_of[n].has_value(), input->users[n].name.starts_with("b")) << n;
}

/// The distributions of a team have fewer steps than those of all tasks.
ReplayTally without_steps(ReplayTally tally) {
  for (Quantiles* each : {&tally.waiting, &tally.slowdown, &tally.completion, &tally.waiting_so_far})
    each->cdf.clear();
  return tally;
}

// Shares at each sample against sums over the users of what a flat replay tells.
TEST(Teams, WhatATeamHoldsIsWhatItsUsersHoldTogether) {
  for (std::uint64_t seed = 1; seed <= random_cases(100); ++seed) {
    Random random(seed);
    const SmallTrace trace = random_trace(random);
    const std::size_t users = trace.workload.users.size();
    // All users in one team within another: of one resource shares add up.
    Teams teams{.groups = {{.name = "outer"}, {.name = "inner", .parent = "outer"}},
                .group_of = std::vector<std::optional<std::size_t>>(users, std::size_t{1})};
    const ReplayOutcome outcome = replayed_with(trace, teams, "drf:groups=ignore");
    EXPECT_EQ(outcome.team_shares[0].values, outcome.team_shares[1].values);
    EXPECT_EQ(without_steps(outcome.teams[0]), without_steps(outcome));
    for (std::size_t k = 0; k < outcome.times.size(); ++k) {
      double granted = 0;
      for (const Series& series : outcome.utilization_over_time)
        granted = std::max(granted, series.values[k]);
      EXPECT_NEAR(outcome.team_shares[1].values[k], granted, 1e-9) << "replay: Random(" << seed << ")";
    }
  }
}

// One team with everyone is no team at all: the same tasks start at the same times.
TEST(Teams, OneTeamOfAllChangesNothing) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    Random random(seed);
    const SmallTrace trace = random_trace(random);
    const Teams teams{.groups = {{.name = "all"}},
                      .group_of = std::vector<std::optional<std::size_t>>(trace.workload.users.size(), 0U)};
    EXPECT_EQ(replayed_with(trace, teams, "drf").users, replayed_with(trace, {}, "drf").users)
        << "replay: Random(" << seed << ")";
  }
}

}  // namespace
}  // namespace mirab::simulation
