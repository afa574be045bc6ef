// Where each team stands, and in which order teams are shown.
#include "audit/team_standing.hpp"

#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "support/shop.hpp"

namespace mirab {
namespace {

using mirab::test::shop;

std::vector<std::string> names(const std::vector<TeamStanding>& teams, const std::vector<std::size_t>& of) {
  std::vector<std::string> names;
  for (const std::size_t t : of) names.push_back(teams[t].who.name);
  return names;
}

TEST(TeamStanding, AUserWithItsTaskShapesIsOneTeam) {
  const Problem problem = shop();
  const std::vector<TeamStanding> teams = team_standings(problem, *allocate(problem, "given"));
  ASSERT_EQ(teams.size(), 3U);
  const TeamStanding& train = teams[1];
  EXPECT_EQ(train.who.name, "train");
  EXPECT_EQ(train.who.users.size(), 2U);
  EXPECT_EQ(problem.resources()[train.dominant], "gpu");
  EXPECT_DOUBLE_EQ(train.who.share, 0.8);
  EXPECT_DOUBLE_EQ(train.tasks, 18);
  EXPECT_TRUE(train.satisfied());
  const TeamStanding& serve = teams[2];
  EXPECT_DOUBLE_EQ(*serve.asked_share, 0.6);
  EXPECT_DOUBLE_EQ(*serve.asked, 11);
  EXPECT_DOUBLE_EQ(*serve.waiting(), 4);
  EXPECT_EQ(serve.short_users, std::vector<std::size_t>{3});
}

TEST(TeamStanding, AShareThatIsAskedForIsThatOfAllShapesTogether) {
  // 5 of 10 CPUs and 5 of 10 CPUs are all CPUs, not one half.
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
users: [{name: a, shapes: [{name: x, demand: {cpu: 1}, tasks: 5}, {name: y, demand: {cpu: 5}, tasks: 1}]}]
)",
                                             Syntax::yaml, "one");
  EXPECT_DOUBLE_EQ(*team_standings(problem, *allocate(problem, "hdrf"))[0].asked_share, 1);
}

TEST(TeamStanding, WhoLacksMostOfItsFairShareStandsFirstAndWhoNeedsNothingLast) {
  const Problem problem = shop();
  const std::vector<TeamStanding> fair = team_standings(problem, *allocate(problem, "hdrf"));
  const std::vector<TeamStanding> now = team_standings(problem, *allocate(problem, "given"));
  EXPECT_THAT(names(fair, short_first(fair, now)), ::testing::ElementsAre("serve", "train", "site"));
}

TEST(TeamStanding, WithoutWhatRunsNowTheLeastPartOfWhatIsAskedForStandsFirst) {
  const Problem problem = shop();
  const std::vector<TeamStanding> fair = team_standings(problem, *allocate(problem, "hdrf"));
  // train has 15 of 18 tasks, serve 10 of 11
  EXPECT_THAT(names(fair, short_first(fair, {})), ::testing::ElementsAre("train", "serve", "site"));
}

TEST(TeamStanding, TeamsThatAreShortOfTheSameAndHaveTheSameShareAreLevel) {
  const Problem problem = shop();
  const Outcome fair = *allocate(problem, "hdrf");
  const std::vector<TeamStanding> teams = team_standings(problem, fair);
  const auto level = level_teams(problem, fair, teams);
  ASSERT_EQ(level.size(), 1U);
  EXPECT_THAT(names(teams, level[0].teams), ::testing::ElementsAre("train", "serve"));
  EXPECT_THAT(level[0].resources, ::testing::ElementsAre(1U));
}

/// The level teams under hdrfh, by name.
std::vector<std::vector<std::string>> level_names(const std::string& users) {
  const Problem problem = *read_cluster_text(
      "resources: [cpu, gpu]\n"
      "servers: [{name: s, capacity: {cpu: 10, gpu: 12}}]\n" +
          users,
      Syntax::yaml, "level");
  const Outcome fair = *allocate(problem, "hdrfh");
  const std::vector<TeamStanding> teams = team_standings(problem, fair);
  std::vector<std::vector<std::string>> sets;
  for (const LevelTeams& level : level_teams(problem, fair, teams)) sets.push_back(names(teams, level.teams));
  return sets;
}

TEST(TeamStanding, TeamsThatAreShortOfDifferentThingsAreNotLevel) {
  EXPECT_THAT(level_names(R"(users:
  - {name: A, shapes: [{name: x, demand: {gpu: 1}, tasks: 20}, {name: y, demand: {cpu: 1}, tasks: 9}]}
  - {name: B, demand: {gpu: 1}, tasks: 20}
  - {name: C, demand: {cpu: 1}, tasks: 9}
)"),
              ::testing::IsEmpty());
}

TEST(TeamStanding, TeamsWithAGuaranteeAndWithoutWeightAreLevelWithNobody) {
  EXPECT_THAT(level_names(R"(users:
  - {name: A, demand: {gpu: 1}, tasks: 20}
  - {name: B, demand: {gpu: 1}, tasks: 20}
  - {name: Z1, weight: 0, guarantee: {gpu: 3}, demand: {gpu: 1}, tasks: 30}
  - {name: Z2, weight: 0, guarantee: {gpu: 3}, demand: {gpu: 1}, tasks: 30}
)"),
              ::testing::ElementsAre(::testing::ElementsAre("A", "B")));
}

TEST(TeamStanding, MembersOfDifferentGroupsAreNotLevel) {
  EXPECT_THAT(
      level_names(R"(groups: [{name: g}, {name: h}]
users:
  - {name: A, group: g, demand: {gpu: 1}, tasks: 20}
  - {name: B, group: g, demand: {gpu: 1}, tasks: 20}
  - {name: C, group: h, demand: {gpu: 1}, tasks: 20}
  - {name: D, group: h, demand: {gpu: 1}, tasks: 20}
)"),
      ::testing::UnorderedElementsAre(::testing::ElementsAre("A", "B"), ::testing::ElementsAre("C", "D")));
}

TEST(TeamStanding, WhoAsksWithoutEndWaitsForMost) {
  const Problem problem = *read_cluster_text(R"(resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
users:
  - {name: some, demand: {cpu: 1}, tasks: 9}
  - {name: endless, demand: {cpu: 1}}
running: []
)",
                                             Syntax::yaml, "endless");
  const std::vector<TeamStanding> fair = team_standings(problem, *allocate(problem, "drf"));
  const std::vector<TeamStanding> now = team_standings(problem, *allocate(problem, "given"));
  EXPECT_THAT(names(fair, short_first(fair, now)), ::testing::ElementsAre("endless", "some"));
}

TEST(TeamStanding, WhatTheClusterLacksIsWhatATeamWithNothingAsksForMost) {
  const Problem problem = *read_cluster_text(R"(resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 10}}]
users:
  - {name: A, demand: {cpu: 1}}
  - {name: B, demand: {cpu: 1, gpu: 1}, may_fit_nowhere: true}
)",
                                             Syntax::yaml, "lack");
  EXPECT_EQ(team_standings(problem, *allocate(problem, "drf"))[1].dominant, 1U);
}

TEST(TeamStanding, SharesAreOfTheCapacityThatIsGiven) {
  const Problem problem = shop();
  const Outcome fair = *allocate(problem, "hdrf");
  const std::vector<double> half = {50, 5};
  const std::vector<TeamStanding> own = team_standings(problem, fair);
  const std::vector<TeamStanding> of_half = team_standings(problem, fair, half);
  for (std::size_t t = 0; t < own.size(); ++t) {
    EXPECT_DOUBLE_EQ(of_half[t].who.share, 2 * own[t].who.share);
    EXPECT_DOUBLE_EQ(*of_half[t].asked_share, 2 * *own[t].asked_share);
  }
}

}  // namespace
}  // namespace mirab
