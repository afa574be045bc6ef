// The tree of groups under an outcome, as people and programs see it.
#include "report/outcome/groups.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/audit/explanation.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "report/outcome/comparison.hpp"
#include "report/outcome/explanation.hpp"
#include "report/text/width.hpp"

namespace mirab::report {
namespace {

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

}  // namespace
}  // namespace mirab::report
