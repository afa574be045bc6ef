// What counts as an attempt, and what a verdict says when there was none.
#include <atomic>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <pthread.h>

#include <mirab/audit/audit.hpp>

#include "audit/clusters.hpp"
#include "audit/findings.hpp"

namespace mirab {
namespace {

using testing::pool_of;
using testing::problem_of;

constexpr Property kSearched[] = {Property::strategy_proofness, Property::population_monotonicity,
                                  Property::resource_monotonicity, Property::scale_invariance};

const Problem kThree = pool_of({9, 18}, {{1, 4}, {3, 1}, {2, 2}});

// Everybody a task, whatever is asked: nothing can be gained or lost but by definition of a task.
Outcome one_task_each(const Problem& problem) {
  return testing::giving(problem, Scope::pool,
                         std::vector<std::vector<double>>(problem.user_count(), {1.0 / 64}));
}

TEST(Attempts, AreTheDivisionsThatWereCompared) {
  for (const Property property : kSearched) {
    std::atomic<std::uint64_t> asked = 0;
    std::atomic<std::uint64_t> divided = 0;
    const Rule every_third{.scope = Scope::pool, .divide = [&](const Problem& problem) -> Result<Outcome> {
                             if (asked++ % 3 == 0) return Error{.message = "not this one"};
                             ++divided;
                             return one_task_each(problem);
                           }};
    const Outcome outcome = one_task_each(kThree);
    const Verdict verdict = check(property, {kThree, outcome, Scope::pool}, every_third,
                                  {.attempts = 100, .tolerances = {.least = 1, .least_gain = 1e3}});
    EXPECT_TRUE(verdict.holds) << verdict.witness->words;
    EXPECT_GT(verdict.tried, 0u);
    EXPECT_LT(divided, asked) << property_name(property);
    EXPECT_EQ(verdict.tried, divided) << property_name(property);
  }
}

TEST(Attempts, ThatAreRefusedMakeRoomForOtherLies) {
  std::atomic<std::uint64_t> asked = 0;
  const Rule every_other{.scope = Scope::pool, .divide = [&](const Problem& problem) -> Result<Outcome> {
                           if (asked++ % 2 == 0) return Error{.message = "not this one"};
                           return one_task_each(problem);
                         }};
  const Outcome outcome = one_task_each(kThree);
  const Verdict verdict = check(Property::strategy_proofness, {kThree, outcome, Scope::pool}, every_other,
                                {.attempts = 300, .tolerances = {.least_gain = 1e3}});
  EXPECT_EQ(verdict.tried, 300u);
}

// A little of what a user does not need, or nothing of what it needs, is no lie among positive demands.
TEST(Attempts, ThatBreakTheConditionsDoNotCount) {
  std::atomic<bool> zero = false;
  const Rule rule{.scope = Scope::pool, .divide = [&](const Problem& problem) -> Result<Outcome> {
                    for (const User& user : problem.users())
                      for (const Quantity& amount : user.demand) zero = zero || amount.is_zero();
                    return one_task_each(problem);
                  }};
  const Outcome outcome = one_task_each(kThree);
  Search search{.attempts = 500, .tolerances = {.least_gain = 1e3}};
  search.conditions.positive_demands = true;
  EXPECT_EQ(check(Property::strategy_proofness, {kThree, outcome, Scope::pool}, rule, search).tried, 500u);
  EXPECT_FALSE(zero);
  search.conditions.positive_demands = false;
  check(Property::strategy_proofness, {kThree, outcome, Scope::pool}, rule, search);
  EXPECT_TRUE(zero);
}

TEST(Attempts, WithoutAnyThatCouldBeComparedNothingIsDecided) {
  const Rule refuses{.scope = Scope::pool,
                     .divide = [](const Problem&) { return Error{.message = "never"}; }};
  const Rule gives_up{.scope = Scope::pool, .divide = [](const Problem& problem) -> Result<Outcome> {
                        Outcome outcome = one_task_each(problem);
                        outcome.status = Status::not_converged;
                        return outcome;
                      }};
  const Outcome outcome = one_task_each(kThree);
  for (const Property property : kSearched) {
    for (const Rule& rule : {refuses, gives_up}) {
      const Verdict verdict = check(property, {kThree, outcome, Scope::pool}, rule);
      EXPECT_FALSE(verdict.decided) << property_name(property);
      EXPECT_EQ(verdict.tried, 0u);
      EXPECT_EQ(verdict.note, "no changed cluster could be divided and compared");
    }
  }
}

TEST(Attempts, EndWhenTheSearchIsOverAndTheVerdictSaysSo) {
  const Rule rule{.scope = Scope::pool,
                  .divide = [](const Problem& problem) -> Result<Outcome> { return one_task_each(problem); }};
  const Outcome outcome = one_task_each(kThree);
  for (const Property property : kSearched) {
    for (const std::uint64_t most : {0u, 2u}) {
      std::atomic<std::uint64_t> asked = 0;
      const Verdict verdict =
          check(property, {kThree, outcome, Scope::pool}, rule,
                {.tolerances = {.least = 1, .least_gain = 1e3}, .is_over = [&] { return asked++ >= most; }});
      EXPECT_TRUE(verdict.ended_early) << property_name(property);
      EXPECT_EQ(verdict.tried, most) << property_name(property);
      EXPECT_EQ(verdict.decided, most > 0) << property_name(property);
      EXPECT_EQ(verdict.scope == VerdictScope::searched, most > 0) << "no proof without all attempts";
    }
  }
}

// Of four searches the first finds nothing to do, so that the others have its time; a quarter is kept.
TEST(Attempts, ShareTheTimeThatIsLeft) {
  double left = 100;
  const Rule rule{.scope = Scope::pool, .divide = [&](const Problem& problem) -> Result<Outcome> {
                    left -= 1;
                    return one_task_each(problem);
                  }};
  const AuditOptions options{.properties = {std::begin(kSearched), std::end(kSearched)},
                             .budget = 4'000,
                             .tolerances = {.least = 1, .least_gain = 1e3},
                             .seconds_left = [&] { return left; }};
  const Problem alone = pool_of({9, 18}, {{1, 4}});
  const std::vector<Verdict> verdicts = audit(alone, "one task", rule, options).verdicts;
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].tried, 19u) << "a quarter of 74, rounded up";
  EXPECT_TRUE(verdicts[0].ended_early);
  EXPECT_TRUE(verdicts[1].vacuous) << "one user alone";
  EXPECT_FALSE(verdicts[2].ended_early) << "growths are few";
  EXPECT_GE(left, 25);
}

TEST(Attempts, NothingIsComparedWithADivisionThatHasNotConverged) {
  const Rule rule{.scope = Scope::pool,
                  .divide = [](const Problem& problem) -> Result<Outcome> { return one_task_each(problem); }};
  Outcome outcome = one_task_each(kThree);
  outcome.status = Status::not_converged;
  for (const Property property : kSearched) {
    const Verdict verdict = check(property, {kThree, outcome, Scope::pool}, rule);
    EXPECT_FALSE(verdict.decided) << property_name(property);
    EXPECT_EQ(verdict.note, "the cluster's own division has not converged");
  }
}

// However the error is stated, infinite or not: what has no certificate proves nothing.
TEST(Properties, WhatHasNotConvergedIsNotDecided) {
  const Rule rule{.scope = Scope::pool,
                  .divide = [](const Problem& problem) -> Result<Outcome> { return one_task_each(problem); }};
  for (const double error : {1e-6, std::numeric_limits<double>::infinity()}) {
    Outcome outcome = one_task_each(kThree);
    outcome.status = Status::not_converged;
    outcome.certificate = {.kind = "relative-duality-gap", .value = error};
    for (const Property property : properties()) {
      if (property == Property::feasible) continue;
      const Verdict verdict = check(property, {kThree, outcome, Scope::pool}, rule);
      EXPECT_FALSE(verdict.decided) << property_name(property);
      EXPECT_EQ(verdict.note, "the cluster's own division has not converged") << property_name(property);
    }
    EXPECT_TRUE(check(Property::feasible, {kThree, outcome, Scope::pool}, rule).decided);
  }
}

TEST(Attempts, APropertyThatAsksForNothingIsNotTried) {
  const Verdict verdict = testing::verdict_on(Property::population_monotonicity, pool_of({1}, {{1}}), "drf");
  EXPECT_TRUE(verdict.vacuous);
  EXPECT_TRUE(verdict.decided);
  EXPECT_EQ(verdict.tried, 0u);
  EXPECT_EQ(testing::verdict_on(Property::feasible, kThree, "drf").tried, 1u);
}

// A trial that was compared, with a violation of this size, if any.
Trial trial(double size) {
  Trial trial{.compared = 1};
  if (size > 0) trial.violation = Witness{.words = "wrong", .problem = {}, .size = size};
  return trial;
}

TEST(Attempts, EndWithTheRoundThatFindsSomethingAndTheGreatestOfItIsShown) {
  for (const int threads : {1, 3}) {
    const SearchResult sought = run_search(1000, {.attempts = 1000, .threads = threads}, [](std::size_t k) {
      if (k == 70 || k == 90) return trial(0.2);
      return trial(k == 80 || k == 100 ? 0.5 : k >= 2 * kRound ? 0.9 : 0);
    });
    EXPECT_EQ(sought.attempt, 80u) << "the first of the greatest";
    ASSERT_TRUE(sought.worst);
    EXPECT_EQ(sought.worst->size, 0.5);
    EXPECT_EQ(sought.tried, 2 * kRound);
  }
}

TEST(Attempts, AreNeverMoreThanWereAskedFor) {
  EXPECT_EQ(run_search(1000, {.attempts = 100}, [](std::size_t) { return trial(0); }).tried, 100u);
  EXPECT_EQ(run_search(70, {.attempts = 100}, [](std::size_t) { return trial(0); }).tried, 70u);
}

// A stack that no machine has, so that every thread is refused.
TEST(Attempts, AreMadeWhenTheSystemHasNoMoreThreads) {
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_getattr_default_np(&huge);
  pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::uint64_t tried = 0;
  EXPECT_NO_THROW(
      tried = run_search(70, {.attempts = 100, .threads = 4}, [](std::size_t) { return trial(0); }).tried);
  pthread_setattr_default_np(&usual);
  EXPECT_EQ(tried, 70u);
}

TEST(Attempts, AreToldAsTheyAreMade) {
  std::vector<std::uint64_t> reported;
  const auto tell = [&](std::uint64_t done, std::uint64_t of) {
    EXPECT_EQ(of, 150u);
    reported.push_back(done);
  };
  run_search(150, {.attempts = 150, .progress = tell}, [](std::size_t) { return trial(0); });
  EXPECT_EQ(reported, (std::vector<std::uint64_t>{kRound, 2 * kRound, 150}));
}

// One departure that cannot be divided leaves no proof.
TEST(Attempts, PopulationMonotonicityIsProvedByEveryDepartureOnly) {
  const Rule needs_a{.scope = Scope::pool, .divide = [](const Problem& problem) -> Result<Outcome> {
                       if (problem.users()[0].name != "A") return Error{.message = "not without A"};
                       return one_task_each(problem);
                     }};
  const Outcome outcome = one_task_each(kThree);
  const Verdict verdict = check(Property::population_monotonicity, {kThree, outcome, Scope::pool}, needs_a);
  EXPECT_EQ(verdict.tried, 2u);
  EXPECT_EQ(verdict.scope, VerdictScope::searched);
}

// 250 classes of users on 40 of servers: (2 · 40 + 2 · 250) · 250 · 41 entries.
TEST(ParetoEfficiency, IsNotDecidedWhereTheProgramIsTooLarge) {
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (int i = 0; i < 40; ++i)
    cluster.servers.push_back(
        {.name = fmt::format("s{}", i), .capacity = {Quantity(100 + i), Quantity(100)}});
  for (int n = 0; n < 250; ++n)
    cluster.users.push_back({.name = fmt::format("u{}", n), .demand = {Quantity(100 + n), Quantity(100)}});
  const Problem problem = problem_of(cluster);
  const Outcome nothing{.mechanism = "test",
                        .certificate = {},
                        .allocation = {.tasks = std::vector<double>(250), .grants = {}, .servers = {}},
                        .notices = {}};
  const Verdict verdict = check_pareto_efficiency({problem, nothing, Scope::servers});
  EXPECT_FALSE(verdict.decided);
  EXPECT_FALSE(verdict.vacuous);
  EXPECT_EQ(verdict.tried, 0u);
  EXPECT_EQ(verdict.note, "the linear program is too large");
}

}  // namespace
}  // namespace mirab
