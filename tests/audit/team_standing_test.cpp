// Where each team stands, and in which order teams are shown.
#include "audit/team_standing.hpp"

#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

namespace mirab {
namespace {

// Of 10 GPUs train has 8 and serve 2, and wants 6; 5 each are fair. Site has all it asks for.
Problem shop() {
  return *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 100, gpu: 10}}]
users:
  - {name: site, demand: {cpu: 1}, tasks: 4}
  - name: train
    shapes: [{name: small, demand: {cpu: 1}, tasks: 10}, {name: big, demand: {cpu: 1, gpu: 1}, tasks: 8}]
  - name: serve
    shapes: [{name: api, demand: {cpu: 1, gpu: 1}, tasks: 6}, {name: web, demand: {cpu: 1}, tasks: 5}]
running:
  - {user: site, server: s, tasks: 4}
  - {user: train, shape: small, server: s, tasks: 10}
  - {user: train, shape: big, server: s, tasks: 8}
  - {user: serve, shape: api, server: s, tasks: 2}
  - {user: serve, shape: web, server: s, tasks: 5}
)",
                            Syntax::yaml, "shop");
}

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
  EXPECT_THAT(names(teams, level[0]), ::testing::ElementsAre("train", "serve"));
}

}  // namespace
}  // namespace mirab
