#include <algorithm>
#include <gtest/gtest.h>

#include "lab/simulation/overlay/search.hpp"

namespace mirab::simulation {
namespace {

/// A trial with a good many faults.
Trial rich_trial() {
  Trial trial = draw_trial({.nodes = 60, .users = 12, .ticks = 500}, 3);
  std::vector<Crash>& crashes = trial.scenario.faults.crashes;
  crashes.clear();
  for (std::uint32_t node = 0; node < 20; ++node)
    crashes.push_back({.at = std::chrono::seconds(node), .node = node, .memory = Memory::lost});
  return trial;
}

bool crashes(const Trial& trial, std::uint32_t node) {
  const std::vector<Crash>& all = trial.scenario.faults.crashes;
  return std::any_of(all.begin(), all.end(), [&](const Crash& crash) { return crash.node == node; });
}

// Breaks when servers 3 and 11 crash, somebody is there to lose, and messages are lost.
std::optional<Violation> needs_two_crashes(const Trial& trial) {
  const bool breaks = crashes(trial, 3) && crashes(trial, 11) && trial.users() >= 2 &&
                      trial.scenario.faults.loss > 0 && trial.ticks() >= 121;
  if (!breaks) return std::nullopt;
  return Violation{.promise = "one place", .what = "", .at = std::chrono::seconds(12)};
}

TEST(ShrinkTrial, LeavesWhatIsNeededAndNothingElse) {
  const Trial drawn = rich_trial();
  const Shrunk small = shrink_trial(drawn, *needs_two_crashes(drawn), needs_two_crashes, 1000);
  const Faults& faults = small.trial.scenario.faults;
  EXPECT_EQ(faults.crashes.size(), 2U);
  EXPECT_TRUE(crashes(small.trial, 3) && crashes(small.trial, 11));
  EXPECT_EQ(small.trial.nodes(), 12U);
  EXPECT_EQ(small.trial.users(), 2U);
  EXPECT_EQ(small.trial.ticks(), 121U);
  EXPECT_EQ(faults.loss, drawn.scenario.faults.loss);
  EXPECT_EQ(faults.duplicate + faults.reorder + faults.corrupt, 0);
  EXPECT_TRUE(faults.partitions.empty() && faults.slow.empty() && faults.joins.empty() &&
              faults.leaves.empty() && small.trial.scenario.pauses.empty());
  EXPECT_FALSE(small.trial.scenario.runtime);
}

TEST(ShrinkTrial, OfAPartitionOnlyWhoMustBeCutOffIsLeft) {
  Trial drawn = rich_trial();
  const auto second = std::chrono::seconds(1);
  const Partition all{
      .from = second, .to = 2 * second, .nodes = 0.3, .users = 0.5, .gateway = Partition::Side::inside};
  const auto left_of = [&](double Partition::*needed) {
    drawn.scenario.faults.partitions = {all};
    const auto breaks = [&](const Trial& trial) -> std::optional<Violation> {
      const std::vector<Partition>& cuts = trial.scenario.faults.partitions;
      if (cuts.empty() || cuts[0].*needed == 0) return std::nullopt;
      return Violation{.promise = "capacity", .what = "", .at = second};
    };
    return shrink_trial(drawn, *breaks(drawn), breaks, 1000).trial.scenario.faults.partitions.at(0);
  };
  const Partition users = left_of(&Partition::users), nodes = left_of(&Partition::nodes);
  EXPECT_EQ(users.users, all.users);
  EXPECT_EQ(users.nodes, 0);
  EXPECT_EQ(nodes.nodes, all.nodes);
  EXPECT_EQ(nodes.users, 0);
  for (const Partition& left : {users, nodes}) EXPECT_EQ(left.gateway, Partition::Side::outside);
}

// A scenario file would be refused in which a partition cuts nobody off.
TEST(ShrinkTrial, SomebodyIsStillCutOff) {
  Trial drawn = rich_trial();
  const auto second = std::chrono::seconds(1);
  drawn.scenario.faults.partitions = {{.from = second, .to = 2 * second, .nodes = 0.3, .users = 0.5}};
  const auto breaks = [&](const Trial& trial) -> std::optional<Violation> {
    if (trial.scenario.faults.partitions.empty()) return std::nullopt;
    return Violation{.promise = "capacity", .what = "", .at = second};
  };
  const Shrunk small = shrink_trial(drawn, *breaks(drawn), breaks, 1000);
  EXPECT_FALSE(check(small.trial.scenario));
  EXPECT_EQ(small.trial.scenario.faults.partitions.at(0).nodes, 0.3);
}

TEST(ShrinkTrial, ClocksThatNeedNotDifferAgree) {
  Trial drawn = rich_trial();
  drawn.scenario.wire = {.lifetime = std::chrono::milliseconds(700), .skew = std::chrono::milliseconds(500)};
  drawn.scenario.latency.max = std::chrono::milliseconds(20);
  const Trial agree = shrink_trial(drawn, *needs_two_crashes(drawn), needs_two_crashes, 1000).trial;
  EXPECT_EQ(agree.scenario.wire.skew, Duration::zero());
  EXPECT_EQ(agree.scenario.wire.lifetime, OverlayScenario{}.wire.lifetime);
  EXPECT_EQ(agree.scenario.latency.max, OverlayScenario{}.latency.max);

  const auto needs_clocks = [](const Trial& trial) {
    return trial.scenario.wire.skew > Duration::zero() ? needs_two_crashes(trial) : std::nullopt;
  };
  const Trial differ = shrink_trial(drawn, *needs_clocks(drawn), needs_clocks, 1000).trial;
  EXPECT_EQ(differ.scenario.wire.skew, drawn.scenario.wire.skew);
}

TEST(ShrinkTrial, AsksNoMoreOftenThanItMay) {
  const Trial drawn = rich_trial();
  std::size_t asked = 0;
  const auto counted = [&](const Trial& trial) {
    ++asked;
    return needs_two_crashes(trial);
  };
  const Shrunk small = shrink_trial(drawn, *needs_two_crashes(drawn), counted, 25);
  EXPECT_EQ(asked, 25U);
  EXPECT_EQ(small.tries, 25U);
  EXPECT_TRUE(needs_two_crashes(small.trial)) << "what it returns still breaks";
}

TEST(ShrinkTrial, AnotherPromiseIsAnotherFind) {
  const Trial drawn = rich_trial();
  const auto other = [](const Trial&) {
    return std::optional(Violation{.promise = "capacity", .what = "", .at = {}});
  };
  const Shrunk small = shrink_trial(drawn, *needs_two_crashes(drawn), other, 100);
  EXPECT_EQ(small.violation.promise, "one place");
  EXPECT_EQ(small.trial.nodes(), drawn.nodes());
}

// A smaller world draws other numbers: what breaks with one seed in three still becomes small.
TEST(ShrinkTrial, TriesOtherSeedsOfASmallerWorld) {
  const auto one_in_three = [](const Trial& trial) {
    const bool breaks = trial.nodes() == 60 || trial.seed % 3 == 0;
    return breaks ? std::optional(Violation{.promise = "capacity", .what = "", .at = {}}) : std::nullopt;
  };
  const Trial drawn = rich_trial();
  const Shrunk small = shrink_trial(drawn, *one_in_three(drawn), one_in_three, 1000);
  EXPECT_EQ(small.trial.nodes(), 1U);
  EXPECT_EQ(small.trial.seed % 3, 0U);
}

}  // namespace
}  // namespace mirab::simulation
