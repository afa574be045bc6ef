// The tables of explain and diff, as people see them.
#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/audit/explanation.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "report/outcome/difference.hpp"
#include "report/outcome/explanation.hpp"
#include "report/outcome/groups.hpp"
#include "report/outcome/survey.hpp"
#include "report/sample.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string explained(std::size_t user, std::size_t width) {
  const Problem problem = test::slides();
  const Explanation explanation = *explain(problem, *choose_mechanism("drf"), user);
  return explanation_table({"textbook.yaml", problem, explanation}, {.width = width});
}

TEST(ExplanationTable, NamesTheFullResourceWhoHoldsItAndWhatEachChangeBrings) {
  const std::string text = explained(0, kPageWidth);
  EXPECT_THAT(text, HasSubstr("textbook.yaml: A has 3 tasks under drf\n"));
  EXPECT_THAT(text, HasSubstr("pool  cpu              9    33.33%  0.6667  B 66.7%\n"));
  EXPECT_THAT(text, HasSubstr("1 more cpu in the pool      3.1034  +0.1034  nobody\n"));
}

TEST(ExplanationTable, LeavesOutTheOthersWhereTheyDoNotFit) {
  EXPECT_THAT(explained(0, 60), Not(HasSubstr("others who hold most")));
  EXPECT_LE(widest_line(explained(0, 60)), 60u);
}

TEST(ExplanationTable, NamesWhoReservesWhatIsFreeAndSaysWhatAWeightOf0Means) {
  Cluster cluster = test::slides().cluster();
  cluster.groups = {{.name = "lab", .weight = Quantity(0)}, {.name = "shop"}};
  cluster.groups[1].quota = {.guarantee = ResourceVector{Quantity(9), Quantity(18)},
                             .reserved = ResourceVector{Quantity(9), Quantity(18)}};
  cluster.users[0].group = "lab";
  cluster.users[1].group = "shop";
  cluster.users[1].tasks = Quantity(1);
  const Problem problem = *Problem::from(std::move(cluster));
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  const ExplanationReport report{"teams.yaml", problem, explanation};
  const std::string text = explanation_table(report, {.width = kPageWidth});
  EXPECT_THAT(text,
              HasSubstr("It is held back at lab: what is free of cpu and memory is reserved for shop.\n"))
      << text;
  EXPECT_THAT(
      text, HasSubstr("The weight of lab is 0: beyond its guarantee it gets what no sibling with a weight"));
  EXPECT_THAT(text, HasSubstr("weight 1 instead of 0 for lab"));
  const auto json = explanation_json(report);
  EXPECT_EQ(json.at("path").size(), 2U);
  EXPECT_EQ(json.at("path")[0].at("name"), "lab");
  EXPECT_EQ(json.at("path")[0].at("lowest_sibling"), nullptr) << "shop has all its tasks";
  EXPECT_EQ(json.at("holder").at("name"), "lab");
  EXPECT_EQ(json.at("holder").at("by"), "reserve");
  EXPECT_THAT(text, HasSubstr("nothing reserved for shop"));
}

std::string explained_as_given(Cluster cluster, std::size_t user) {
  const Problem problem = *Problem::from(std::move(cluster));
  const Explanation explanation = *explain(problem, *choose_mechanism("given"), user);
  return explanation_table({"now.yaml", problem, explanation}, {.width = 200});
}

// Three servers of 8 GPUs, of which 7, 6 and 7 are in use; a job of 4 waits though 4 are free.
Cluster in_fragments() {
  Cluster cluster{.resources = {"gpu"}, .servers = {}, .users = {}};
  for (const char* name : {"n1", "n2", "n3"})
    cluster.servers.push_back({.name = name, .capacity = {Quantity(8)}});
  cluster.users = {{.name = "old", .demand = {Quantity(1)}, .tasks = Quantity(30)},
                   {.name = "new", .demand = {Quantity(4)}, .tasks = Quantity(1)}};
  cluster.running = {{.user = "old", .server = "n1", .tasks = Quantity(7)},
                     {.user = "old", .server = "n2", .tasks = Quantity(6)},
                     {.user = "old", .server = "n3", .tasks = Quantity(7)}};
  return cluster;
}

TEST(ExplanationTable, OfWhatRunsSaysWhetherThereIsRoomOrOnlyFragments) {
  EXPECT_THAT(
      explained_as_given(in_fragments(), 1),
      HasSubstr(
          "Room for it exists only in fragments: no server where it may run has room for a whole task."));
  Cluster room = in_fragments();
  room.servers[1].capacity = {Quantity(10)};
  EXPECT_THAT(explained_as_given(room, 1),
              HasSubstr("There is room for a task of it on n2, and it is not placed there."));
  Cluster unknown = in_fragments();
  unknown.servers[1].count = 2;  // of 16 GPUs 11 are in use, on either server from 3 to 8
  unknown.running = {{.user = "old", .server = "n2", .tasks = Quantity(11)},
                     {.user = "old", .server = "n1", .tasks = Quantity(5)},
                     {.user = "old", .server = "n3", .tasks = Quantity(5)}};
  EXPECT_THAT(
      explained_as_given(unknown, 1),
      HasSubstr("fits into what is free on the 2 servers of n2 together; whether one of them has room"));
  for (const Cluster& cluster : {in_fragments(), room, unknown})
    EXPECT_THAT(explained_as_given(cluster, 1), Not(HasSubstr("mechanism")));
}

TEST(GroupsTable, OfWhatRunsSaysThatRoomIsInFragments) {
  Cluster cluster = in_fragments();
  cluster.groups = {{.name = "team"}};
  cluster.users[1].group = "team";
  const Problem problem = *Problem::from(cluster);
  const Outcome outcome = *allocate(problem, "given");
  EXPECT_EQ(stop_words(problem, outcome, Stops(problem, outcome).of(1)), "room in fragments only");
}

// A limit of 22 GPUs stops the job of 4 beside 20 in use before it is reached.
TEST(GroupsTable, OfWhatRunsALimitStopsTheTaskThatWouldPassIt) {
  Cluster cluster = in_fragments();
  cluster.servers[0].capacity = {Quantity(80)};
  cluster.groups = {{.name = "team"}};
  cluster.groups[0].quota.limit = {Quantity(22)};
  for (User& user : cluster.users) user.group = "team";
  const Problem problem = *Problem::from(cluster);
  const Outcome outcome = *allocate(problem, "given");
  EXPECT_EQ(stop_words(problem, outcome, Stops(problem, outcome).of(1)), "limit of team: gpu");
}

// All who want the one GPU have a third of it each: none comes first.
TEST(ExplanationTable, OfUsersThatAreLevelNoneIsSaidToComeFirst) {
  Cluster cluster{.resources = {"gpu"}, .servers = {{.name = "s", .capacity = {Quantity(1)}}}, .users = {}};
  for (const char* name : {"a", "b", "c"}) {
    cluster.groups.push_back({.name = name});
    cluster.users.push_back({.name = std::string("of ") + name, .demand = {Quantity(1)}, .group = name});
  }
  const Problem problem = *Problem::from(cluster);
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  const std::string text = explanation_table({"x", problem, explanation}, {.width = 200});
  EXPECT_THAT(text, HasSubstr("all 3 that\n  want more gpu have the same 33.33% beyond/weight"));
  EXPECT_THAT(text, Not(HasSubstr("comes first")));
}

TEST(DifferenceTable, ShowsTheGreatestChangesAndASumOfTheOthers) {
  Difference difference;
  for (const auto& [user, change, direction] :
       {std::tuple("a", 0.5, Direction::gain), std::tuple("b", 0.25, Direction::gain),
        std::tuple("c", 0.0, Direction::unchanged), std::tuple("d", -0.1, Direction::lose),
        std::tuple("e", -0.2, Direction::lose)}) {
    difference.teams.push_back({.whole = {.user = user,
                                          .before = UserShare{1, 0.1},
                                          .after = UserShare{1 + change, 0.1},
                                          .change = change},
                                .direction = direction});
  }
  difference.changed = {.gain = 2, .lose = 2, .mixed = 0, .unchanged = 1};
  const Problem problem = test::slides();
  const Outcome outcome = test::outcome("drf", 3, 2);
  const Diff diff{{"textbook.yaml", problem, outcome}, {"textbook.yaml", problem, outcome}, difference};
  const std::string text = difference_table(diff, {.most = 1}, {.width = kPageWidth});
  EXPECT_THAT(text, HasSubstr("2 gain, 2 lose, 1 unchanged\n"));
  EXPECT_THAT(text, HasSubstr("+50.00%"));
  EXPECT_THAT(text, HasSubstr("-20.00%"));
  EXPECT_THAT(text, HasSubstr("1 who gain less, 1 who lose less, 1 unchanged not shown\n"));
  EXPECT_THAT(text, Not(HasSubstr("+25.00%")));
  EXPECT_THAT(difference_table(diff, {.most = 3}, {.width = kPageWidth}), HasSubstr("+25.00%"));
  EXPECT_THAT(difference_table(diff, {.most = 3}, {.width = kPageWidth}), Not(HasSubstr("not shown")));
  Diff mixed = diff;
  mixed.difference.teams[1].direction = Direction::mixed;
  mixed.difference.changed = {.gain = 1, .lose = 2, .mixed = 1, .unchanged = 1};
  const std::string of_mixed = difference_table(mixed, {.most = 1}, {.width = kPageWidth});
  EXPECT_THAT(of_mixed,
              HasSubstr("1 gain, 2 lose, 1 with the same share of another mix of tasks, 1 unchanged\n"));
  EXPECT_THAT(of_mixed,
              HasSubstr("1 who lose less, 1 with the same share of another mix of tasks, 1 unchanged "
                        "not shown\n"));
}

// shop runs 4 web and 1 cache of 1 CPU, then 2 and 2: it has more caches and fewer CPUs.
TEST(DifferenceTable, AUserWithTaskShapesHasOneLineAndItsShapesStandBelowItOnDemand) {
  Cluster cluster{.resources = {"cpu"},
                  .servers = {{.name = "s", .capacity = {Quantity(10)}}},
                  .users = {{.name = "other", .demand = {Quantity(1)}}}};
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const char* shape : {"web", "cache"}) {
    User user{.name = std::string("shop/") + shape, .demand = {Quantity(1)}, .group = "shop"};
    user.shape = shape;
    cluster.users.push_back(user);
  }
  const Problem problem = *Problem::from(cluster);
  const auto outcome = [](double other, double web, double cache) {
    Outcome result;
    result.mechanism = "given";
    result.allocation.tasks = {other, web, cache};
    result.allocation.servers = {{"s", 1, {10}, {other + web + cache}, {}}};
    for (std::size_t n = 0; n < 3; ++n) {
      const std::vector<double> held{result.allocation.tasks[n]};
      result.allocation.grants.add(n, 0, result.allocation.tasks[n], held);
    }
    return result;
  };
  const Outcome before = outcome(5, 4, 1), after = outcome(6, 2, 2);
  const Diff diff{{"now", problem, before},
                  {"then", problem, after},
                  difference({problem, before.allocation}, {problem, after.allocation})};
  const std::string text = difference_table(diff, {}, {.width = kPageWidth});
  EXPECT_THAT(text, HasSubstr("1 gain, 1 lose, 0 unchanged\n"));
  EXPECT_THAT(text, ContainsRegex("team +before +after +points +before +after +held by\n"));
  EXPECT_THAT(text, ContainsRegex("shop +50.00% +40.00% +-10.00 +∞ +∞ +"));
  EXPECT_THAT(text, Not(HasSubstr("shop/web")));
  EXPECT_THAT(difference_table(diff, {.detail = Detail::shapes}, {.width = kPageWidth}),
              ContainsRegex("  shop/cache +1 +2 +\\+100.00%"));
  const auto json = difference_json(diff);
  EXPECT_EQ(json.at("teams").at(1).at("direction"), "lose");
  EXPECT_EQ(json.at("teams").at(1).at("after").at("tasks"), 4);
  EXPECT_NEAR(json.at("teams").at(1).at("now").get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(json.at("teams").at(1).at("fair").get<double>(), 0.4, 1e-9);
}

// Lab has 2 shapes; 3 servers that users can tell apart would help it alike.
Problem lab() {
  return *read_cluster_text(R"(
resources: [cpu, gpu]
servers:
  - {name: n1, capacity: {cpu: 8, gpu: 1}, labels: {zone: a}}
  - {name: n2, capacity: {cpu: 8, gpu: 1}, labels: {zone: b}}
  - {name: n3, capacity: {cpu: 8, gpu: 1}, labels: {zone: c}}
users:
  - name: lab
    shapes: [{name: train, demand: {cpu: 1, gpu: 1}, tasks: 9}, {name: web, demand: {cpu: 1}, tasks: 2}]
  - {name: a, demand: {cpu: 1}, tasks: 1, select: {zone: a}}
  - {name: b, demand: {cpu: 1}, tasks: 1, select: {zone: b}}
  - {name: c, demand: {cpu: 1}, tasks: 1, select: {zone: c}}
)",
                            Syntax::yaml, "lab");
}

TEST(ExplanationTable, EqualWhatIfsAreOneRow) {
  const Problem problem = lab();
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrfh"), 0);
  ASSERT_GE(std::count_if(explanation.what_ifs.begin(), explanation.what_ifs.end(),
                          [](const WhatIf& what_if) { return what_if.change.kind == ChangeKind::server; }),
            3);
  const std::string table = explanation_table({"lab.yaml", problem, explanation}, {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("one more of 3 servers like n1 +4 +\\+1.0*\n"));
  EXPECT_THAT(table, ContainsRegex("1 more gpu on one of 3 servers like n1 +4 +\\+1.0*\n"));
  EXPECT_THAT(table, Not(HasSubstr("one more server: n2")));
}

// A limit holds a on x, and b lacks servers like y, of which one is a thousandth of a percent of the cluster.
TEST(SurveyTable, KindsOfServersThatBringNothingAreNotOffered) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: x, count: 10, capacity: {cpu: 10000}}, {name: y, capacity: {cpu: 1}}]
groups: [{name: lab, groups: [{name: inner, limit: {cpu: 4}}]}]
users:
  - {name: a, group: inner, demand: {cpu: 1}, tasks: 9, servers: [x]}
  - {name: b, group: lab, demand: {cpu: 1}, tasks: 9, servers: [y]}
)",
                                             Syntax::yaml, "kinds");
  const std::vector<std::size_t> team{0, 1};
  const Survey survey = *explain_team(problem, *choose_mechanism("hdrfh"), team);
  const SurveyReport report{.title = "kinds", .problem = problem, .survey = survey, .team = "lab"};
  const std::string table = survey_table(report, {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("one more server: y +0.01% +\\+0.001\n")) << "a gain is not shown as 0";
  EXPECT_THAT(table, HasSubstr("one more server like x brings nothing\n"));
  EXPECT_THAT(table, Not(HasSubstr("servers like")));
}

TEST(SurveyTable, OfATeamHasItsRowItsShapesThatWaitAndWhatChangesBringIt) {
  const Problem problem = lab();
  const std::vector<std::size_t> team{0, 1};
  const Survey survey = *explain_team(problem, *choose_mechanism("hdrfh"), team);
  const SurveyReport report{.title = "lab.yaml", .problem = problem, .survey = survey, .team = "lab"};
  const std::string table = survey_table(report, {.width = kPageWidth});
  EXPECT_THAT(table, HasSubstr("lab.yaml: lab under hdrfh\n"));
  EXPECT_THAT(table, ContainsRegex("lab +gpu +300.00% +100.00% +6 +gpu\n"));
  EXPECT_THAT(table, Not(HasSubstr("level under"))) << "no other team is short";
  EXPECT_THAT(table, ContainsRegex("lab/train +9 +3 +100.00% +gpu"));
  EXPECT_THAT(table, Not(HasSubstr("lab/web"))) << "it does not wait";
  EXPECT_THAT(table, ContainsRegex("what if .solved each time.: lab +share +points\n"));
  EXPECT_THAT(table, ContainsRegex("one more of 3 servers like n1 +133.33% +\\+33.33\n"));
  const auto json = survey_json(report);
  EXPECT_EQ(json["team"], "lab");
  EXPECT_EQ(json["teams"].size(), 1U);
  EXPECT_EQ(json["users"].size(), 2U);
  EXPECT_FALSE(json["together"].empty());
}

TEST(SurveyTable, HasARowATeamAndOneForTheShapeOfEachThatLacksMost) {
  const Problem problem = lab();
  const Survey survey = *explain_all(problem, *choose_mechanism("hdrfh"));
  const SurveyReport report{.title = "lab.yaml", .problem = problem, .survey = survey};
  const std::string table = survey_table(report, {.width = kPageWidth});
  EXPECT_THAT(table, ContainsRegex("team +dominant +asked +hdrfh +hdrfh +held by\n"));
  EXPECT_THAT(table, HasSubstr("of each team that is short, what lacks most:\n"));
  EXPECT_THAT(table, Not(HasSubstr("lab/web")));
  EXPECT_THAT(survey_table(report, {.width = kPageWidth}, true), HasSubstr("lab/web"));
}

/// A and B ask for 3 tasks each, of which DRF gives A all and B 2.
Problem asking() {
  Cluster cluster = test::slides().cluster();
  for (User& user : cluster.users) user.tasks = Quantity(3);
  return *Problem::from(std::move(cluster));
}

TEST(ExplanationTable, BoldAreTheTasksOfAUserWhoIsShortAndTheBestChange) {
  const Problem problem = asking();
  const auto shown = [&](std::size_t user, bool bold) {
    const Explanation explanation = *explain(problem, *choose_mechanism("drf"), user);
    return explanation_table({"textbook.yaml", problem, explanation}, {.width = kPageWidth, .bold = bold});
  };
  EXPECT_THAT(shown(1, false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown(1, true), HasSubstr("textbook.yaml: B has \x1b[1m2 tasks\x1b[22m under drf\n"));
  EXPECT_THAT(shown(1, true), ContainsRegex("one more server: pool +3 +.\\[1m.1.0+.\\[22m +nobody\n"));
  EXPECT_THAT(shown(1, true), HasSubstr("bold: fewer tasks than the user asks for"));
  EXPECT_THAT(shown(0, true), HasSubstr("textbook.yaml: A has 3 tasks under drf\n"));
}

TEST(SurveyTable, BoldAreTheTasksOfUsersWhoAreShort) {
  const Problem problem = asking();
  const Survey survey = *explain_all(problem, *choose_mechanism("drf"));
  const SurveyReport report{"textbook.yaml", problem, survey};
  const std::string plain = survey_table(report, {.width = kPageWidth});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string bold = survey_table(report, {.width = kPageWidth, .bold = true});
  EXPECT_THAT(bold, ContainsRegex("B +3 +.\\[1m2.\\[22m +66.67%"));
  EXPECT_THAT(bold, ContainsRegex("A +3 +3 ✓ +66.67%"));
  EXPECT_EQ(widest_line(bold), widest_line(plain));
}

TEST(DifferenceTable, ShowsTheGroupsWithWhatTheyAreGuaranteedBorrowAndLend) {
  Cluster cluster = test::slides().cluster();
  cluster.groups = {{.name = "lab"}, {.name = "shop"}};
  cluster.groups[0].quota.guarantee = ResourceVector{Quantity(2), Quantity(8)};
  cluster.users[0].group = "lab";
  cluster.users[1].group = "shop";
  Cluster next = cluster;
  next.groups[1] = {.name = "store", .parent = "lab", .weight = Quantity(2)};
  next.groups[0].weight = Quantity(3);
  next.users[1].group = "store";
  const Problem one = *Problem::from(cluster), two = *Problem::from(next);
  const Outcome before = *allocate(one, "hdrf"), after = *allocate(two, "hdrf");
  const Diff diff{{"now", one, before},
                  {"next", two, after},
                  difference({one, before.allocation}, {two, after.allocation})};
  const std::string text = difference_table(diff, {}, {.width = 120});
  EXPECT_THAT(text, HasSubstr("groups: 1 gain, 0 lose, 0 unchanged\n")) << text;
  EXPECT_THAT(text, ContainsRegex("lab +[0-9.]+% +100.00% +.[0-9.]+ +cpu +2 +2 "));
  EXPECT_THAT(text, HasSubstr("groups added: store in lab\n"));
  EXPECT_THAT(text, HasSubstr("groups removed: shop in the cluster\n"));
  EXPECT_THAT(text, HasSubstr("groups set otherwise: lab (weight)\n"));
  const auto json = difference_json(diff);
  ASSERT_EQ(json.at("groups").size(), 3U);
  EXPECT_EQ(json.at("groups")[0].at("settings")[0], "weight");
  EXPECT_EQ(json.at("groups")[0].at("before").at("guarantee").at("memory"), 8.0);
  EXPECT_EQ(json.at("groups")[1].at("after"), nullptr);
  EXPECT_EQ(json.at("groups")[2].at("after").at("parent"), "lab");
}

TEST(DifferenceTable, ANoticeOfBothSidesIsSaidOnce) {
  const Problem problem = test::slides();
  Outcome before = *allocate(problem, "drf"), after = before;
  before.notices = {"the same", "only before"};
  after.notices = {"the same"};
  const Diff diff{{"now", problem, before},
                  {"next", problem, after},
                  difference({problem, before.allocation}, {problem, after.allocation})};
  const std::string text = difference_table(diff, {}, {.width = 80});
  EXPECT_EQ(text.find("the same"), text.rfind("the same")) << text;
  EXPECT_THAT(text, HasSubstr("the same"));
  EXPECT_THAT(text, HasSubstr("only before"));
}

TEST(DifferenceTable, BoldAreUsersWhoAreShortAndTheBetterOfTwoSums) {
  const Problem problem = asking();
  const Outcome drf = test::outcome("drf", 3, 2), half = test::outcome("half", 1.5, 1);
  const Diff diff{{"textbook.yaml", problem, drf},
                  {"textbook.yaml", problem, half},
                  difference({problem, drf.allocation}, {problem, half.allocation})};
  const std::string plain = difference_table(diff, {}, {.width = kPageWidth});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string bold = difference_table(diff, {}, {.width = kPageWidth, .bold = true});
  EXPECT_THAT(bold, ContainsRegex("A +3 ✓ +.\\[1m1.500.\\[22m +-50.00%"));
  EXPECT_THAT(bold, ContainsRegex("B +.\\[1m2.\\[22m +.\\[1m1.\\[22m +-50.00%"));
  EXPECT_THAT(bold, ContainsRegex("get all they ask for +.\\[1m1 of 2.\\[22m +0 of 2\n"));
  EXPECT_THAT(bold, ContainsRegex("cpu used +.\\[1m100.00%.\\[22m +50.00%\n"));
  EXPECT_THAT(bold, HasSubstr("bold: fewer tasks than the user asks for; of a sum, the better side\n"));
}

TEST(DifferenceTable, HowManyGetAllTheyAskForIsNotComparedWhereTheNumbersOfUsersDiffer) {
  const Problem two = asking();
  Cluster cluster = two.cluster();
  cluster.users.pop_back();
  const Problem one = *Problem::from(std::move(cluster));
  const Outcome before = test::outcome("drf", 3, 2);
  Outcome after;
  after.mechanism = "drf";
  after.allocation.tasks = {1.5};
  after.allocation.grants.add(0, 0, 1.5, {1.5, 6});
  after.allocation.servers = {{"pool", 1, {9, 18}, {1.5, 6}, {}}};
  const Diff diff{{"two", two, before},
                  {"one", one, after},
                  difference({two, before.allocation}, {one, after.allocation})};
  const std::string bold = difference_table(diff, {}, {.width = kPageWidth, .bold = true});
  EXPECT_THAT(bold, ContainsRegex("get all they ask for +1 of 2 +0 of 1\n"));
}

}  // namespace
}  // namespace mirab::report
