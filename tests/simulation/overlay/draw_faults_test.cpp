#include <gtest/gtest.h>
#include <set>

#include "lab/simulation/overlay/check.hpp"
#include "lab/simulation/overlay/faults.hpp"
#include "lab/simulation/overlay/search.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSeeds = 200;

SearchOptions options() { return {.nodes = 30, .users = 5, .ticks = 400}; }

template <class Each>
void for_trials(const Each& each) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    each(draw_trial(options(), seed));
  }
}

TEST(DrawFaults, TheSameSeedGivesTheSameTrial) {
  const auto text = [](std::uint64_t seed) {
    return write_overlay_yaml(draw_trial(options(), seed), "c.yaml");
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

TEST(DrawFaults, ClustersAreValidAndAsLargeAsAsked) {
  for_trials([](const Trial& trial) {
    EXPECT_TRUE(Problem::from(trial.cluster));
    EXPECT_EQ(trial.nodes(), 30U);
    EXPECT_EQ(trial.users(), 5U);
    EXPECT_EQ(trial.ticks(), 400U);
  });
}

// What is found is written down and played by who checks it.
TEST(DrawFaults, NoTrialContradictsItself) {
  for_trials([](const Trial& trial) {
    const Check wrong = check_overlay(*Problem::from(trial.cluster), trial.scenario);
    EXPECT_FALSE(wrong) << describe(*wrong);
  });
}

TEST(DrawFaults, TheSecondHalfIsCalm) {
  for_trials(
      [](const Trial& trial) { EXPECT_LE(last_fault(trial.scenario.faults), *trial.scenario.duration / 2); });
}

// What must not be at once: the world would refuse it.
TEST(DrawFaults, AServerCrashesOrJoinsOrLeavesAndOneStays) {
  for_trials([](const Trial& trial) {
    const Faults& faults = trial.scenario.faults;
    std::set<std::uint32_t> crashed, others;
    for (const Crash& crash : faults.crashes) crashed.insert(crash.node);
    for (const Join& join : faults.joins) EXPECT_TRUE(others.insert(join.node).second);
    for (const Leave& leave : faults.leaves) EXPECT_TRUE(others.insert(leave.node).second);
    for (const std::uint32_t node : others) EXPECT_FALSE(crashed.contains(node));
    EXPECT_FALSE(crashed.contains(0) || others.contains(0));
  });
}

TEST(DrawFaults, EverythingGoesWrongInSomeTrial) {
  std::set<std::string> seen;
  for_trials([&](const Trial& trial) {
    const Faults& faults = trial.scenario.faults;
    if (faults.loss == 0.10) seen.insert("loss of 10 %");
    if (faults.duplicate > 0 && faults.reorder > 0 && faults.corrupt > 0) seen.insert("disorder");
    if (!faults.partitions.empty()) seen.insert("partition");
    for (const Partition& partition : faults.partitions) {
      if (partition.nodes > 0 && partition.users > 0) seen.insert("users cut off with servers");
      if (partition.nodes == 0) seen.insert("users cut off alone");
      if (partition.gateway == Partition::Side::inside) seen.insert("gateway cut off");
    }
    if (!faults.restarts.empty()) seen.insert("gateway forgets");
    if (trial.scenario.wire.skew > trial.scenario.tick) seen.insert("clocks differ");
    if (!faults.slow.empty()) seen.insert("slow");
    if (!faults.joins.empty() && !faults.leaves.empty()) seen.insert("churn");
    for (const Crash& crash : faults.crashes) {
      if (!crash.back) seen.insert("never back");
      seen.insert(crash.memory == Memory::kept ? "kept" : "lost");
    }
    if (trial.scenario.runtime) seen.insert("tasks end");
    if (!trial.scenario.pauses.empty()) seen.insert("pauses");
    if (trial.scenario.rules.front().options.patience.lease > 0) seen.insert("lease");
    if (trial.scenario.rules.front().options.confirm == overlay::Confirm::lowest) seen.insert("lowest asked");
  });
  EXPECT_EQ(seen.size(), 17U);
}

// Bustle: a lease and short tasks; and in half of it only what is planned for a moment.
TEST(DrawFaults, InSomeTrialsUsersAndHostsTalkAllTheTimeAndNothingIsLostByChance) {
  int has_burst = 0, quiet = 0;
  for_trials([&](const Trial& trial) {
    const OverlayScenario& scenario = trial.scenario;
    if (trial.cluster.servers.front().capacity.front() <= Quantity(24)) return;  // the most room otherwise
    ++has_burst;
    EXPECT_GT(scenario.rules.front().options.patience.lease, 0U);
    EXPECT_TRUE(scenario.runtime);
    if (scenario.faults.loss > 0) return;
    ++quiet;
    for (const Partition& partition : scenario.faults.partitions)
      EXPECT_EQ(partition.gateway, Partition::Side::inside);
  });
  EXPECT_NEAR(has_burst, kSeeds / 4.0, 20);
  EXPECT_NEAR(quiet, has_burst / 2.0, 12);
}

}  // namespace
}  // namespace mirab::simulation
