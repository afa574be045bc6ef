#include <gmock/gmock.h>
#include <sstream>

#include "report/outcome/comparison.hpp"
#include "report/sample.hpp"
#include "report/text/format.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(OutcomeTable, ShowsTasksAndDominantSharesOfTheSlides) {
  const std::string table = comparison_table(test::comparison({test::outcome("drf", 3, 2)}), {.width = 100});
  EXPECT_THAT(table, HasSubstr("textbook.yaml: 2 users on 1 server with cpu 9, memory 18\n"));
  EXPECT_THAT(table, ContainsRegex("A +memory +3 66.67%\n"));
  EXPECT_THAT(table, ContainsRegex("B +cpu +2 66.67%\n"));
  EXPECT_THAT(table, ContainsRegex("cpu used +100.00%\n"));
}

TEST(OutcomeTable, AUserWithAShareIsNotShownWithNoTasks) {
  const std::string table =
      comparison_table(test::comparison({test::outcome("drf", 3000.5, 0.0000123)}), {.width = 100});
  EXPECT_THAT(table, ContainsRegex("A +memory +3000.5 "));
  EXPECT_THAT(table, ContainsRegex("B +cpu +1.2e-05 "));
}

TEST(OutcomeTable, FiveOutcomesStandSideBySideInAHundredColumns) {
  std::vector<Outcome> outcomes;
  for (const char* name : {"max-min", "drf", "asset", "pf", "alpha-fair:alpha=2"}) {
    outcomes.push_back(test::outcome(name, 2.52, 2.16));
  }
  const std::string table = comparison_table(test::comparison(outcomes), {.width = 100});
  EXPECT_LE(widest_line(table), 100U);
  EXPECT_THAT(table, ContainsRegex("max-min +drf +asset +pf +alpha=2\n"));
}

TEST(OutcomeTable, WhatDoesNotFitFollowsBelow) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 12; ++i) outcomes.push_back(test::outcome("outcome-" + std::to_string(i), 2.52, 2.16));
  const std::string table = comparison_table(test::comparison(outcomes), {.width = 100});
  EXPECT_LE(widest_line(table), 100U);
  for (int i = 0; i < 12; ++i) EXPECT_THAT(table, HasSubstr("outcome-" + std::to_string(i)));
}

TEST(OutcomeTable, NoLineIsWiderThanTheTerminalAndEveryOutcomeIsShownOnce) {
  std::vector<Outcome> outcomes;
  for (int i = 10; i < 16; ++i) outcomes.push_back(test::outcome("outcome-" + std::to_string(i), 2.52, 2.16));
  outcomes[0].notices = {
      "a rather long notice that would by no means fit into one line of a narrow terminal"};
  for (const std::size_t width : {48U, 60U, 80U, 132U}) {
    const std::string table = comparison_table(test::comparison(outcomes), {.width = width});
    EXPECT_LE(widest_line(table), width);
    for (int i = 11; i < 16; ++i) {
      const std::string label = "outcome-" + std::to_string(i);
      const std::size_t at = table.find(label);
      ASSERT_NE(at, std::string::npos) << label << " at width " << width;
      EXPECT_EQ(table.find(label, at + 1), std::string::npos) << label << " at width " << width;
    }
  }
}

TEST(OutcomeTable, WithoutALimitAllOutcomesStandSideBySide) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 12; ++i) outcomes.push_back(test::outcome("drf", 2.52, 2.16));
  const std::string table = comparison_table(test::comparison(outcomes), {.width = SIZE_MAX});
  EXPECT_EQ(table.find("\nJain"), table.rfind("\nJain"));
  EXPECT_GT(widest_line(table), 150U);
}

TEST(OutcomeTable, WholeTasksAreBare) {
  const std::string table =
      comparison_table(test::comparison({test::outcome("drf", 2.52, 0)}), {.width = 100});
  EXPECT_THAT(table, ContainsRegex("A +memory +2.520 56.00%\n"));
  EXPECT_THAT(table, ContainsRegex("B +cpu +0 +0.00%\n"));
}

TEST(OutcomeTable, AllPercentagesOfAColumnHaveTwoDecimalsOrMore) {
  const std::string table =
      comparison_table(test::comparison({test::outcome("max-min", 2.25, 2.25)}), {.width = 100});
  EXPECT_THAT(table, ContainsRegex("A +memory +2.250 +50.00%\n"));
  EXPECT_THAT(table, ContainsRegex("lowest share +50.00%\n"));
}

TEST(OutcomeTable, TheStepsTellTheShareOverTheWeight) {
  Comparison comparison = test::comparison({test::outcome("drf", 3, 2)});
  comparison.outcomes[0].outcome.filling.emplace().steps = {{1, 0, 0, 0.125}};
  const std::string table = comparison_table(comparison, {.width = 60});
  EXPECT_LE(widest_line(table), 60U);
  EXPECT_THAT(table, ContainsRegex("step +user +server +instance +share/weight\n"));
  EXPECT_THAT(table, ContainsRegex("1 +B +pool +0 +12.50%\n"));
}

// A asks for 3 tasks and has them; B asks for 4 and has 2, a third of what memory dominates.
Comparison asking(std::optional<int> of_a, std::optional<int> of_b) {
  Cluster cluster = test::slides().cluster();
  if (of_a) cluster.users[0].tasks = Quantity(*of_a);
  if (of_b) cluster.users[1].tasks = Quantity(*of_b);
  Comparison result{"textbook.yaml", *Problem::from(cluster), 1, {}};
  for (Outcome& outcome : std::vector<Outcome>{test::outcome("drf", 3, 2), test::outcome("half", 1.5, 1)})
    result.outcomes.push_back(measured(result.problem, std::move(outcome)));
  return result;
}

TEST(OutcomeTable, GotAndAskedStandSideBySideWithAMarkForAll) {
  const std::string table = comparison_table(asking(3, {}), {.width = 100});
  EXPECT_THAT(table, HasSubstr("1 of 2 get all they ask for under drf\n"));
  EXPECT_THAT(table, HasSubstr("0 of 2 get all they ask for under half\n"));
  EXPECT_THAT(table, ContainsRegex("A +memory +3 +3 ✓ 66.67% +1.500 33.33%\n"));
  EXPECT_THAT(table, ContainsRegex("B +cpu +∞ +2 +66.67% +1 +33.33%\n"));
  EXPECT_THAT(table, ContainsRegex("get all they ask for +1 of 2 +0 of 2\n"));
  EXPECT_THAT(table, ContainsRegex("lowest share +66.67% +33.33%\n")) << "of B alone under drf";
  EXPECT_THAT(table, ContainsRegex("Gini +– +0.0000\n")) << "B alone is not compared";
  EXPECT_THAT(table, HasSubstr("✓ all it asks for; lowest share: of users who are short of tasks; Gini"));
}

TEST(OutcomeTable, WhereAllHaveWhatTheyAskForNoFigureSaysOtherwise) {
  Comparison all = asking(3, 2);
  all.outcomes.pop_back();
  const std::string table = comparison_table(all, {.width = 100});
  EXPECT_THAT(table, HasSubstr("2 of 2 get all they ask for under drf\n"));
  for (const char* figure : {"lowest share", "Gini", "Jain", "top/bottom 20%", "std deviation"})
    EXPECT_EQ(table.find("\n" + std::string(figure)), std::string::npos);
  const std::string beside = comparison_table(asking(3, 2), {.width = 100});
  EXPECT_THAT(beside, ContainsRegex("Gini +– +0.0000\n"));
}

TEST(OutcomeTable, EndlessTasksAloneHaveNoColumnOfWhatIsAsked) {
  const std::string table = comparison_table(asking({}, {}), {.width = 100});
  EXPECT_EQ(table.find("asked"), std::string::npos);
  EXPECT_EQ(table.find("ask for"), std::string::npos);
}

TEST(OutcomeTable, MoreFiguresAndTimesAreShownWhenAskedFor) {
  const Comparison comparison = test::comparison({test::outcome("drf", 3, 2)});
  EXPECT_EQ(comparison_table(comparison, {}).find("β"), std::string::npos);
  EXPECT_EQ(comparison_table(comparison, {}).find("\ntime "), std::string::npos);
  EXPECT_THAT(comparison_table(comparison, {}, {.all_metrics = true}), HasSubstr("β dominant"));
  EXPECT_THAT(comparison_table(comparison, {}, {.times = true}), ContainsRegex("time +12 µs\n"));
}

TEST(OutcomeTable, AHugeRatioDoesNotWidenTheTable) {
  const std::string table =
      comparison_table(test::comparison({test::outcome("steep", 4.5, 1e-30)}), {.width = 100});
  EXPECT_THAT(table, ContainsRegex("top/bottom 20% +[0-9.]+e.30\n"));
}

TEST(OutcomeTable, ANoticeOfSeveralOutcomesIsSaidOnce) {
  Outcome first = test::outcome("drf", 3, 2);
  Outcome second = test::outcome("asset", 2.52, 2.16);
  first.notices = second.notices = {"select is ignored"};
  EXPECT_THAT(comparison_table(test::comparison({first, second}), {.width = 100}),
              HasSubstr("note: drf, asset: select is ignored\n"));
}

TEST(OutcomeTable, AnOutcomeWithoutItsCertificateSaysSo) {
  Outcome outcome = test::outcome("pf", 3, 2);
  outcome.status = Status::not_converged;
  outcome.certificate = {"duality-gap", 0.25};
  const std::string table = comparison_table(test::comparison({outcome}), {.width = 100});
  EXPECT_THAT(table, ContainsRegex("status +NOT CONVERGED\n"));
  EXPECT_THAT(table, ContainsRegex("duality-gap +0.25\n"));
}

// A and B ask for 3 tasks each; two of drf's figures are better and A has all its tasks, B is short under
// both.
TEST(OutcomeTable, BoldIsForUsersWhoAreShortAndForTheBestOfAFigure) {
  Cluster cluster = test::slides().cluster();
  for (User& user : cluster.users) user.tasks = Quantity(3);
  Comparison asked{"textbook.yaml", *Problem::from(std::move(cluster)), 1, {}};
  for (Outcome outcome : {test::outcome("drf", 3, 2), test::outcome("pf", 2, 2)})
    asked.outcomes.push_back(measured(asked.problem, std::move(outcome)));
  const std::string plain = comparison_table(asked, {.width = 100});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string bold = comparison_table(asked, {.width = 100, .bold = true});
  EXPECT_THAT(bold, ContainsRegex("A +memory +3 +3 ✓ 66.67% +.\\[1m2.\\[22m +44.44%\n"));
  EXPECT_THAT(bold, ContainsRegex("B +cpu +3 +.\\[1m2.\\[22m +66.67% +.\\[1m2.\\[22m +66.67%\n"));
  EXPECT_THAT(bold, ContainsRegex("cpu used +.\\[1m100.00%.\\[22m +88.89%\n"));
  EXPECT_THAT(bold, ContainsRegex("status +exact +exact\n"));
  EXPECT_EQ(widest_line(bold), widest_line(plain));
}

TEST(OutcomeTable, WhereNoOutcomeIsBetterNothingIsBold) {
  const Comparison same = test::comparison({test::outcome("drf", 3, 2), test::outcome("pf", 3, 2)});
  EXPECT_THAT(comparison_table(same, {.width = 100, .bold = true}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace mirab::report
