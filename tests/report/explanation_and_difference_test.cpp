// The tables of explain and diff, as people see them.
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "report/outcome/difference.hpp"
#include "report/outcome/explanation.hpp"
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
  EXPECT_THAT(text, HasSubstr("1 more cpu in the pool      3.1034  +0.1034\n"));
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

TEST(DifferenceTable, ShowsTheGreatestChangesAndASumOfTheOthers) {
  Difference difference;
  for (const auto& [user, change] : {std::pair("a", 0.5), std::pair("b", 0.25), std::pair("c", 0.0),
                                     std::pair("d", -0.1), std::pair("e", -0.2)}) {
    difference.users.push_back(
        {.user = user, .before = UserShare{1, 0.1}, .after = UserShare{1 + change, 0.1}, .change = change});
  }
  difference.gainers = 2;
  difference.losers = 2;
  difference.changed = {.gain = 2, .lose = 2, .mixed = 0, .unchanged = 1};
  const Problem problem = test::slides();
  const Outcome outcome = test::outcome("drf", 3, 2);
  const Diff diff{{"textbook.yaml", problem, outcome}, {"textbook.yaml", problem, outcome}, difference};
  const std::string text = difference_table(diff, 1, {.width = kPageWidth});
  EXPECT_THAT(text, HasSubstr("2 gain, 2 lose, 1 unchanged\n"));
  EXPECT_THAT(text, HasSubstr("+50.00%"));
  EXPECT_THAT(text, HasSubstr("-20.00%"));
  EXPECT_THAT(text, HasSubstr("1 who gain less, 1 who lose less, 1 unchanged not shown\n"));
  EXPECT_THAT(text, Not(HasSubstr("+25.00%")));
  EXPECT_THAT(difference_table(diff, 3, {.width = kPageWidth}), HasSubstr("+25.00%"));
  EXPECT_THAT(difference_table(diff, 3, {.width = kPageWidth}), Not(HasSubstr("not shown")));
  Diff mixed = diff;
  mixed.difference.changed = {.gain = 1, .lose = 2, .mixed = 1, .unchanged = 1};
  EXPECT_THAT(difference_table(mixed, 1, {.width = kPageWidth}),
              HasSubstr("1 gain, 2 lose, 1 with more of one task shape and less of another, 1 unchanged\n"));
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
  EXPECT_THAT(shown(1, true), ContainsRegex("one more server: pool +3 +.\\[1m.1.0+.\\[22m\n"));
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
  const std::string text = difference_table(diff, 20, {.width = 120});
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
  const std::string text = difference_table(diff, 20, {.width = 80});
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
  const std::string plain = difference_table(diff, 20, {.width = kPageWidth});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string bold = difference_table(diff, 20, {.width = kPageWidth, .bold = true});
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
  const std::string bold = difference_table(diff, 20, {.width = kPageWidth, .bold = true});
  EXPECT_THAT(bold, ContainsRegex("get all they ask for +1 of 2 +0 of 1\n"));
}

}  // namespace
}  // namespace mirab::report
