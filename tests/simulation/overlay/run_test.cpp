// Whole runs: what they tell, when they end, and that nothing but the seed decides them.
#include <gtest/gtest.h>
#include <numeric>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;
using std::chrono::seconds;

std::vector<OverlayRun> run(const Problem& cluster, const OverlayScenario& scenario, std::uint64_t seed = 1,
                            int threads = 1) {
  auto runs = run_overlay(cluster, scenario, seed, threads);
  EXPECT_TRUE(runs) << describe(runs.error());
  return *std::move(runs);
}

OverlayRun run_one(const Problem& cluster, const OverlayScenario& scenario) {
  return run(cluster, scenario).front();
}

OverlayScenario all_schedulers() {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.rules.clear();
  for (const overlay::SchedulerRow& row : overlay::schedulers())
    scenario.rules.push_back(
        {.scheduler = row.scheduler, .options = small_scenario(row.scheduler).rules[0].options});
  return scenario;
}

TEST(OverlayRun, TheNumberOfThreadsChangesNothing) {
  OverlayScenario scenario = all_schedulers();
  scenario.duration = seconds(10);
  scenario.faults.loss = 0.05;
  const Problem cluster = small_cluster(30, 6);
  const std::vector<OverlayRun> one = run(cluster, scenario, 3, 1);
  const std::vector<OverlayRun> two = run(cluster, scenario, 3, 2);
  ASSERT_EQ(one.size(), scenario.rules.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].scheduler, row_of(scenario.rules[i].scheduler).name);
    EXPECT_EQ(one[i].shares, two[i].shares);
    EXPECT_EQ(one[i].wrong, two[i].wrong);
    EXPECT_EQ(one[i].messages, two[i].messages);
    EXPECT_EQ(one[i].bytes, two[i].bytes);
    EXPECT_EQ(one[i].ticks, two[i].ticks);
    EXPECT_EQ(one[i].lost, two[i].lost);
  }
}

TEST(OverlayRun, EndsWhenAllTasksOfAllUsersRun) {
  const Problem cluster = small_cluster(30, 6, 4);
  for (const OverlayRun& run : run(cluster, all_schedulers())) {
    EXPECT_EQ(run.placements, 24) << run.scheduler;
    EXPECT_DOUBLE_EQ(run.min_share, 4 * 2 / 300.0) << run.scheduler;
    EXPECT_NEAR(run.gini, 0, 1e-12) << run.scheduler;
    EXPECT_NEAR(run.deviation, 0, 1e-12) << run.scheduler;
    EXPECT_EQ(run.used, (std::vector<double>{36 / 300.0, 36 / 300.0})) << run.scheduler;
    EXPECT_GT(run.ticks, 0) << run.scheduler;
    EXPECT_EQ(run.violation_count, 0) << run.scheduler;
  }
}

// How many ticks the run had.
double length(const OverlayRun& run, double servers) {
  return static_cast<double>(run.messages) / run.messages_per_tick_and_node / servers;
}

TEST(OverlayRun, EndsSoonAfterNothingFitsAnyMore) {
  Cluster even;
  even.resources = {"cpu"};
  even.servers.push_back({.name = "s", .capacity = {Quantity(10)}, .count = 10});
  for (const char* name : {"a", "b", "c"}) even.users.push_back({.name = name, .demand = {Quantity(1)}});
  const OverlayRun run = run_one(*Problem::from(even), small_scenario(Scheduler::pdgdrf));
  EXPECT_EQ(run.placements, 100);
  EXPECT_EQ(run.used[0], 1);
  EXPECT_LE(length(run, 10), run.ticks + 21);
}

TEST(OverlayRun, EndsWhenNothingWasPlacedForLong) {
  Cluster uneven;
  uneven.resources = {"cpu"};
  uneven.servers.push_back({.name = "s", .capacity = {Quantity(10)}, .count = 10});
  uneven.users = {{.name = "large", .demand = {Quantity(9)}}, {.name = "small", .demand = {Quantity(1)}}};
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.quiet = 60;
  // The large one fits nowhere in the end, and blocks the other, which would (the thesis' Stuck::block).
  const OverlayRun run = run_one(*Problem::from(uneven), scenario);
  EXPECT_LT(run.used[0], 1);
  EXPECT_NEAR(length(run, 10), run.ticks + 60, 1);
}

TEST(OverlayRun, DoesNotEndBeforeAllThatIsPlannedHasHappened) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.pauses = {{.from = {}, .to = seconds(10), .user = "u0"}};
  const OverlayRun run = run_one(small_cluster(10, 2, 1), scenario);
  EXPECT_EQ(run.placements, 2);
  EXPECT_GT(run.ticks, 100);
}

TEST(OverlayRun, LastsAsLongAsTheDuration) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.duration = seconds(30);
  scenario.runtime = seconds(2);
  const OverlayRun run = run_one(small_cluster(20, 4), scenario);
  EXPECT_NEAR(length(run, 20), 300, 1);
  EXPECT_GT(run.placements, 150) << "rooms are used again";
  EXPECT_GT(run.mean_min_share, 0);
}

TEST(OverlayRun, TheCentralisedOneServesThePoorestAlwaysAndFifoDoesNot) {
  OverlayScenario scenario = small_scenario(Scheduler::centralised_drf);
  scenario.rules.push_back(small_scenario(Scheduler::centralised_fifo).rules[0]);
  scenario.names = {"drf", "fifo"};
  Cluster uneven;
  uneven.resources = {"cpu"};
  uneven.servers.push_back({.name = "s", .capacity = {Quantity(10)}, .count = 20});
  uneven.users = {{.name = "small", .demand = {Quantity(1)}}, {.name = "large", .demand = {Quantity(4)}}};
  const std::vector<OverlayRun> runs = run(*Problem::from(uneven), scenario);
  EXPECT_EQ(runs[0].scheduler, "drf");
  EXPECT_EQ(runs[0].wrong[0], 0);
  EXPECT_GT(runs[1].wrong[0], 0);
  EXPECT_GT(runs[0].min_share, runs[1].min_share);
  EXPECT_LE(runs[1].wrong[4], runs[1].wrong[0]) << "tolerance forgives";
  EXPECT_EQ(runs[1].wrong_over_time[0].size(), 50U);
  EXPECT_EQ(runs[1].wrong_over_time[0].back(),
            static_cast<double>(runs[1].wrong[0]) / static_cast<double>(runs[1].placements));
}

TEST(OverlayRun, TasksThatDiedWithTheirServerRunAgain) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.rules[0].options.patience.lease = 40;
  scenario.faults.crashes = {{.at = seconds(3), .node = 0, .back = seconds(4), .memory = Memory::lost},
                             {.at = seconds(3), .node = 1, .back = {}, .memory = Memory::lost}};
  const OverlayRun run = run_one(small_cluster(8, 4, 6), scenario);
  EXPECT_GT(run.restarted, 0);
  EXPECT_EQ(run.placements, 24 + run.restarted);
  EXPECT_DOUBLE_EQ(run.min_share, 6 * 2 / 80.0);
}

TEST(OverlayRun, UsersOfAServerThatIsSilentMove) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  for (std::uint32_t node = 0; node < 4; ++node)
    scenario.faults.crashes.push_back({.at = seconds(1), .node = node, .back = {}, .memory = Memory::lost});
  const OverlayRun run = run_one(small_cluster(8, 16, 2), scenario);
  EXPECT_GT(run.moved, 0);
}

TEST(OverlayRun, CostsAreThoseOfTheKindsAfterTheWarmUp) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.duration = seconds(5);
  const OverlayRun shorter = run_one(small_cluster(20, 4), scenario);
  std::int64_t messages = 0, bytes = 0;
  for (const MessageCount& kind : shorter.kinds) {
    messages += kind.messages;
    bytes += kind.bytes;
  }
  EXPECT_EQ(messages, shorter.messages);
  EXPECT_EQ(bytes, shorter.bytes);
  EXPECT_NEAR(shorter.bytes_per_tick_and_node, static_cast<double>(bytes) / (50 * 20),
              0.05 * shorter.bytes_per_tick_and_node);
  scenario.warm_up *= 10;
  const OverlayRun warmer = run_one(small_cluster(20, 4), scenario);
  EXPECT_NEAR(static_cast<double>(warmer.messages), static_cast<double>(messages),
              0.1 * static_cast<double>(messages));
}

TEST(OverlayRun, WhatIsLostInTheWarmUpDoesNotCount) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.duration = seconds(5);
  scenario.warm_up = 500;
  scenario.faults.loss = 0.2;
  scenario.faults.corrupt = 0.2;
  const OverlayRun run = run_one(small_cluster(20, 4), scenario);
  EXPECT_NEAR(static_cast<double>(run.lost), 0.2 * static_cast<double>(run.messages),
              0.03 * static_cast<double>(run.messages));
  const auto dropped = std::accumulate(run.dropped.begin(), run.dropped.end(), std::int64_t{0});
  EXPECT_GT(dropped, 0);
  EXPECT_LE(dropped, run.messages - run.lost);
}

// A lease of one tick ends before the user's renewal is there: every task is lost, again and again.
TEST(OverlayRun, EndsAlsoWhenTasksAreLostAndPlacedForEver) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.rules[0].options.patience.lease = 1;
  scenario.rules[0].options.patience.again = 1;
  scenario.latency = {.min = std::chrono::milliseconds(300), .max = std::chrono::milliseconds(300)};
  scenario.wire.lifetime = seconds(1);
  scenario.quiet = 100;
  const OverlayRun run = run_one(small_cluster(4, 2), scenario);
  EXPECT_GT(run.restarted, 0);
  EXPECT_GT(length(run, 4), 100);
}

TEST(OverlayRun, CorruptLettersAreDroppedAndAllIsPlacedAllTheSame) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.faults.corrupt = 0.05;
  scenario.faults.loss = 0.05;
  const OverlayRun run = run_one(small_cluster(10, 4, 5), scenario);
  EXPECT_EQ(run.placements, 20);
  EXPECT_GT(std::accumulate(run.dropped.begin(), run.dropped.end(), std::int64_t{0}), 0);
  EXPECT_GT(run.lost, 0);
}

TEST(OverlayRun, PicturesAreSpreadOverTheWarmUpAndTheRun) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.frames = 8;
  scenario.duration = seconds(10);
  const OverlayRun run = run_one(small_cluster(12, 4), scenario);
  ASSERT_LE(run.frames.size(), 8U);
  ASSERT_GE(run.frames.size(), 6U);
  EXPECT_LT(run.frames.front().tick, 0);
  EXPECT_GT(run.frames.back().tick, 80);
  for (std::size_t i = 1; i < run.frames.size(); ++i) EXPECT_GT(run.frames[i].tick, run.frames[i - 1].tick);
  EXPECT_EQ(run.frames.back().utility.size(), 12U);
  EXPECT_EQ(run.frames.back().view[0].size(), 4U);
  EXPECT_GT(run.frames.back().placements, 0);
}

}  // namespace
}  // namespace mirab::simulation
