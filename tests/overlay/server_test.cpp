// Servers under each scheduler, end to end in a small net without faults.

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/overlay/scheduler.hpp>

#include "overlay/small_net.hpp"

namespace mirab::overlay {
namespace {

/// `servers` of one to three times 40 units each way, and users whose tasks take 1 to 30.
SmallPlan plan_of(Scheduler scheduler, std::size_t servers, std::size_t users, std::uint64_t seed) {
  SmallPlan plan;
  plan.scheduler = scheduler;
  plan.seed = seed;
  plan.options.hops = 60;
  plan.quiet = 150;
  Random random(seed);
  const auto amount = [&](std::uint64_t most, std::int64_t unit) {
    return unit * static_cast<std::int64_t>(1 + random.below(most));
  };
  for (std::size_t l = 0; l < servers; ++l) plan.capacity.push_back({amount(3, 40), amount(3, 40)});
  for (std::size_t i = 0; i < users; ++i) plan.demand.push_back({amount(30, 1), amount(30, 1)});
  return plan;
}

void expect_safe(const SmallOutcome& outcome) {
  EXPECT_EQ(outcome.over_capacity, 0);
  for (const auto& [task, places] : outcome.places) EXPECT_EQ(places, 1) << "task of user " << task.user;
}

class EveryScheduler : public testing::TestWithParam<Scheduler> {};

TEST_P(EveryScheduler, FillsASmallClusterSafely) {
  SmallPlan plan = plan_of(GetParam(), 12, 8, 3);
  plan.fixed_neighbours = GetParam() == Scheduler::probes || GetParam() == Scheduler::ddrf_random ? 4 : 0;
  plan.options.gossip.view = 4;
  const SmallOutcome outcome = run_small_net(plan);
  expect_safe(outcome);
  EXPECT_GT(outcome.started, 30);
  for (const std::int64_t running : outcome.running) EXPECT_GT(running, 0);
}

INSTANTIATE_TEST_SUITE_P(Servers, EveryScheduler,
                         testing::Values(Scheduler::centralised_drf, Scheduler::centralised_fifo,
                                         Scheduler::probes, Scheduler::ddrf_random, Scheduler::ddrf_gradient,
                                         Scheduler::dgdrf, Scheduler::pdgdrf),
                         [](const auto& which) {
                           std::string name(row_of(which.param).name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Tables 5.3 and 5.4: 0.00 % at every number of neighbours.
TEST(Dgdrf, ServesNobodyOutOfTurnAtAnyNumberOfNeighbours) {
  for (std::size_t neighbours = 2; neighbours <= 10; ++neighbours) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SmallPlan plan = plan_of(Scheduler::dgdrf, 20, 20, seed);
      plan.options.gossip.view = neighbours;
      const SmallOutcome outcome = run_small_net(plan);
      const std::string replay = fmt::format("{} neighbours, seed {}", neighbours, seed);
      expect_safe(outcome);
      EXPECT_GT(outcome.started, 20) << replay;
      EXPECT_EQ(outcome.wrong, 0) << replay;
    }
  }
}

// As many neighbours as homes: views hold servers without users.
TEST(Dgdrf, ServesNobodyOutOfTurnWhenViewsAreLargerThanTheHomesAreMany) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SmallPlan plan = plan_of(Scheduler::dgdrf, 16, 4, seed);
    plan.options.gossip.view = 8;
    const SmallOutcome outcome = run_small_net(plan);
    EXPECT_GT(outcome.started, 20) << "seed " << seed;
    EXPECT_EQ(outcome.wrong, 0) << "seed " << seed;
  }
}

// 4.1: the base case of all comparisons.
TEST(Central, ServesThePoorestUserEveryTick) {
  const SmallOutcome outcome = run_small_net(plan_of(Scheduler::centralised_drf, 12, 8, 3));
  EXPECT_EQ(outcome.wrong, 0);
  EXPECT_LE(outcome.ticks, static_cast<double>(outcome.started) + 1);
}

// 4.1: no fairness at all; every user gets as many tasks, whatever they take.
TEST(Central, FifoGivesEveryUserAsManyTasks) {
  const SmallOutcome outcome = run_small_net(plan_of(Scheduler::centralised_fifo, 12, 8, 3));
  for (const std::int64_t running : outcome.running)
    EXPECT_NEAR(static_cast<double>(running), static_cast<double>(outcome.running[0]), 1);
}

// 2.1.4: best fit uses a cluster better than first fit.
TEST(Search, BestFitPlacesMoreThanFirstFit) {
  for (const Scheduler scheduler : {Scheduler::centralised_drf, Scheduler::pdgdrf}) {
    std::int64_t first = 0;
    std::int64_t best = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SmallPlan plan = plan_of(scheduler, 16, 8, seed);
      plan.options.gossip.view = 3;
      first += run_small_net(plan).started;
      plan.options.search = Search::best_fit;
      best += run_small_net(plan).started;
    }
    EXPECT_GT(best, first) << row_of(scheduler).name;
  }
}

TEST(Search, DirectedWalksFillAClusterToo) {
  SmallPlan plan = plan_of(Scheduler::pdgdrf, 12, 8, 3);
  plan.options.search = Search::directed;
  plan.options.gossip.view = 4;
  const SmallOutcome outcome = run_small_net(plan);
  expect_safe(outcome);
  EXPECT_GT(outcome.started, 30);
}

// Algorithm 2: nobody is told C.
TEST(Total, EstimatedByPushSumServesToo) {
  SmallPlan plan = plan_of(Scheduler::pdgdrf, 12, 8, 3);
  plan.options.total = Total::push_sum;
  plan.options.push_sum_epoch = 20;
  plan.options.gossip.view = 4;
  const SmallOutcome outcome = run_small_net(plan);
  expect_safe(outcome);
  EXPECT_GT(outcome.started, 30);
}

// Chapter 6: a user whose task fits nowhere blocks all others, or leaves.
TEST(Stuck, WhoLeavesNoLongerBlocksTheOthers) {
  SmallPlan plan = plan_of(Scheduler::pdgdrf, 8, 4, 5);
  plan.options.gossip.view = 3;
  plan.demand[0] = {200, 1};  // fits nowhere
  EXPECT_LT(run_small_net(plan).started, 10);
  plan.options.stuck = Stuck::leave;
  EXPECT_GT(run_small_net(plan).started, 20);
}

// Else its views, which age no more, would bring old news back for ever.
TEST(Leaving, AServerThatLeftAnswersNoGossip) {
  Server server(
      {.self = 0, .capacity = {40}, .total = {40}, .bootstrap = 8, .gateway = 9, .tick = Duration(1)},
      Scheduler::dgdrf, {}, Time{});
  Random random(1);
  const auto answers = [&] {
    Effects effects;
    server.on_message(Time{}, 1, GradientRequest{.offered = {{.node = 1}}}, random, effects);
    server.on_message(Time{}, 1, PeerRequest{.offered = {{.node = 1}}}, random, effects);
    return effects.sends.size();
  };
  EXPECT_EQ(answers(), 2U);
  Effects goodbye;
  server.leave(Time{}, goodbye);
  EXPECT_EQ(answers(), 0U);
}

}  // namespace
}  // namespace mirab::overlay
