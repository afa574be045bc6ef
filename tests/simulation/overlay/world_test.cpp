#include "lab/simulation/overlay/world.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay/record.hpp"
#include "simulation/overlay/small_world.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::Scheduler;
using std::chrono::milliseconds;
using std::chrono::seconds;

using Heard = std::tuple<Time, NodeId, NodeId, std::size_t>;

std::vector<Heard> heard_in(OverlayScenario scenario, std::uint64_t seed) {
  scenario.faults.loss = 0.05;
  scenario.faults.duplicate = 0.05;
  scenario.faults.reorder = 0.05;
  scenario.faults.crashes = {{.at = seconds(1), .node = 3, .back = seconds(2), .memory = Memory::lost}};
  SmallWorld small(scenario, seed);
  std::vector<Heard> heard;
  small.world.watch({.message = [&](Time now, const overlay::AddressedMessage& letter) {
    heard.emplace_back(now, letter.from, letter.to, letter.message.index());
  }});
  small.world.run_until(small.world.first_tick() + seconds(5));
  return heard;
}

TEST(World, TheSameSeedGivesTheSameMessagesAndAnotherSeedOthers) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    const OverlayScenario scenario = small_scenario(row.scheduler);
    const std::vector<Heard> once = heard_in(scenario, 7);
    EXPECT_GT(once.size(), 100U) << row.name;
    EXPECT_EQ(heard_in(scenario, 7), once) << row.name;
    EXPECT_NE(heard_in(scenario, 8), once) << row.name;
  }
}

TEST(World, NobodyIsServedBeforeTheFirstTickAndThenEveryUserHasAHome) {
  SmallWorld small(small_scenario(Scheduler::dgdrf));
  bool served = false;
  small.world.watch({.fact = [&](Time, NodeId, const overlay::Fact& fact) {
    served |= std::holds_alternative<overlay::Served>(fact);
  }});
  small.world.run_until(small.world.first_tick());
  EXPECT_FALSE(served);
  for (NodeId n = 0; n < small.roster.users(); ++n)
    EXPECT_TRUE(small.world.user(small.roster.user(n)).home().has_value());
  small.world.run_until(small.world.first_tick() + seconds(1));
  EXPECT_TRUE(served);
}

TEST(World, InStepAllServersTickAtTheSameTimeStaggeredEachAtItsOwn) {
  for (const Ticks ticks : {Ticks::in_step, Ticks::staggered}) {
    OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
    scenario.ticks = ticks;
    SmallWorld small(scenario);
    std::set<NodeId> at_first_tick;
    small.world.watch({.after_event = [&](Time now, NodeId node) {
      if (now == small.world.first_tick() && small.roster.is_server(node)) at_first_tick.insert(node);
    }});
    small.world.run_until(small.world.first_tick() + milliseconds(1));
    EXPECT_EQ(at_first_tick.size(), ticks == Ticks::in_step ? 20U : 0U);
  }
}

// Seen from the letters: when they were sent, by the sender's clock, and the true time when they are taken.
TEST(World, ClocksDifferByUpToTheSkew) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.latency = {.min = milliseconds(1), .max = milliseconds(1)};
  scenario.wire.skew = milliseconds(500);
  SmallWorld small(scenario);
  std::map<NodeId, std::set<Duration>> ahead;
  Duration least = Duration::max(), most = Duration::min();
  small.world.watch({.message = [&](Time now, const overlay::AddressedMessage& letter) {
    const Duration found = std::chrono::round<milliseconds>(letter.sent + milliseconds(1) - now +
                                                            std::chrono::microseconds(500));
    ahead[letter.from].insert(found);
    least = std::min(least, found);
    most = std::max(most, found);
  }});
  small.world.run_until(small.world.first_tick() + seconds(3));
  EXPECT_EQ(ahead.size(), small.roster.nodes() - 1) << "all but the central server";
  for (const auto& [node, found] : ahead)
    EXPECT_LE(*found.rbegin() - *found.begin(), milliseconds(1)) << node;
  EXPECT_GT(most - least, milliseconds(300));
  EXPECT_LE(most - least, milliseconds(500));
  EXPECT_EQ(small.world.network().losses().dropped, Losses{}.dropped);
}

// The supervisor of a server's tasks goes by the server's clock; observers get the true time.
TEST(World, TheEndOfALeaseIsToldInTrueTime) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.wire.skew = seconds(1);
  scenario.rules[0].options.patience.lease = 40;
  SmallWorld small(scenario);
  std::int64_t leases = 0;
  small.world.watch({.fact = [&](Time now, NodeId, const overlay::Fact& fact) {
    const auto* leased = std::get_if<overlay::Leased>(&fact);
    if (leased == nullptr) return;
    ++leases;
    EXPECT_EQ(leased->until, now + 40 * scenario.tick);
  }});
  small.world.run_until(small.world.first_tick() + seconds(3));
  EXPECT_GT(leases, 0);
}

TEST(World, NoServerIsEverOverItsCapacityAndNoTaskRunsTwice) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    OverlayScenario scenario = small_scenario(row.scheduler);
    scenario.faults.loss = 0.1;
    scenario.faults.duplicate = 0.1;
    scenario.faults.reorder = 0.1;
    SmallWorld small(scenario);
    Ledger ledger(small.roster);
    std::set<overlay::TaskId> running;
    small.world.watch({.fact = [&](Time, NodeId node, const overlay::Fact& fact) {
      ledger.on_fact(node, fact);
      if (const auto* started = std::get_if<overlay::Started>(&fact)) {
        EXPECT_TRUE(running.insert(started->task).second) << row.name;
        for (const std::int64_t free : ledger.free(node)) EXPECT_GE(free, 0) << row.name;
      }
    }});
    small.world.run_until(small.world.first_tick() + seconds(20));
    EXPECT_GT(running.size(), 5U) << row.name;
  }
}

TEST(World, EveryTaskHasARunTimeOfItsOwnAlsoAfterAnotherWasLost) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.runtime = seconds(10);
  for (std::uint32_t node = 0; node < 10; ++node)
    scenario.faults.crashes.push_back(
        {.at = seconds(2), .node = node, .back = seconds(3), .memory = Memory::lost});
  scenario.rules[0].options.patience.lease = 40;
  SmallWorld small(scenario);
  std::map<overlay::TaskId, Duration> runtimes;
  std::int64_t lost = 0;
  small.world.watch({.fact =
                         [&](Time, NodeId, const overlay::Fact& fact) {
                           if (std::holds_alternative<overlay::Lost>(fact)) ++lost;
                         },
                     .message =
                         [&](Time, const overlay::AddressedMessage& letter) {
                           const auto* submit = std::get_if<overlay::Submit>(&letter.message);
                           if (submit == nullptr) return;
                           const auto& [task, runtime] =
                               *runtimes.emplace(submit->task.id, submit->task.runtime).first;
                           EXPECT_EQ(submit->task.runtime, runtime) << "task " << task.number;
                         }});
  small.world.run_until(small.world.first_tick() + seconds(20));
  ASSERT_GT(lost, 3);
  std::set<Duration> drawn;
  for (const auto& [task, runtime] : runtimes)
    EXPECT_TRUE(drawn.insert(runtime).second) << "task " << task.number << " of " << task.user;
}

// By user and number, however many tasks a user comes to between two of its ticks.
TEST(World, RunTimesAreTheSameWhoeverSchedules) {
  std::map<overlay::TaskId, Duration> runtimes;
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    OverlayScenario scenario = small_scenario(row.scheduler);
    scenario.runtime = milliseconds(200);
    SmallWorld small(scenario);
    std::set<overlay::TaskId> submitted;
    small.world.watch({.message = [&](Time, const overlay::AddressedMessage& letter) {
      const auto* submit = std::get_if<overlay::Submit>(&letter.message);
      if (submit == nullptr) return;
      const overlay::Task& task = submit->task;
      EXPECT_EQ(runtimes.emplace(task.id, task.runtime).first->second, task.runtime) << row.name;
      submitted.insert(task.id);
    }});
    small.world.run_until(small.world.first_tick() + seconds(10));
    EXPECT_GT(submitted.size(), 20U) << row.name;
  }
}

TEST(World, TasksThatHaveARunTimeEndByThemselves) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.runtime = seconds(1);
  SmallWorld small(scenario);
  std::int64_t ended = 0, others = 0;
  small.world.watch({.fact = [&](Time, NodeId, const overlay::Fact& fact) {
    if (const auto* stopped = std::get_if<overlay::Stopped>(&fact)) ++(stopped->by_itself ? ended : others);
  }});
  small.world.run_until(small.world.first_tick() + seconds(20));
  EXPECT_GT(ended, 100);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace mirab::simulation
