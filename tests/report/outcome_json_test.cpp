#include <gmock/gmock.h>
#include <limits>
#include <nlohmann/json.hpp>

#include <mirab/mechanisms/mechanism.hpp>

#include "report/outcome/comparison.hpp"
#include "report/sample.hpp"
#include "report/text/json.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

TEST(OutcomeJson, EveryDoubleReadsBackAsTheSameDouble) {
  const double awkward = 45.0 / 11;
  const Comparison comparison = test::comparison({test::outcome("pf", awkward, 18.0 / 11)});
  const Json back = Json::parse(json_text(comparison_json(comparison), 2));
  const Json& outcome = back["outcomes"][0];
  EXPECT_EQ(outcome["users"][0]["tasks"].get<double>(), awkward);
  EXPECT_EQ(outcome["users"][0]["dominant_share"].get<double>(),
            comparison.outcomes[0].metrics.dominant_shares[0]);
  EXPECT_EQ(outcome["metrics"]["gini"].get<double>(), comparison.outcomes[0].metrics.gini);
}

TEST(OutcomeJson, KeysStandInTheDocumentedOrder) {
  const Json json = comparison_json(test::comparison({test::outcome("drf", 3, 2)}));
  EXPECT_THAT(keys(json), ::testing::ElementsAre("version", "seed", "problem", "outcomes"));
  EXPECT_THAT(keys(json["problem"]),
              ::testing::ElementsAre("resources", "users", "servers", "server_classes"));
  EXPECT_THAT(keys(json["outcomes"][0]),
              ::testing::ElementsAre("mechanism", "label", "status", "certificate", "seconds", "users",
                                     "teams", "servers", "satisfied_users", "satisfied_of", "metrics",
                                     "metrics_short", "lowest_share_short", "notices"));
  EXPECT_THAT(keys(json["outcomes"][0]["users"][0]),
              ::testing::ElementsAre("name", "weight", "tasks", "dominant_resource", "dominant_share",
                                     "asked", "asked_share", "satisfied", "resources", "servers"));
}

TEST(OutcomeJson, SaysWhatIsAskedAndWhoHasIt) {
  Cluster cluster = test::slides().cluster();
  cluster.users[0].tasks = Quantity(3);
  const Problem problem = *Problem::from(cluster);
  Comparison comparison{"textbook.yaml", problem, 1, {}};
  comparison.outcomes.push_back(measured(problem, test::outcome("drf", 3, 2)));
  const Json json = comparison_json(comparison);
  const Json& outcome = json["outcomes"][0];
  EXPECT_EQ(outcome["users"][0]["asked"], 3.0);
  EXPECT_EQ(outcome["users"][0]["satisfied"], true);
  EXPECT_EQ(outcome["users"][0]["asked_share"].get<double>(), 12.0 / 18);
  EXPECT_TRUE(outcome["users"][1]["asked"].is_null());
  EXPECT_EQ(outcome["users"][1]["satisfied"], false);
  EXPECT_EQ(outcome["satisfied_users"], 1);
  EXPECT_TRUE(outcome["metrics_short"].is_null()) << "one user is short, and the other holds no more";
  EXPECT_EQ(outcome["lowest_share_short"].get<double>(), 6.0 / 9) << "of the one who is short";
  cluster.users[1].tasks = Quantity(2);
  Comparison all{"textbook.yaml", *Problem::from(cluster), 1, {}};
  all.outcomes.push_back(measured(all.problem, test::outcome("drf", 3, 2)));
  EXPECT_TRUE(comparison_json(all)["outcomes"][0]["metrics_short"].is_null());
  EXPECT_TRUE(comparison_json(all)["outcomes"][0]["lowest_share_short"].is_null());
}

TEST(OutcomeJson, SaysForWhatAUserWaitsThatFitsNowhere) {
  Cluster cluster = test::slides().cluster();
  cluster.resources.emplace_back("gpu");
  cluster.servers[0].capacity.emplace_back(0);
  for (User& user : cluster.users) {
    user.demand.emplace_back(0);
    user.may_fit_nowhere = true;
  }
  User& waits = cluster.users.emplace_back(cluster.users[0]);
  waits.name = "C";
  waits.demand[2] = Quantity(1);
  User& unlabelled = cluster.users.emplace_back(cluster.users[0]);
  unlabelled.name = "D";
  unlabelled.select = {{"model", {"new"}}};
  const Problem problem = *Problem::from(cluster);
  Comparison comparison{"textbook.yaml", problem, 1, {}};
  comparison.outcomes.push_back(measured(problem, *allocate(problem, "drf")));
  const Json users = comparison_json(comparison)["outcomes"][0]["users"];
  EXPECT_FALSE(users[0].contains("waits_for"));
  EXPECT_EQ(users[2]["waits_for"], Json::array({"gpu"}));
  EXPECT_EQ(users[3]["waits_for"], Json::array());
}

TEST(OutcomeJson, WhatIsInfiniteIsNull) {
  // Everything to A: the poorest fifth has nothing, so the 20:20 ratio is infinite.
  const Json json = comparison_json(test::comparison({test::outcome("unfair", 4.5, 0)}));
  EXPECT_TRUE(Json::parse(json_text(json))["outcomes"][0]["metrics"]["ratio_20_20"].is_null());
}

TEST(OutcomeJson, CountedTasksAreIntegersAndDividedTasksAreNot) {
  Outcome filling = test::filling("drf", 3, 2);
  filling.filling->unplaced = {Unplaced::no_room, Unplaced::nothing};
  filling.filling->steps = {{1, 0, 0, 1.0 / 3}};
  Comparison comparison = test::comparison({test::outcome("drf", 3, 2)});
  comparison.outcomes.push_back(measured(comparison.problem, filling));

  const Json outcomes = Json::parse(json_text(comparison_json(comparison)))["outcomes"];
  EXPECT_TRUE(outcomes[0]["users"][0]["tasks"].is_number_float());
  EXPECT_TRUE(outcomes[1]["users"][0]["tasks"].is_number_integer());
  EXPECT_EQ(outcomes[1]["label"], "drf/first-fit");
  EXPECT_EQ(outcomes[1]["unplaced"], (Json{{"A", "no room"}}));
  EXPECT_EQ(outcomes[1]["steps"][0],
            (Json{{"step", 1}, {"user", "B"}, {"server", "pool"}, {"instance", 0}, {"share", 1.0 / 3}}));
}

TEST(OutcomeJson, TextThatIsNotUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace mirab::report
