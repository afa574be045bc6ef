// Room that is left since the poorest user has no task (Östman, 3.2: a user without a task stays the centre).
#include <gtest/gtest.h>

#include "lab/simulation/overlay/run.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;

/// `done` has two tasks in all, `hungry` no limit, and 20 tasks fit.
Problem done_and_hungry() {
  Cluster cluster{.resources = {"cpu"},
                  .servers = {{.name = "s", .capacity = {Quantity(5)}, .count = 4}},
                  .users = {{.name = "hungry", .demand = {Quantity(1)}},
                            {.name = "done", .demand = {Quantity(1)}, .tasks = Quantity(2)}}};
  return *Problem::from(cluster);
}

OverlayRun run_of(Scheduler scheduler, overlay::Idle idle) {
  OverlayScenario scenario = small_scenario(scheduler);
  scenario.rules[0].options.idle = idle;
  scenario.quiet = 100;
  return run_overlay(done_and_hungry(), scenario, 1, 1)->front();
}

TEST(LeftOver, IsWhatFitsWhileTheUserWhoIsDoneIsThePoorest) {
  for (const Scheduler scheduler : {Scheduler::centralised_drf, Scheduler::dgdrf}) {
    const OverlayRun run = run_of(scheduler, overlay::Idle::block);
    ASSERT_TRUE(run.left_over);
    EXPECT_EQ(run.left_over->user, "done");
    EXPECT_EQ(run.left_over->tasks, 20 - run.placements);
  }
}

TEST(LeftOver, IsNothingWhereNobodyWaitsForThoseWhoAreDone) {
  for (const Scheduler scheduler : {Scheduler::centralised_drf, Scheduler::dgdrf}) {
    const OverlayRun run = run_of(scheduler, overlay::Idle::skip);
    EXPECT_FALSE(run.left_over);
    EXPECT_EQ(run.placements, 20);
  }
  EXPECT_FALSE(run_of(Scheduler::centralised_fifo, overlay::Idle::block).left_over);
}

TEST(LeftOver, IsNoRoomOnServersThatHaveLeft) {
  OverlayScenario scenario = small_scenario(Scheduler::centralised_drf);
  scenario.quiet = 100;
  scenario.faults.leaves = {{.at = std::chrono::seconds(30), .node = 3}};
  const OverlayRun run = run_overlay(done_and_hungry(), scenario, 1, 1)->front();
  ASSERT_TRUE(run.left_over);
  EXPECT_EQ(run.left_over->tasks, 15 - run.placements);
}

TEST(LeftOver, IsNotToldOfARunThatADurationCutsOff) {
  OverlayScenario scenario = small_scenario(Scheduler::centralised_drf);
  scenario.duration = std::chrono::seconds(60);
  EXPECT_FALSE(run_overlay(done_and_hungry(), scenario, 1, 1)->front().left_over);
}

}  // namespace
}  // namespace mirab::simulation
