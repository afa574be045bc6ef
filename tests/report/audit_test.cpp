// What the forms of an audit say of verdicts that are neither yes nor no.
#include "report/audit/audit.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/model/cluster_file.hpp>

#include "report/sample.hpp"

namespace mirab::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Verdict kTooLarge{.property = Property::pareto_efficiency,
                        .decided = false,
                        .tried = 0,
                        .note = "the linear program is too large"};
const Verdict kAsksNothing{
    .property = Property::pareto_efficiency, .vacuous = true, .tried = 0, .note = "there is only one user"};
const Verdict kHolds{.property = Property::pareto_efficiency};

AuditRun audited(const std::vector<Verdict>& verdicts) {
  AuditRun audited{"some.yaml", {Property::pareto_efficiency}, 10, 1, {}};
  for (const Verdict& verdict : verdicts)
    audited.mechanisms.push_back({.mechanism = "drf", .refused = {}, .verdicts = {verdict}});
  return audited;
}

TEST(AuditReport, TheTableTellsNotDecidedFromAskingForNothing) {
  const std::string table = audit_table(audited({kTooLarge, kAsksNothing, kHolds}), 100);
  EXPECT_THAT(table, HasSubstr("pareto-efficiency         ?    –    ✓\n"));
  EXPECT_THAT(table, HasSubstr("; – does not apply to this cluster; ? not decided\n"));
  EXPECT_THAT(table, HasSubstr("\n? pareto-efficiency: the linear program is too large\n"));
  EXPECT_THAT(table, HasSubstr("\n– pareto-efficiency: there is only one user\n"));
  EXPECT_THAT(audit_table(audited({kHolds}), 100), Not(HasSubstr("not decided")));
}

TEST(AuditReport, SaysWhichSearchesEndedForLackOfTime) {
  AuditRun run = audited({{.property = Property::strategy_proofness,
                           .scope = VerdictScope::searched,
                           .tried = 7,
                           .ended_early = true},
                          {.property = Property::strategy_proofness, .scope = VerdictScope::searched}});
  run.properties = {Property::strategy_proofness};
  run.seconds = 30;
  EXPECT_THAT(audit_table(run, 200),
              HasSubstr("\n1 of 2 searches ended before all their attempts, since the audit has 30 seconds"));
  const auto json = audit_json(run);
  EXPECT_EQ(json["seconds"], 30);
  EXPECT_EQ(json["outcomes"][0]["properties"][0]["ended_early"], true);
  EXPECT_FALSE(json["outcomes"][1]["properties"][0].contains("ended_early"));
  EXPECT_THAT(audit_table(audited({kHolds}), 200), Not(HasSubstr("ended before")));
}

TEST(AuditReport, TheTableSaysAReasonOnce) {
  const std::string table = audit_table(audited({kTooLarge, kTooLarge}), 100);
  EXPECT_EQ(table.find("too large"), table.rfind("too large"));
}

TEST(AuditReport, InJsonWhatIsNotDecidedNeitherHoldsNorFails) {
  const auto json = audit_json(audited({kTooLarge, kAsksNothing}));
  const auto& open = json["outcomes"][0]["properties"][0];
  EXPECT_EQ(open["decided"], false);
  EXPECT_TRUE(open["holds"].is_null());
  EXPECT_EQ(open["vacuous"], false);
  EXPECT_EQ(open["tried"], 0);
  const auto& vacuous = json["outcomes"][1]["properties"][0];
  EXPECT_EQ(vacuous["decided"], true);
  EXPECT_EQ(vacuous["holds"], true);
}

TEST(AuditReport, InCsvWhatIsNotDecidedHasItsOwnWord) {
  EXPECT_THAT(audit_csv(audited({kTooLarge})), HasSubstr("drf,pareto-efficiency,undecided,0"));
  EXPECT_THAT(audit_csv(audited({kAsksNothing})), HasSubstr("drf,pareto-efficiency,vacuous,0"));
}

TEST(AuditReport, AClaimThatCouldNotBeDecidedIsNotSaidToStand) {
  const ClaimAuditRun claims{
      5,
      10,
      1,
      {{.mechanism = "drf",
        .claim = {.property = Property::pareto_efficiency, .holds = true, .conditions = {}, .source = "x"},
        .verdict = kTooLarge}}};
  EXPECT_THAT(claims_table(claims, 100), HasSubstr("not decided"));
  EXPECT_THAT(claims_csv(claims), HasSubstr("undecided,0"));
}

// Of each kind of claim the text says what came of it, and that a search proves nothing.
TEST(AuditReport, ClaimsThatShowNoCounterexampleAreCounted) {
  const auto claim = [](bool holds, bool refuted, bool found) {
    ClaimAudit audit{
        .mechanism = "drf",
        .claim = {.property = Property::pareto_efficiency,
                  .holds = holds,
                  .conditions = {},
                  .source = "x",
                  .refuted = refuted},
        .verdict = {.property = Property::pareto_efficiency, .scope = VerdictScope::searched, .tried = 9}};
    if (found) {
      audit.verdict.holds = false;
      audit.verdict.witness = Witness{.words = "w", .problem = test::slides().cluster()};
    }
    return audit;
  };
  const ClaimAuditRun claims{
      5,
      10,
      1,
      {claim(true, false, false), claim(true, false, false), claim(false, false, true),
       claim(false, false, false), claim(false, false, false), claim(true, true, true)}};
  std::string text = claims_table(claims, 100);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_THAT(
      text,
      HasSubstr("6 claims, each tried on 5 random clusters: of 2 that are said to hold none fails; 1 of "
                "3 that are said to fail do, and no counterexample to 2 of them was found; 1 of 1 "
                "marked as refuted fail "));
  EXPECT_THAT(text, HasSubstr("which is no proof"));
}

// A smallest cluster that is not small: nobody reads a page of machines.
TEST(AuditReport, OfALargeClusterItIsSaidHowLargeItIs) {
  Cluster cluster{.resources = {"cpu"}, .servers = {}, .users = {}};
  for (int i = 0; i < 19; ++i)
    cluster.servers.push_back({.name = fmt::format("s{}", i), .capacity = {Quantity(1)}});
  cluster.users.push_back({.name = "A", .demand = {Quantity(2)}});
  EXPECT_THAT(cluster_words(cluster), HasSubstr("s18: cpu 1; A: cpu 2"));
  cluster.users.push_back({.name = "B", .demand = {Quantity(3)}});
  EXPECT_EQ(cluster_words(cluster), "19 servers and 2 users; --witness-dir writes them to a file");
}

// Groups within groups, every kind of quota, weights, a user with two task shapes.
constexpr const char* kTree = R"(
resources: [cpu, gpu]
servers: [{name: s1, capacity: {cpu: 10, gpu: 8}}]
groups:
  - name: T
    weight: 2
    guarantee: {cpu: 6}
    limit: {gpu: 7}
    groups: [{name: a, guarantee: {cpu: 3}, reserved: {cpu: 1}}]
users:
  - {name: u, group: a, demand: {cpu: 1}, limit: {cpu: 5}}
  - name: v
    group: T
    weight: 3
    shapes: [{name: x, demand: {cpu: 1}, tasks: 4}, {name: y, demand: {gpu: 1}, weight: 2}]
  - {name: w, demand: {gpu: 1}, guarantee: {gpu: 1}}
)";

TEST(AuditReport, TheClusterOfAWitnessReadsBackWithItsTree) {
  const Result<Problem> problem = read_cluster_text(kTree, Syntax::yaml, "tree.yaml");
  ASSERT_TRUE(problem) << problem.error().message;
  const auto json = witness_json({.words = "wrong", .problem = problem->cluster(), .size = 1});
  const Result<Problem> again = read_cluster_text(json["cluster"].dump(), Syntax::json, "witness.json");
  ASSERT_TRUE(again) << again.error().message << json["cluster"].dump(1);
  EXPECT_EQ(again->users(), problem->users());
  EXPECT_EQ(again->groups(), problem->groups());
}

TEST(AuditReport, TheWordsOfAClusterNameItsTree) {
  const Problem problem = *read_cluster_text(kTree, Syntax::yaml, "tree.yaml");
  EXPECT_EQ(
      cluster_words(problem.cluster()),
      "s1: cpu 10, gpu 8; group T, weight 2, guaranteed cpu 6, gpu 0, at most gpu 7; group a, in T, "
      "guaranteed cpu 3, gpu 0, reserved cpu 1, gpu 0; user v, in T, weight 3; u: cpu 1, gpu 0, in a, at "
      "most cpu 5; v/x: cpu 1, gpu 0, in v, 4 tasks; v/y: cpu 0, gpu 1, in v, weight 2; w: cpu 0, gpu 1, "
      "guaranteed cpu 0, gpu 1");
}

TEST(AuditReport, NamesOfGroupPropertiesWidenTheFirstColumn) {
  AuditRun run = audited({kHolds});
  run.properties.push_back(Property::hierarchical_sharing_incentive);
  run.mechanisms[0].verdicts.push_back({.property = Property::hierarchical_sharing_incentive});
  const std::string table = audit_table(run, 100);
  EXPECT_THAT(table, HasSubstr("pareto-efficiency               ✓\n"));
  EXPECT_THAT(table, HasSubstr("hierarchical-sharing-incentive  ✓\n"));
}

}  // namespace
}  // namespace mirab::report
