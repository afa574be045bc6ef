// Clusters under each scheduler and option, end to end and without faults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/model/random.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;

/// What is run, by one scheduler with these options.
struct Plan {
  Cluster cluster;
  OverlayRules rules;
  std::uint64_t seed = 1;
};

/// `servers` of one to three times 40 units each way, and users whose tasks take 1 to 30.
Plan plan_of(Scheduler scheduler, int servers, int users, std::uint64_t seed) {
  Plan plan{.cluster = {}, .rules = {}, .seed = seed};
  plan.cluster.resources = {"cpu", "memory"};
  plan.rules.scheduler = scheduler;
  plan.rules.options.hops = 60;
  Random random(seed);
  const auto amount = [&](std::uint64_t most, std::int64_t unit) {
    return Quantity(unit * static_cast<std::int64_t>(1 + random.below(most)));
  };
  for (int l = 0; l < servers; ++l)
    plan.cluster.servers.push_back(
        {.name = fmt::format("s{}", l), .capacity = {amount(3, 40), amount(3, 40)}});
  for (int n = 0; n < users; ++n)
    plan.cluster.users.push_back({.name = fmt::format("u{}", n), .demand = {amount(30, 1), amount(30, 1)}});
  return plan;
}

OverlayRun run(const Plan& plan) {
  OverlayScenario scenario;
  scenario.rules = {plan.rules};
  scenario.quiet = 150;
  const auto runs = run_overlay(*Problem::from(plan.cluster), scenario, plan.seed, 1);
  EXPECT_TRUE(runs);
  EXPECT_EQ(runs->front().violation_count, 0);
  return runs->front();
}

TEST(EveryScheduler, FillsASmallClusterAndBreaksNoPromise) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    Plan plan = plan_of(row.scheduler, 12, 8, 3);
    plan.rules.options.gossip.view = 4;
    const OverlayRun filled = run(plan);
    EXPECT_GT(filled.placements, 30) << row.name;
    EXPECT_GT(filled.min_share, 0) << row.name;
  }
}

// Tables 5.3 and 5.4: 0.00 % at every number of neighbours.
// The load that probes compare is that of the CPUs, in whichever order the file has the resources (Östman,
// eq. 4.1).
TEST(Probes, MeasureTheCpusWhateverTheOrderOfTheResources) {
  const Plan cpu_first = plan_of(Scheduler::probes, 12, 8, 5);
  Plan memory_first = cpu_first;
  std::swap(memory_first.cluster.resources[0], memory_first.cluster.resources[1]);
  for (Server& server : memory_first.cluster.servers) std::swap(server.capacity[0], server.capacity[1]);
  for (User& user : memory_first.cluster.users) std::swap(user.demand[0], user.demand[1]);
  const OverlayRun one = run(cpu_first), other = run(memory_first);
  EXPECT_EQ(one.ticks, other.ticks);
  EXPECT_EQ(one.messages, other.messages);
  EXPECT_EQ(one.shares, other.shares);
}

TEST(Dgdrf, ServesNobodyOutOfTurnAtAnyNumberOfNeighbours) {
  for (std::size_t neighbours = 2; neighbours <= 10; ++neighbours) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Plan plan = plan_of(Scheduler::dgdrf, 20, 20, seed);
      plan.rules.options.gossip.view = neighbours;
      const OverlayRun served = run(plan);
      const std::string replay = fmt::format("{} neighbours, seed {}", neighbours, seed);
      EXPECT_GT(served.placements, 20) << replay;
      EXPECT_EQ(served.wrong[0], 0) << replay;
    }
  }
}

// As many neighbours as homes: views hold servers without users.
TEST(Dgdrf, ServesNobodyOutOfTurnWhenViewsAreLargerThanTheHomesAreMany) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Plan plan = plan_of(Scheduler::dgdrf, 16, 4, seed);
    plan.rules.options.gossip.view = 8;
    const OverlayRun served = run(plan);
    EXPECT_GT(served.placements, 20) << "seed " << seed;
    EXPECT_EQ(served.wrong[0], 0) << "seed " << seed;
  }
}

// 4.1: the base case of all comparisons.
TEST(CentralisedDrf, ServesThePoorestUserEveryTick) {
  const OverlayRun served = run(plan_of(Scheduler::centralised_drf, 12, 8, 3));
  EXPECT_EQ(served.wrong[0], 0);
  EXPECT_LE(served.ticks, static_cast<double>(served.placements) + 1);
}

// 4.1: no fairness at all; every user gets as many tasks, whatever they take.
TEST(CentralisedFifo, GivesEveryUserAsManyTasks) {
  const Plan plan = plan_of(Scheduler::centralised_fifo, 12, 8, 3);
  const OverlayRun served = run(plan);
  const std::vector<double> of_a_task = roster_of(*Problem::from(plan.cluster)).dominant;
  for (std::size_t n = 0; n < of_a_task.size(); ++n)
    EXPECT_NEAR(served.shares[n] / of_a_task[n], served.shares[0] / of_a_task[0], 1 + 1e-9);
}

// 2.1.4: best fit uses a cluster better than first fit.
TEST(Search, BestFitPlacesMoreThanFirstFit) {
  for (const Scheduler scheduler : {Scheduler::centralised_drf, Scheduler::pdgdrf}) {
    std::int64_t first = 0;
    std::int64_t best = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Plan plan = plan_of(scheduler, 16, 8, seed);
      plan.rules.options.gossip.view = 3;
      first += run(plan).placements;
      plan.rules.options.search = overlay::Search::best_fit;
      best += run(plan).placements;
    }
    EXPECT_GT(best, first) << row_of(scheduler).name;
  }
}

TEST(Search, DirectedWalksFillAClusterToo) {
  Plan plan = plan_of(Scheduler::pdgdrf, 12, 8, 3);
  plan.rules.options.search = overlay::Search::directed;
  plan.rules.options.gossip.view = 4;
  EXPECT_GT(run(plan).placements, 30);
}

// Algorithm 2: no node is given C.
TEST(Total, EstimatedByPushSumServesToo) {
  Plan plan = plan_of(Scheduler::pdgdrf, 12, 8, 3);
  plan.rules.options.total = overlay::Total::push_sum;
  plan.rules.options.push_sum_epoch = 20;
  plan.rules.options.gossip.view = 4;
  EXPECT_GT(run(plan).placements, 30);
}

// Chapter 6: a user whose task fits nowhere blocks all others, or leaves.
TEST(Stuck, WhoLeavesNoLongerBlocksTheOthers) {
  Plan plan = plan_of(Scheduler::pdgdrf, 8, 4, 5);
  plan.rules.options.gossip.view = 3;
  plan.cluster.users[0].demand = {Quantity(200), Quantity(1)};  // fits nowhere
  EXPECT_LT(run(plan).placements, 10);
  plan.rules.options.stuck = overlay::Stuck::leave;
  EXPECT_GT(run(plan).placements, 20);
}

}  // namespace
}  // namespace mirab::simulation
