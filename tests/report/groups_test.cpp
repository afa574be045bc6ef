// The tree of groups under an outcome, as people and programs see it.
#include "report/outcome/groups.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/audit/explanation.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "report/outcome/comparison.hpp"
#include "report/outcome/explanation.hpp"
#include "report/outcome/survey.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Problem organisation() { return *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml"); }

Comparison compared(const Problem& problem, std::initializer_list<const char*> mechanisms) {
  Comparison comparison{.title = "c.yaml", .problem = problem, .outcomes = {}};
  for (const char* mechanism : mechanisms)
    comparison.outcomes.push_back(measured(problem, *allocate(problem, mechanism)));
  return comparison;
}

TEST(GroupsTable, HasTheLinesOfTheOrganisation) {
  const std::string table = comparison_table(compared(organisation(), {"hdrf"}), {.width = kPageWidth});
  EXPECT_THAT(table, HasSubstr("hdrf, by group\n"));
  EXPECT_THAT(table,
              HasSubstr("research           2  181.3333  29.3333   64    16  73.33%         18.33%\n"));
  EXPECT_THAT(table,
              HasSubstr("  language         1   41.6     20.8      16     8  52.00%         32.00%\n"));
  EXPECT_THAT(table,
              HasSubstr("    carol          2   41.6     20.8                52.00%         26.00%  20.80"));
  EXPECT_THAT(table, HasSubstr("48     its tasks\n"));
  EXPECT_THAT(table, HasSubstr("16.67%, 26.67%, 21.33%"));
}

TEST(GroupsTable, LeavesOutAmountsWhereTheyDoNotFit) {
  const Problem problem = organisation();
  const std::string narrow = groups_table(problem, *allocate(problem, "hdrf"), 79);
  EXPECT_LE(widest_line(narrow), 79u);
  EXPECT_THAT(narrow, Not(HasSubstr("181.3333")));
}

TEST(GroupsTable, IsThereOnlyForOutcomesThatHonourGroups) {
  EXPECT_THAT(comparison_table(compared(organisation(), {"drf"}), {.width = kPageWidth}),
              Not(HasSubstr("by group")));
}

TEST(GroupsJson, HasTheContractsKeysAndUsersSayWhatHoldsThemBack) {
  const nlohmann::ordered_json json = comparison_json(compared(organisation(), {"hdrf"}));
  const auto& outcome = json["outcomes"][0];
  const auto& language = outcome["groups"][2];
  EXPECT_EQ(language["name"], "language");
  EXPECT_EQ(language["parent"], "research");
  EXPECT_TRUE(outcome["groups"][0]["parent"].is_null());
  EXPECT_NEAR(language["share"].get<double>(), 13.0 / 25, 1e-9);
  EXPECT_EQ(language["guarantee"]["gpu"], 8.0);
  EXPECT_NEAR(language["beyond"].get<double>(), 8.0 / 25, 1e-9);
  EXPECT_EQ(outcome["users"][3]["held_back"]["by"], "tasks");
  EXPECT_EQ(outcome["users"][0]["group"], "vision");
}

// Of 24 GPUs shop has the 6 that it asks for, and vision what the limit of language leaves of the rest.
TEST(GroupTable, OverviewsHaveARowAGroupBelowTheOneAroundIt) {
  const Problem problem = *read_cluster_text(R"(
resources: [gpu]
servers: [{name: s, capacity: {gpu: 24}}]
groups:
  - {name: research, groups: [{name: vision}, {name: language, limit: {gpu: 4}}]}
  - {name: shop}
users:
  - {name: a, group: vision, demand: {gpu: 1}, tasks: 20}
  - {name: b, group: language, demand: {gpu: 1}, tasks: 8}
  - {name: c, group: shop, shapes: [{name: x, demand: {gpu: 1}, tasks: 6}]}
)",
                                             Syntax::yaml, "nested");
  const std::string rows =
      "group +(dominant +)?asked +hdrf +hdrf +held by\n[^\n]*\n"
      "research +(gpu +)?116.67% +75.00% +10 +[^\n]*gpu[^\n]*\n"
      "  vision +(gpu +)?83.33% +58.33% +6 +gpu\n"
      "  language +(gpu +)?33.33% +16.67% +4 +limit of language: gpu\n"
      "shop +(gpu +)?25.00% +25.00% +0";
  EXPECT_THAT(comparison_table(compared(problem, {"hdrf"}), {.width = kPageWidth}, {}), ContainsRegex(rows));
  const Survey survey = *explain_all(problem, *choose_mechanism("hdrf"));
  const SurveyReport report{.title = "nested", .problem = problem, .survey = survey};
  EXPECT_THAT(survey_table(report, {.width = kPageWidth}), ContainsRegex(rows));
  const auto json = survey_json(report);
  ASSERT_EQ(json["groups"].size(), 4U);
  EXPECT_EQ(json["groups"][1]["name"], "vision");
  EXPECT_EQ(json["groups"][1]["parent"], "research");
  EXPECT_EQ(json["groups"][1]["waiting"], 6.0);
  const auto outcomes = comparison_json(compared(problem, {"hdrf"}));
  EXPECT_EQ(outcomes["outcomes"][0]["groups"][1]["waiting"], 6.0);
}

TEST(GroupsJson, AShapeIsAUserWithItsUsersName) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 4}}]
users:
  - name: checkout
    shapes: [{name: web, demand: {cpu: 1}}, {name: batch, demand: {cpu: 2}}]
  - {name: other, demand: {cpu: 1}}
)",
                                             Syntax::yaml, "shapes");
  const nlohmann::ordered_json json = comparison_json(compared(problem, {"hdrf"}));
  const auto& outcome = json["outcomes"][0];
  EXPECT_EQ(outcome["users"][0]["name"], "checkout/web");
  EXPECT_EQ(outcome["users"][0]["user"], "checkout");
  EXPECT_EQ(outcome["users"][0]["shape"], "web");
  EXPECT_EQ(outcome["groups"][0]["name"], "checkout");
  EXPECT_EQ(outcome["groups"][0]["is_user"], true);
  EXPECT_NEAR(outcome["groups"][0]["share"].get<double>(), 0.5, 1e-9) << "it counts once, not twice";
}

TEST(ExplanationTable, ShowsThePathAndTheLimitThatIsReached) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 12}}]
groups: [{name: v, limit: {cpu: 4}}]
users: [{name: a, group: v, demand: {cpu: 1}}, {name: w, demand: {cpu: 1}}]
)",
                                             Syntax::yaml, "limit");
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  const std::string table = explanation_table({"c.yaml", problem, explanation}, {.width = kPageWidth});
  EXPECT_THAT(table,
              HasSubstr("on its path  weight   share  beyond/weight  the lowest sibling that wants more\n"));
  EXPECT_THAT(table, HasSubstr("It is held back at v: its limit on cpu is reached.\n"));
  EXPECT_THAT(table, HasSubstr("limit of v at 8 cpu"));
}

TEST(ExplanationTable, NamesAllLimitsThatHoldAUserAndRaisesThemTogether) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 12, gpu: 12}}]
groups: [{name: outer, limit: {gpu: 4}, groups: [{name: inner, limit: {cpu: 4}}]}]
users: [{name: a, group: inner, demand: {cpu: 1, gpu: 1}}]
)",
                                             Syntax::yaml, "limits");
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  const ExplanationReport report{"c.yaml", problem, explanation};
  const std::string table = explanation_table(report, {.width = kPageWidth});
  EXPECT_THAT(table, HasSubstr("It is held back at inner: its limit on cpu and the limit of outer on gpu are "
                               "reached.\n"));
  EXPECT_THAT(table, ContainsRegex("limit of inner at 8 cpu and limit of outer at 8 gpu +8 +\\+4"));
  const auto what_ifs = explanation_json(report)["what_ifs"];
  const auto limits = std::count_if(what_ifs.begin(), what_ifs.end(),
                                    [](const auto& what_if) { return what_if["change"] == "limit"; });
  EXPECT_EQ(limits, 1) << "one of them alone brings nothing";
  EXPECT_EQ(what_ifs[0]["with"][0]["of"], "outer");
  EXPECT_EQ(what_ifs[0]["with"][0]["amount"], 8.0);
}

TEST(ExplanationTable, NamesAllForWhomWhatIsFreeIsReserved) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 12}}]
groups:
  - {name: y, guarantee: {cpu: 4}, reserved: {cpu: 4}}
  - {name: z, guarantee: {cpu: 4}, reserved: {cpu: 4}}
users:
  - {name: a, demand: {cpu: 1}}
  - {name: b, group: y, demand: {cpu: 1}, tasks: 1}
  - {name: c, group: z, demand: {cpu: 1}, tasks: 1}
)",
                                             Syntax::yaml, "reserves");
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  EXPECT_THAT(explanation_table({"c.yaml", problem, explanation}, {.width = kPageWidth}),
              HasSubstr("It is held back at a: what is free of cpu is reserved for y and z.\n"));
}

}  // namespace
}  // namespace mirab::report
