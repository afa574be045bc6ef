// The auditor as a whole: what it finds, and how small.
#include <gmock/gmock.h>

#include <mirab/audit/audit.hpp>

#include "audit/clusters.hpp"

namespace mirab {
namespace {

using testing::pool_of;
using testing::problem_of;

RandomStyle style_for(const Choice& choice, Property property, Conditions conditions = {}) {
  for (const Mechanism& row : mechanisms()) {
    if (row.name == choice.name)
      return {.accepts = row.accepts, .scope = row.scope, .conditions = conditions, .property = property};
  }
  MIRAB_ASSERT(false, "a mechanism of the registry");
  return {};
}

Verdict random_verdict(std::string_view mechanism, Property property, std::uint64_t clusters,
                       std::uint64_t attempts = 10'000, Conditions conditions = {}) {
  const Choice choice = *choose_mechanism(mechanism);
  return audit_random(choice, style_for(choice, property, conditions), clusters,
                      {.attempts = attempts, .seed = 1, .threads = 2}, 500);
}

// Is the violation of the smallest witness one that its own cluster shows?
bool shows(const Verdict& verdict, std::string_view mechanism) {
  const Problem problem = problem_of(verdict.smallest->problem);
  return !testing::verdict_on(verdict.property, problem, mechanism, {.attempts = 1000}).holds;
}

bool is_small(const Cluster& cluster) {
  const auto small = [](const ResourceVector& amounts) {
    return std::all_of(amounts.begin(), amounts.end(),
                       [](const Quantity& amount) { return amount.exponent() >= 0 && amount.value() <= 20; });
  };
  return cluster.users.size() <= 4 && cluster.servers.size() <= 3 && cluster.resources.size() <= 3 &&
         std::all_of(cluster.servers.begin(), cluster.servers.end(),
                     [&](const Server& server) { return small(server.capacity); }) &&
         std::all_of(cluster.users.begin(), cluster.users.end(),
                     [&](const User& user) { return small(user.demand); });
}

// The slides' table of properties: every empty cell has a witness, small and true.
TEST(Audit, FindsAWitnessForEveryEmptyCellOfTheSlides) {
  constexpr std::pair<const char*, Property> kEmpty[] = {
      {"asset", Property::sharing_incentive},     {"asset", Property::bottleneck_fairness},
      {"asset", Property::resource_monotonicity}, {"pf", Property::strategy_proofness},
      {"pf", Property::population_monotonicity},  {"pf", Property::resource_monotonicity},
      {"drf", Property::resource_monotonicity},
  };
  for (const auto& [mechanism, property] : kEmpty) {
    const Verdict found = random_verdict(mechanism, property, 1000);
    ASSERT_FALSE(found.holds) << mechanism << ", " << property_name(property);
    EXPECT_TRUE(is_small(found.smallest->problem)) << mechanism << ", " << property_name(property);
    EXPECT_TRUE(shows(found, mechanism)) << mechanism << ", " << found.smallest->words;
  }
}

// And every tick of DRF stands with positive demands and endless tasks.
TEST(Audit, RaisesNoFalseAlarmAboutDrf) {
  for (const Property property : properties()) {
    if (property == Property::resource_monotonicity) continue;
    const Verdict found =
        random_verdict("drf", property, 500, 2000, {.positive_demands = true, .no_caps = true});
    EXPECT_TRUE(found.holds) << found.witness->words;
  }
}

// mathematics.md, section 12: with zero demands DRF breaks population monotonicity.
TEST(Audit, FindsThatDrfIsNotPopulationMonotonicWithZeroDemands) {
  const Verdict found =
      random_verdict("drf", Property::population_monotonicity, 2000, 10'000, {.no_caps = true});
  ASSERT_FALSE(found.holds);
  EXPECT_TRUE(shows(found, "drf"));
}

// docs/reference/mechanisms/tsf.md: it holds without placement constraints, and fails with them.
TEST(Audit, FindsThatPlacementConstraintsBreakTheSharingIncentiveOfTsf) {
  const Property property = Property::sharing_incentive;
  EXPECT_TRUE(random_verdict("tsf", property, 300, 300, {.no_caps = true, .no_placement = true}).holds);
  const Verdict found = random_verdict("tsf", property, 1000, 1000, {.no_caps = true});
  ASSERT_FALSE(found.holds);
  EXPECT_TRUE(shows(found, "tsf"));
  EXPECT_TRUE(is_small(found.smallest->problem));
}

TEST(Audit, TheResultIsTheSameWithAnyNumberOfThreads) {
  const Problem problem = pool_of({97, 83}, {{2.5, 4}, {4, 2.25}, {1, 7}, {3, 0.5}});
  const std::vector<Choice> choices = {*choose_mechanism("pf"), *choose_mechanism("asset")};
  const auto words = [&](int threads) {
    std::vector<std::string> all;
    for (const MechanismAudit& each :
         audit(problem, choices, {.budget = 800, .seed = 5, .threads = threads})) {
      for (const Verdict& verdict : each.verdicts) {
        all.push_back(std::to_string(verdict.tried) + (verdict.witness ? verdict.witness->words : ""));
        all.push_back(verdict.smallest ? verdict.smallest->words : "");
      }
    }
    return all;
  };
  EXPECT_EQ(words(1), words(3));
}

TEST(Audit, AMechanismThatCannotDivideTheClusterSaysWhy) {
  Cluster cluster = testing::cluster_of({{4}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(1);
  const auto audits = audit(problem_of(cluster), {*choose_mechanism("baa")});
  ASSERT_TRUE(audits[0].refused);
  EXPECT_THAT(audits[0].refused->message, ::testing::HasSubstr("cannot honour a limited number of tasks"));
  EXPECT_TRUE(audits[0].verdicts.empty());
}

// A runs half a task: less than the 2.25 of its half, less than the 0.625 that B's bundle holds, and memory
// is free.
TEST(Audit, FindsThatAHandMadeAllocationIsUnfair) {
  Cluster cluster = testing::slides();
  cluster.running = {{.user = "A", .server = "pool", .tasks = *Quantity::parse("0.5")},
                     {.user = "B", .server = "pool", .tasks = *Quantity::parse("2.5")}};
  const auto audits = audit(problem_of(cluster), {*choose_mechanism("given"), *choose_mechanism("drf")});
  const auto of = [&](std::size_t mechanism, Property property) {
    const std::vector<Verdict>& verdicts = audits[mechanism].verdicts;
    return *std::find_if(verdicts.begin(), verdicts.end(),
                         [&](const Verdict& verdict) { return verdict.property == property; });
  };
  EXPECT_TRUE(of(0, Property::feasible).holds);
  for (const Property property :
       {Property::sharing_incentive, Property::envy_freeness, Property::pareto_efficiency}) {
    const Verdict found = of(0, property);
    ASSERT_FALSE(found.holds) << property_name(property);
    EXPECT_FALSE(found.smallest) << "with fewer tasks it would be another allocation";
    const Problem shown = problem_of(found.witness->problem);
    ASSERT_TRUE(shown.running()) << "the witness says what runs";
    EXPECT_EQ(shown.running()->size(), 2u);
    const Rule rule = rule_of(*choose_mechanism("given"));
    EXPECT_FALSE(check(property, {shown, *rule.divide(shown), rule.scope}, rule).holds);
  }
  EXPECT_EQ(of(0, Property::envy_freeness).witness->user, "A");
  for (const Property property : properties()) {
    if (!is_searched(property) || is_of_groups(property)) continue;
    const Verdict verdict = of(0, property);
    EXPECT_FALSE(verdict.applicable) << property_name(property);
    EXPECT_FALSE(verdict.decided);
    EXPECT_THAT(verdict.note, ::testing::HasSubstr("an allocation that is given"));
    EXPECT_TRUE(of(1, property).applicable);
    EXPECT_GT(of(1, property).tried, 0u) << "what runs does not hinder changed clusters";
  }
}

TEST(Audit, WhatAMechanismGivesIsAsFairWhenItIsGiven) {
  Cluster cluster = testing::slides();
  cluster.running = {{.user = "A", .server = "pool", .tasks = Quantity(3)},
                     {.user = "B", .server = "pool", .tasks = Quantity(2)}};
  const auto audits = audit(problem_of(cluster), {*choose_mechanism("given")});
  for (const Verdict& verdict : audits[0].verdicts)
    EXPECT_TRUE(verdict.holds) << property_name(verdict.property);
}

TEST(Audit, AViolationOfALargeClusterIsShownOnASmallOne) {
  std::vector<std::vector<double>> demands;
  for (int n = 0; n < 20; ++n)
    demands.push_back(n % 2 == 0 ? std::vector{1.5, 4.25 + 0.11 * n} : std::vector{1.25, 1.5});
  const Problem problem = pool_of({1234.5, 987.6}, demands);
  const auto audits =
      audit(problem, {*choose_mechanism("asset")}, {.properties = {Property::sharing_incentive}});
  const Verdict& verdict = audits[0].verdicts[0];
  ASSERT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->problem.users.size(), 20u);
  EXPECT_EQ(verdict.smallest->problem.users.size(), 2u);
  EXPECT_TRUE(is_small(verdict.smallest->problem));
  EXPECT_TRUE(shows(verdict, "asset"));
}

// 200 attempts over two mechanisms and two properties that have to be searched.
TEST(Audit, TheBudgetIsSpreadOverWhatHasToBeSearched) {
  const auto audits = audit(
      pool_of({9, 18}, {{1, 4}, {3, 1}}), {*choose_mechanism("drf"), *choose_mechanism("drfh")},
      {.properties = {Property::envy_freeness, Property::strategy_proofness, Property::scale_invariance},
       .budget = 200});
  for (const MechanismAudit& each : audits) {
    EXPECT_EQ(each.verdicts[0].tried, 1u);
    EXPECT_EQ(each.verdicts[1].tried, 50u);
  }
}

// Any of six users gains by understating; the smallest cluster shows the one of the witness.
TEST(Audit, TheSmallestClusterShowsTheSameLiar) {
  const Problem problem = pool_of({10, 8}, {{2, 4}, {4, 2}, {1, 4}, {4, 1}, {3, 2}, {2, 3}});
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto audits = audit(problem, {*choose_mechanism("pf")},
                              {.properties = {Property::strategy_proofness}, .budget = 200, .seed = seed});
    const Verdict& verdict = audits[0].verdicts[0];
    ASSERT_FALSE(verdict.holds);
    EXPECT_EQ(verdict.smallest->user, verdict.witness->user) << "seed " << seed;
  }
}

// In a table of many mechanisms a sentence must say of which it speaks.
TEST(Audit, EveryWitnessNamesTheMechanism) {
  std::size_t witnesses = 0;
  for (const MechanismAudit& audited :
       audit_random({*choose_mechanism("h-ffmra"), *choose_mechanism("cmmf")}, 50)) {
    for (const Verdict& verdict : audited.verdicts) {
      if (!verdict.witness) continue;
      EXPECT_THAT(verdict.witness->words, ::testing::HasSubstr(audited.mechanism))
          << property_name(verdict.property);
      ++witnesses;
    }
  }
  EXPECT_GE(witnesses, 4u);
}

TEST(Audit, ClaimsAreHeldAgainstClustersThatMeetTheirConditions) {
  const auto claims = audit_claims({*choose_mechanism("drf")}, 200, {.budget = 4000});
  ASSERT_EQ(claims.size(), 9u);
  for (const ClaimAudit& each : claims)
    EXPECT_EQ(each.claim.holds, each.verdict.holds) << property_name(each.claim.property);
}

}  // namespace
}  // namespace mirab
