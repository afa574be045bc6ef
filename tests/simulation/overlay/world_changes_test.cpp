// What is planned to happen to servers, the network and users happens then, and to them.
#include <array>
#include <gmock/gmock.h>
#include <set>

#include "simulation/overlay/small_world.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::Scheduler;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(World, AServerWithoutMemoryIsGoneUntilItComesBackAsANewOne) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.faults.crashes = {{.at = seconds(2), .node = 4, .back = seconds(3), .memory = Memory::lost}};
  SmallWorld small(scenario);
  const World& world = small.world;
  std::vector<std::pair<Time, ServerEvent>> fates;
  small.world.watch({.server_event = [&](Time now, NodeId server, ServerEvent server_event) {
    if (server == 4) fates.emplace_back(now, server_event);
  }});
  small.world.run_until(world.first_tick() + seconds(2));
  EXPECT_LT(world.server(4)->free()[0], 10) << "something runs there";
  small.world.run_until(world.first_tick() + milliseconds(2500));
  EXPECT_EQ(world.server(4), nullptr);
  EXPECT_FALSE(world.up(4));
  small.world.run_until(world.first_tick() + seconds(3) + Duration(1));
  ASSERT_NE(world.server(4), nullptr);
  EXPECT_EQ(world.server(4)->free()[0], 10);
  EXPECT_THAT(fates, testing::ElementsAre(std::pair(Time{}, ServerEvent::started),
                                          std::pair(world.first_tick() + seconds(2), ServerEvent::died),
                                          std::pair(world.first_tick() + seconds(3), ServerEvent::started)));
}

TEST(World, AServerThatKeepsItsMemoryIsSilentUntilItIsBack) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.faults.crashes = {{.at = seconds(2), .node = 4, .back = seconds(3)}};
  SmallWorld small(scenario);
  const World& world = small.world;
  std::int64_t events = 0;
  small.world.watch({.after_event = [&](Time, NodeId node) { events += node == 4 ? 1 : 0; }});
  small.world.run_until(world.first_tick() + seconds(2) + Duration(1));
  const std::int64_t free = world.server(4)->free()[0];
  const std::int64_t before = events;
  small.world.run_until(world.first_tick() + seconds(3));
  EXPECT_EQ(events, before);
  EXPECT_FALSE(world.up(4));
  small.world.run_until(world.first_tick() + seconds(3) + Duration(1));
  EXPECT_TRUE(world.up(4));
  EXPECT_LT(free, 10);
  EXPECT_EQ(world.server(4)->free()[0], free);
}

TEST(World, UsersThatAreCutOffHearNothing) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.faults.partitions = {{.from = seconds(1), .to = seconds(3), .users = 0.4}};
  SmallWorld small(scenario);
  std::set<NodeId> heard;
  small.world.watch({.message = [&](Time now, const overlay::AddressedMessage& letter) {
    const Duration since = now - small.world.first_tick();
    if (small.roster.is_user(letter.to) && since >= seconds(1) && since < seconds(3)) heard.insert(letter.to);
  }});
  small.world.run_until(small.world.first_tick() + seconds(3));
  EXPECT_EQ(heard.size(), 3U) << "of five";
}

// Servers register in ticks 1 … 19 and 50 of every 50; under probes users ask for every task.
TEST(World, AGatewayThatStartsAnewNamesNobodyUntilAServerRegisters) {
  OverlayScenario scenario = small_scenario(Scheduler::probes);
  scenario.rules[0].options.patience.user = 200;
  scenario.faults.restarts = {{.at = milliseconds(2500)}};
  scenario.runtime = seconds(1);
  SmallWorld small(scenario);
  std::array<std::int64_t, 3> answers{};  // before, until servers register, and then
  small.world.watch({.message = [&](Time now, const overlay::AddressedMessage& letter) {
    if (letter.from != small.roster.gateway()) return;
    const Duration since = now - small.world.first_tick();
    ++answers[since < milliseconds(2510) ? 0 : since < milliseconds(4900) ? 1 : 2];
  }});
  small.world.run_until(small.world.first_tick() + seconds(8));
  EXPECT_GT(answers[0], 0);
  EXPECT_EQ(answers[1], 0);
  EXPECT_GT(answers[2], 0);
}

TEST(World, AServerThatJoinsIsNotThereBefore) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.faults.joins = {{.at = seconds(1), .node = 0}};
  SmallWorld small(scenario);
  small.world.run_until(small.world.first_tick() + seconds(1));
  EXPECT_EQ(small.world.server(0), nullptr);
  small.world.run_until(small.world.first_tick() + seconds(3));
  ASSERT_NE(small.world.server(0), nullptr);
  EXPECT_FALSE(small.world.server(0)->peers().empty());
}

TEST(World, ASlowServerTicksLessOften) {
  OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
  scenario.ticks = Ticks::in_step;
  scenario.faults.slow = {{.from = seconds(1), .to = seconds(5), .node = 2, .factor = 4}};
  SmallWorld small(scenario);
  std::array<std::int64_t, 2> ticks{};  // of server 2, and of another
  small.world.watch({.after_event = [&](Time now, NodeId node) {
    const Duration since = now - small.world.first_tick();
    if (since < seconds(1) || since >= seconds(5) || since % milliseconds(100) != Duration{}) return;
    if (node == 2 || node == 3) ++ticks[node - 2];
  }});
  small.world.run_until(small.world.first_tick() + seconds(5));
  EXPECT_EQ(ticks[1], 2 * 40) << "a tick and a shuffle every 100 ms";
  EXPECT_NEAR(static_cast<double>(ticks[0]), 2 * 10, 2);
}

}  // namespace
}  // namespace mirab::simulation
