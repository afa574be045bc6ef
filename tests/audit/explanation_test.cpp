// Why a user has its share: the full resources it needs, and what-ifs that are what the changed cluster
// gives.
#include <gmock/gmock.h>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/level_form.hpp>

#include "audit/what_if.hpp"
#include "model/clusters.hpp"

namespace mirab {
namespace {

using testing::amounts;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::problem_of;
using ::testing::SizeIs;
using testing::slides;

// Two kinds of servers, one of them in two entries; C may run on the large ones only, and takes more there.
Cluster park() {
  Cluster cluster = slides();
  cluster.servers = {{.name = "small", .capacity = amounts({4, 8}), .count = 3},
                     {.name = "large", .capacity = amounts({16, 64}), .count = 2},
                     {.name = "small-too", .capacity = amounts({4, 8})}};
  cluster.users.push_back({.name = "C", .demand = amounts({2, 2}), .servers = {{"large"}}});
  return cluster;
}

Explanation explained(const Problem& problem, const std::string& mechanism, std::size_t user,
                      const ExplainOptions& options = {}) {
  Result<Explanation> explanation = explain(problem, *choose_mechanism(mechanism), user, options);
  MIRAB_ASSERT(static_cast<bool>(explanation), describe(explanation.error()).c_str());
  return *std::move(explanation);
}

const WhatIf& the(ChangeKind kind, const Explanation& explanation) {
  for (const WhatIf& what_if : explanation.what_ifs) {
    if (what_if.change.kind == kind) return what_if;
  }
  MIRAB_ASSERT(false, "a change of this kind was tried");
  return explanation.what_ifs.front();
}

bool takes_several_servers(const std::string& mechanism) {
  const Choice choice = *choose_mechanism(mechanism);
  const auto table = mechanisms();
  return std::find_if(table.begin(), table.end(),
                      [&](const Mechanism& row) { return row.name == choice.name; })
      ->accepts.several_servers;
}

// One with every row of the registry: its name, and the values of options that must be given.
std::vector<std::string> all_mechanisms() {
  std::vector<std::string> texts;
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule) continue;
    std::string text(row.name);
    for (const OptionInfo& option : row.options) {
      if (option.fallback.empty()) text += ":" + std::string(option.name) + "=2";
    }
    texts.push_back(text);
  }
  return texts;
}

// docs/reference/mechanisms/ps-dsf.md: where the servers stand for themselves, the level is the L of the
// level form.
TEST(Explanation, LevelsOfPsDsfAreThoseOfItsLevelForm) {
  const Problem problem =
      problem_of({.resources = {"cpu", "memory"},
                  .servers = {{.name = "one", .capacity = amounts({7, 7})},
                              {.name = "other", .capacity = amounts({4, 3}), .count = 2}},
                  .users = {{.name = "A", .demand = amounts({2, 1})},
                            {.name = "B", .demand = amounts({1, 2}), .weight = *Quantity::from(2)}}});
  const Explanation explanation = explained(problem, "ps-dsf", 0);
  const LevelForm form = level_form(problem, explanation.outcome.allocation);
  ASSERT_LT(form.violation, 1e-8);
  ASSERT_FALSE(explanation.bindings.empty());
  for (const Binding& binding : explanation.bindings)
    EXPECT_NEAR(binding.level, form.levels[binding.servers[0]][binding.resource], 1e-8);
}

TEST(Explanation, CpuIsFullAndBHoldsMostOfItInTheSlides) {
  const Explanation explanation = explained(problem_of(slides()), "drf", 0);
  EXPECT_NEAR(explanation.dominant_share, 2.0 / 3, 1e-9);
  ASSERT_THAT(explanation.bindings, SizeIs(1));
  const Binding& cpu = explanation.bindings[0];
  EXPECT_THAT(cpu.servers, ElementsAre(0));
  EXPECT_EQ(cpu.resource, 0u);
  EXPECT_EQ(cpu.capacity, 9);
  EXPECT_NEAR(cpu.held, 3, 1e-9);
  EXPECT_NEAR(cpu.level, 2.0 / 3, 1e-9);
  EXPECT_FALSE(cpu.price) << "DRF has no prices";
  ASSERT_THAT(cpu.others, SizeIs(1));
  EXPECT_EQ(cpu.others[0].user, 1u);
  EXPECT_NEAR(cpu.others[0].amount, 6, 1e-9);
}

// x_A = φ_A / (d_A·λ), λ = (1/5, 1/90): both full.
TEST(Explanation, ProportionalFairnessHasPrices) {
  const Explanation explanation = explained(problem_of(slides()), "pf", 0);
  ASSERT_THAT(explanation.bindings, SizeIs(2));
  EXPECT_EQ(explanation.bindings[0].resource, 1u) << "A holds most of the memory";
  EXPECT_THAT(*explanation.bindings[0].price, DoubleNear(1.0 / 90, 1e-7));
  EXPECT_THAT(*explanation.bindings[1].price, DoubleNear(1.0 / 5, 1e-7));
}

// With equal levels 4x/C_mem = 3y/C_cpu and the CPUs full: x = C_cpu/(1 + 4 C_cpu/C_mem); with twice the
// weight for A, 4x/18 = 2 · 3y/9.
TEST(Explanation, WhatAUnitAServerAndTheWeightBringIsWorkedOutByHand) {
  const Explanation explanation = explained(problem_of(slides()), "drf", 0);
  EXPECT_NEAR(the(ChangeKind::unit, explanation).tasks, 10 / (1 + 40.0 / 18), 1e-9);
  EXPECT_NEAR(the(ChangeKind::server, explanation).tasks, 6, 1e-9);
  EXPECT_NEAR(the(ChangeKind::weight, explanation).tasks, 54.0 / 13, 1e-9);
  EXPECT_NEAR(the(ChangeKind::weight, explanation).gain, 54.0 / 13 - 3, 1e-9);
  EXPECT_EQ(explanation.untried, 0u);
}

// Both stay full, so x + 3y = 10 and 4x + y = 18: A falls from 45/11 tasks to 4.
TEST(Explanation, MoreOfAResourceCanHurtAndIsShownLast) {
  const Explanation explanation = explained(problem_of(slides()), "pf", 0);
  const WhatIf& last = explanation.what_ifs.back();
  EXPECT_EQ(last.change.kind, ChangeKind::unit);
  EXPECT_EQ(last.change.resource, 0u);
  EXPECT_NEAR(last.tasks, 4, 1e-6);
  EXPECT_NEAR(last.gain, 4 - 45.0 / 11, 1e-6);
  for (std::size_t i = 1; i < explanation.what_ifs.size(); ++i) {
    EXPECT_GE(explanation.what_ifs[i - 1].gain, explanation.what_ifs[i].gain) << "the greatest first";
  }
}

TEST(Explanation, EveryWhatIfIsWhatTheChangedProblemGives) {
  for (const std::string& mechanism : all_mechanisms()) {
    for (const Cluster& cluster : {slides(), park()}) {
      const Problem problem = problem_of(cluster);
      if (cluster.servers.size() > 1 && !takes_several_servers(mechanism)) continue;
      for (std::size_t user = 0; user < problem.user_count(); ++user) {
        const Explanation explanation = explained(problem, mechanism, user);
        EXPECT_GE(explanation.what_ifs.size(), 2u);
        for (const WhatIf& what_if : explanation.what_ifs) {
          const Result<Problem> other = changed(problem, user, what_if.change);
          ASSERT_TRUE(other);
          const Result<Outcome> outcome = allocate(*other, mechanism);
          ASSERT_TRUE(outcome);
          EXPECT_EQ(what_if.tasks, outcome->allocation.tasks[user]) << mechanism;
          EXPECT_EQ(what_if.gain, gain_of(explanation.outcome.allocation.tasks[user], what_if.tasks))
              << mechanism;
        }
      }
    }
  }
}

TEST(Explanation, BindingResourcesAreFullAndNeededUnderEveryMechanism) {
  const Problem problem = problem_of(park());
  for (const std::string& mechanism : all_mechanisms()) {
    if (!takes_several_servers(mechanism)) continue;
    const Explanation explanation = explained(problem, mechanism, 2);
    const Allocation& allocation = explanation.outcome.allocation;
    // A part of a resource that has no group is left over under h-ffmra.
    EXPECT_EQ(explanation.bindings.empty(), mechanism == "h-ffmra") << mechanism;
    for (const Binding& binding : explanation.bindings) {
      double capacity = 0, used = 0;
      for (const std::size_t i : binding.servers) {
        capacity += allocation.servers[i].capacity[binding.resource];
        used += allocation.servers[i].used[binding.resource];
        EXPECT_TRUE(allocation.servers.size() == 1 || problem.eligible(2, i)) << mechanism;
      }
      EXPECT_EQ(binding.capacity, capacity);
      EXPECT_GE(used, capacity * (1 - 1e-6)) << mechanism;
      EXPECT_LE(binding.held, used * (1 + 1e-9));
    }
  }
}

TEST(Explanation, AUserWithAllItsTasksIsHeldBackByNothingAndOfferedOneMore) {
  Cluster cluster = slides();
  cluster.users[0].tasks = Quantity(2);
  const Explanation explanation = explained(problem_of(cluster), "drf", 0);
  EXPECT_TRUE(explanation.has_all_tasks);
  EXPECT_THAT(explanation.bindings, IsEmpty());
  EXPECT_EQ(the(ChangeKind::task, explanation).change.amount, Quantity(3));
  EXPECT_NEAR(the(ChangeKind::task, explanation).gain, 1, 1e-9);
}

TEST(Explanation, EntriesThatNobodyCanTellApartAreTriedOnce) {
  std::vector<std::vector<std::size_t>> tried;
  for (const WhatIf& what_if : explained(problem_of(park()), "drf", 0).what_ifs) {
    if (what_if.change.kind == ChangeKind::server) tried.push_back(what_if.change.servers);
  }
  EXPECT_THAT(tried, ::testing::UnorderedElementsAre(ElementsAre(0, 2), ElementsAre(1)));
}

TEST(Explanation, OnlyServersThatTheUserMayUseAreOffered) {
  std::size_t offered = 0;
  for (const WhatIf& what_if : explained(problem_of(park()), "drf", 2).what_ifs) {
    if (what_if.change.kind != ChangeKind::server) continue;
    EXPECT_THAT(what_if.change.servers, ElementsAre(1));
    ++offered;
  }
  EXPECT_EQ(offered, 1u);
}

// Of three entries that are alike one is overfull, and so is the only one on which C may run.
TEST(Explanation, AnOverfullServerIsNotCopied) {
  Cluster cluster = park();
  cluster.servers[0].is_overfull = true;
  cluster.servers[1].is_overfull = true;
  const Problem problem = problem_of(cluster);
  const auto copied = [](const Explanation& explanation) {
    std::vector<std::size_t> servers;
    for (const WhatIf& what_if : explanation.what_ifs) {
      if (what_if.change.servers.empty()) continue;
      servers.insert(servers.end(), what_if.change.servers.begin(), what_if.change.servers.end());
    }
    return servers;
  };
  const Explanation of_a = explained(problem, "drfh", 0);
  EXPECT_THAT(copied(of_a), ::testing::Each(2));
  EXPECT_THAT(copied(of_a), ::testing::Not(IsEmpty()));
  EXPECT_THAT(of_a.outcome.notices, IsEmpty());
  const Explanation of_c = explained(problem, "drfh", 2);
  EXPECT_THAT(copied(of_c), IsEmpty());
  const std::string notice =
      "no server is added or enlarged for C: all on which it may run are overfull, and run more than such a "
      "server has";
  EXPECT_THAT(of_c.outcome.notices, ElementsAre(notice));
  EXPECT_THAT(explain_all(problem, *choose_mechanism("drfh"))->outcome.notices, ElementsAre(notice));
}

TEST(Explanation, AUnitIsAddedExactly) {
  Cluster cluster = testing::cluster_of({{1, 1}}, {{1, 1}});
  cluster.servers[0].capacity[0] = *Quantity::parse("0.1");
  const auto more = [&](const char* amount) {
    const Result<Problem> other = changed(
        problem_of(cluster), 0,
        {.kind = ChangeKind::unit, .servers = {0}, .resource = 0, .amount = *Quantity::parse(amount)});
    return other->servers()[0].capacity[0].text();
  };
  EXPECT_EQ(more("0.2"), "0.3");
  EXPECT_EQ(more("0.0000000000000001"), "0.1000000000000001");
  EXPECT_EQ(more("1e18"), "1000000000000000000") << "more digits than are counted: as a double";
}

TEST(Explanation, TriesNoMoreChangesThanAskedForAndCountsTheOthers) {
  const Problem problem = problem_of(park());
  const std::size_t all = explained(problem, "drf", 0).what_ifs.size();
  std::vector<std::size_t> progress;
  const Explanation explanation = explained(
      problem, "drf", 0,
      {.what_ifs = 2, .progress = [&](std::size_t done, std::size_t) { progress.push_back(done); }});
  EXPECT_THAT(explanation.what_ifs, SizeIs(2));
  EXPECT_EQ(explanation.untried, all - 2);
  EXPECT_THAT(progress, ElementsAre(1, 2));
}

TEST(Explanation, AUnitIsOneOrAHundredthOfWhatIsThere) {
  for (const auto& [capacity, unit] : {std::pair(9.0, 1.0), std::pair(0.5, 0.005), std::pair(64e9, 64e7)}) {
    Cluster cluster = slides();
    cluster.servers[0].capacity = amounts({capacity, 1e15});
    const Explanation explanation = explained(problem_of(cluster), "drf", 0);
    EXPECT_NEAR(the(ChangeKind::unit, explanation).change.amount.value(), unit, 1e-12 * unit);
  }
}

TEST(Explanation, IsTheErrorOfTheMechanismThatCannotHonourTheProblem) {
  Cluster cluster = slides();
  cluster.users[1].tasks = Quantity(2);
  const Result<Explanation> explanation = explain(problem_of(cluster), *choose_mechanism("baa"), 0);
  ASSERT_FALSE(explanation);
  EXPECT_EQ(explanation.error().key, "users[1].tasks");
}

// The one server that gets more has the same users allowed and the same demands as before.
TEST(Changes, AUnitOnOneServerOfAnEntrySetsThatServerApart) {
  Cluster cluster = park();
  cluster.users[2].demand_on.emplace("large", amounts({1, 2}));
  const Problem problem = problem_of(cluster);
  const Result<Problem> other =
      changed(problem, 2, {.kind = ChangeKind::unit, .servers = {1}, .resource = 1, .amount = Quantity(8)});
  ASSERT_TRUE(other);
  ASSERT_EQ(other->server_count(), 4u);
  EXPECT_EQ(other->servers()[1].count, 1);
  EXPECT_EQ(other->servers()[3].count, 1);
  EXPECT_EQ(other->servers()[3].capacity, amounts({16, 72}));
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    EXPECT_EQ(other->eligible(n, 3), problem.eligible(n, 1));
    EXPECT_EQ(other->demand(n, 3), problem.demand(n, 1));
  }
}

TEST(Changes, AUnitOnAnEntryOfOneServerStaysThere) {
  const Result<Problem> other =
      changed(problem_of(park()), 0,
              {.kind = ChangeKind::unit, .servers = {2}, .resource = 0, .amount = *Quantity::from(0.5)});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->server_count(), 3u);
  EXPECT_EQ(other->servers()[2].capacity, amounts({4.5, 8}));
}

}  // namespace
}  // namespace mirab
