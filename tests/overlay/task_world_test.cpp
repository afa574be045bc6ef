#include "overlay/task_world.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

// MIRAB_SEED=5 replays one seed, MIRAB_SEEDS=100000 tries many.

namespace mirab::overlay {
namespace {

std::uint64_t asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

template <class Plan>
void keeps_its_promises(Plan plan) {
  const std::uint64_t first = asked("MIRAB_SEED", 1);
  const std::uint64_t seeds = asked("MIRAB_SEEDS", std::getenv("MIRAB_SEED") != nullptr ? 1 : 300);
  std::uint64_t started = 0, restarted = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    TaskWorld world(plan(seed));
    world.run_all();
    ASSERT_EQ(world.broken().value_or("nothing"), "nothing") << "replay: MIRAB_SEED=" << seed;
    started += world.started();
    restarted += world.restarted();
  }
  std::printf("%lu seeds: %lu starts, %lu tasks lost and wanted again\n", seeds, started, restarted);
  EXPECT_GT(started, seeds);
}

TEST(TasksUnderFaults, RunAtOnePlaceAtATimeAreNeverForgottenAndComeToTheirEnd) {
  keeps_its_promises(nasty_plan);
}

TEST(TasksUnderFaults, NeedNoLeasesWhenOnlyMessagesAreLostAndServersComeBackAsTheyWere) {
  keeps_its_promises(plan_without_leases);
}

}  // namespace
}  // namespace mirab::overlay
