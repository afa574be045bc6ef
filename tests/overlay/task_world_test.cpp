#include "overlay/task_world.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
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

// Users of one task without end each, and hosts that hear late and are not heard: the first promise that is
// broken in 200 worlds.
std::string broken_with_clocks_apart(std::uint32_t skew, std::uint32_t allowed) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TaskWorld world({.seed = seed,
                     .servers = 4,
                     .users = 4,
                     .tasks = 1,
                     .runtime = 0,
                     .lease = 40,
                     .skew = skew,
                     .allowed = allowed,
                     .late = 0.2,
                     .cut = 0.15});
    world.run_all();
    if (world.broken()) return *world.broken();
  }
  return "nothing";
}

// A bug planted on purpose: the proof has it that M is the lifetime of a letter and the skew together.
TEST(TasksUnderFaults, RunAtTwoPlacesWhenUsersDoNotAllowForTheSkewOfClocks) {
  EXPECT_EQ(broken_with_clocks_apart(18, 18), "nothing");
  EXPECT_THAT(broken_with_clocks_apart(18, 0), testing::HasSubstr("while it runs on server"));
}

}  // namespace
}  // namespace mirab::overlay
