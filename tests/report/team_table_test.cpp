// The answer by team, as people and programs see it.
#include "report/outcome/team_table.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "report/outcome/comparison.hpp"
#include "report/text/width.hpp"
#include "support/shop.hpp"

namespace mirab::report {
namespace {

using mirab::test::shop;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Comparison compared(const Problem& problem, std::initializer_list<const char*> mechanisms) {
  Comparison comparison{.title = "shop.yaml", .problem = problem, .outcomes = {}};
  for (const char* mechanism : mechanisms)
    comparison.outcomes.push_back(measured(problem, *allocate(problem, mechanism)));
  return comparison;
}

TEST(TeamTable, HasARowATeamShortFirstWithNowFairDifferenceWaitingAndWhatHoldsIt) {
  const std::string table = comparison_table(compared(shop(), {"hdrf", "given"}), {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("team +dominant +asked +now +hdrf +points +now +hdrf +held by\n"));
  EXPECT_THAT(table, ContainsRegex("serve +gpu +60.00% +20.00% +50.00% +.30.00 +4 +1 +gpu\n"
                                   "train +gpu +80.00% +80.00% +50.00% +-30.00 +0 +3 +gpu\n"
                                   "site +cpu +4.00% +4.00% +4.00% +0.00 +0 +0\n"));
  EXPECT_THAT(table, Not(HasSubstr("train/big"))) << "shapes are shown when asked for";
}

TEST(TeamTable, SaysWhichTeamsAreLevel) {
  const std::string table = comparison_table(compared(shop(), {"hdrf", "given"}), {.width = kPageWidth});
  EXPECT_THAT(table, HasSubstr("level under hdrf: train, serve, all short of gpu, with the same share, "
                               "50.00%"));
}

TEST(TeamTable, ShapesHaveTheirRowsWhenAskedFor) {
  const std::string table =
      comparison_table(compared(shop(), {"hdrf", "given"}), {.width = kPageWidth}, {.shapes = true});
  EXPECT_THAT(table, ContainsRegex("train/big +gpu +8 +5 +50.00% +8 ✓ +80.00%\n"));
  EXPECT_THAT(table, Not(ContainsRegex("team +dominant")));
}

TEST(TeamTable, UsersWithoutTaskShapesHaveTheRowsThatTheyHad) {
  const Problem plain = *read_cluster_text(
      "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 4}}]\n"
      "users: [{name: a, demand: {cpu: 1}, tasks: 9}, {name: b, demand: {cpu: 1}, tasks: 1}]\n",
      Syntax::yaml, "plain");
  const Comparison comparison = compared(plain, {"drf"});
  const std::string table = comparison_table(comparison, {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("user  dominant  asked +tasks  share\n"));
  EXPECT_EQ(table, comparison_table(comparison, {.width = kPageWidth}, {.shapes = true}));
}

TEST(TeamTable, SeveralOutcomesStandInColumnsWithoutPoints) {
  const std::string table =
      comparison_table(compared(shop(), {"hdrf", "drf", "given"}), {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("asked +now +hdrf +drf +now +hdrf +drf +held by\n"));
}

TEST(TeamTable, KeepsToEightyColumnsWithLongNames) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu, nvidia.com/gpu]
servers: [{name: gpu-server-of-a-long-name, capacity: {cpu: 10, nvidia.com/gpu: 4}}]
users:
  - name: machine-learning-training
    shapes: [{name: x, demand: {cpu: 1, nvidia.com/gpu: 1}, tasks: 9}, {name: y, demand: {cpu: 1}, tasks: 9}]
  - {name: machine-learning-inference, demand: {cpu: 1, nvidia.com/gpu: 1}, tasks: 3}
running: [{user: machine-learning-inference, server: gpu-server-of-a-long-name, tasks: 1}]
)",
                                             Syntax::yaml, "long");
  const std::string table = comparison_table(compared(problem, {"hdrfh", "given"}), {.width = 80});
  EXPECT_LE(widest_line(table), 80U) << table;
}

// `train` lacks GPUs, room that its own limit leaves, and now what is free on three servers.
TEST(TeamTable, WhatHoldsATeamIsCountedWhereItDoesNotFitAndNotCutInTwo) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu, memory, nvidia.com/gpu]
servers:
  - {name: ip-10-0-0-1.eu-central, capacity: {cpu: 10, memory: 10}}
  - {name: ip-10-0-0-2.eu-central, capacity: {cpu: 10, memory: 10, nvidia.com/gpu: 4}}
users:
  - name: train
    shapes:
      - {name: x, demand: {cpu: 10, nvidia.com/gpu: 1}, tasks: 9}
      - {name: y, demand: {memory: 10}, tasks: 9}
  - {name: serve, demand: {cpu: 1, memory: 1}, tasks: 30}
running: [{user: serve, server: ip-10-0-0-1.eu-central, tasks: 1}]
)",
                                             Syntax::yaml, "held");
  const auto rows = [&](std::size_t width) {
    return comparison_table(compared(problem, {"hdrfh", "tsf", "given"}), {.width = width});
  };
  const std::string wide = rows(kPageWidth), narrow = rows(80);
  EXPECT_LE(widest_line(narrow), 80U) << narrow;
  EXPECT_THAT(narrow, ContainsRegex("train .* cpu \\+2 more\n")) << narrow;
  EXPECT_THAT(narrow, Not(HasSubstr("…"))) << narrow;
  const nlohmann::ordered_json json = comparison_json(compared(problem, {"hdrfh", "tsf", "given"}));
  EXPECT_THAT(json["outcomes"][0]["teams"].dump(), HasSubstr("\"held_by\":\"cpu; memory\""))
      << "a program gets all of it";
}

TEST(TeamTable, TheMechanismThatWasTakenStandsAboveTheTableAndNotBelow) {
  Comparison comparison = compared(shop(), {"hdrf"});
  comparison.outcomes[0].outcome.notices.push_back(std::string(kTakenMechanism) + ": with task shapes");
  const std::string table = comparison_table(comparison, {.width = kPageWidth});
  const std::string words = "hdrf is taken since no mechanism was named: with task shapes\n";
  EXPECT_LT(table.find(words), table.find("team "));
  EXPECT_EQ(table.find("taken since"), table.rfind("taken since"));
  EXPECT_THAT(comparison_json(comparison)["outcomes"][0]["notices"].dump(), HasSubstr("taken since"));
}

TEST(TeamsJson, HasARowATeamBesideUsersAndGroups) {
  const nlohmann::ordered_json json = comparison_json(compared(shop(), {"hdrf", "given"}));
  const auto& fair = json["outcomes"][0]["teams"];
  ASSERT_EQ(fair.size(), 3U);
  EXPECT_EQ(fair[0]["name"], "serve");
  EXPECT_NEAR(fair[0]["now"].get<double>(), 0.2, 1e-9);
  EXPECT_NEAR(fair[0]["fair"].get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(fair[0]["asked"].get<double>(), 0.6, 1e-9);
  EXPECT_NEAR(fair[0]["waiting"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(fair[0]["waiting_now"].get<double>(), 4, 1e-9);
  EXPECT_EQ(fair[0]["held_by"], "gpu");
  EXPECT_EQ(fair[0]["shapes"], nlohmann::ordered_json({"serve/api", "serve/web"}));
  const auto& now = json["outcomes"][1]["teams"];
  EXPECT_TRUE(now[0]["fair"].is_null()) << "what runs now is divided by no rule";
  EXPECT_EQ(json["outcomes"][0]["users"].size(), 5U);
}

}  // namespace
}  // namespace mirab::report
