#include "report/outcome_table.hpp"

#include <gmock/gmock.h>
#include <sstream>

#include "report/sample.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(OutcomeTable, ShowsTasksAndDominantSharesOfTheSlides) {
  const std::string table = comparison_table(test::comparison({test::outcome("drf", 3, 2)}));
  EXPECT_THAT(table, HasSubstr("slides.yaml: 2 users on 1 server with cpu 9, memory 18\n"));
  EXPECT_THAT(table, ContainsRegex("A +memory +3 66.67%\n"));
  EXPECT_THAT(table, ContainsRegex("B +cpu +2 66.67%\n"));
  EXPECT_THAT(table, ContainsRegex("cpu used +100.00%\n"));
}

TEST(OutcomeTable, FiveOutcomesStandSideBySideInAHundredColumns) {
  std::vector<Outcome> outcomes;
  for (const char* name : {"max-min", "drf", "asset", "pf", "alpha-fair:alpha=2"}) {
    outcomes.push_back(test::outcome(name, 2.52, 2.16));
  }
  const std::string table = comparison_table(test::comparison(outcomes));
  EXPECT_LE(widest_line(table), 100U);
  EXPECT_THAT(table, ContainsRegex("max-min +drf +asset +pf +alpha=2\n"));
}

TEST(OutcomeTable, WhatDoesNotFitFollowsBelow) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 12; ++i) outcomes.push_back(test::outcome("outcome-" + std::to_string(i), 2.52, 2.16));
  const std::string table = comparison_table(test::comparison(outcomes));
  EXPECT_LE(widest_line(table), 100U);
  for (int i = 0; i < 12; ++i) EXPECT_THAT(table, HasSubstr("outcome-" + std::to_string(i)));
}

TEST(OutcomeTable, ANoticeOfSeveralOutcomesIsSaidOnce) {
  Outcome first = test::outcome("drf", 3, 2);
  Outcome second = test::outcome("asset", 2.52, 2.16);
  first.notices = second.notices = {"select is ignored"};
  EXPECT_THAT(comparison_table(test::comparison({first, second})),
              HasSubstr("note: drf, asset: select is ignored\n"));
}

TEST(OutcomeTable, AnOutcomeWithoutItsCertificateSaysSo) {
  Outcome outcome = test::outcome("pf", 3, 2);
  outcome.status = Status::not_converged;
  outcome.certificate = {"duality-gap", 0.25};
  const std::string table = comparison_table(test::comparison({outcome}));
  EXPECT_THAT(table, ContainsRegex("status +NOT CONVERGED\n"));
  EXPECT_THAT(table, ContainsRegex("duality-gap +0.25\n"));
}

}  // namespace
}  // namespace mirab::report
