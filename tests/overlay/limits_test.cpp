// A peer that can reach a node may send anything from any address: what a node keeps of it is bounded
// (docs/reference/overlay-messages.md, "What a node keeps").

#include <gtest/gtest.h>
#include <limits>

#include <mirab/overlay/central_scheduler.hpp>
#include <mirab/overlay/server.hpp>

#include "overlay/coordinator.hpp"
#include "overlay/gossip.hpp"
#include "overlay/host.hpp"
#include "overlay/membership.hpp"
#include "overlay/said.hpp"
#include "overlay/table_limits.hpp"
#include "overlay/ticks.hpp"
#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

TEST(Limits, ARollThatNobodyReadsForgetsToo) {
  Random random(1);
  Membership roll(10 * kTick);
  for (NodeId server = 0; server < kMaxServers; ++server) roll.enter(at(0), server);
  roll.enter(at(20), kMaxServers);
  EXPECT_EQ(roll.sample_excluding(0, 5, at(20), random), std::vector<NodeId>{kMaxServers})
      << "it found no room";
}

TEST(Limits, ARollHasAnEnd) {
  Random random(1);
  Membership roll(10 * kTick);
  for (NodeId server = 0; server < kMaxServers + 1; ++server) roll.enter(at(1), server);
  EXPECT_EQ(roll.sample_excluding(0, kMaxServers + 5, at(1), random).size(), kMaxServers - 1);
}

TEST(Limits, AHomeThatIsFullAnswersNobodyNew) {
  Coordinator home(OverlayOptions{}, kTick);
  Effects effects;
  const auto submit = [&](NodeId user) {
    effects = {};
    home.on_submit(at(1), {.task = {.id = {user, 1}, .demand = {1}}, .sequence = 1}, effects);
    return effects.sends.size();
  };
  for (NodeId user = 0; user < kMaxUserEntries; ++user) submit(user);
  EXPECT_EQ(submit(kMaxUserEntries), 0U);
  EXPECT_EQ(submit(7), 1U) << "who belongs here is answered as ever";
  home.on_pause(at(1), kMaxUserEntries, {.number = 1, .demand = {1}, .sequence = 1}, effects);
  EXPECT_EQ(home.user_entries().size(), kMaxUserEntries);
}

class FullHost : public testing::Test {
 protected:
  Host host{{kMaxTasks + 10}, at(1), {}, kTick};
  Effects effects;

  ProposalId propose(NodeId user, Duration runtime) {
    effects = {};
    const bool held = host.propose(at(1), {.id = {user, 1}, .demand = {1}, .runtime = runtime}, effects);
    return held ? said<Propose>(effects, user).at(0).proposal : ProposalId{};
  }
  void run(NodeId user, Duration runtime) {
    host.on_message(at(1), user, Accept{1, propose(user, runtime)}, effects);
  }
};

TEST_F(FullHost, HasNoRoomThoughItsCapacityHas) {
  for (NodeId user = 0; user < kMaxTasks; ++user) run(user, {});
  EXPECT_FALSE(host.fits(Amounts{1}));
  EXPECT_EQ(propose(kMaxTasks, {}), ProposalId{});
}

TEST_F(FullHost, DropsTheFirstEndThatNobodyHasSeen) {
  for (NodeId user = 0; user < kMaxTasks; ++user) run(user, user == 5 || user == 9 ? kTick : Duration{});
  host.on_tick(at(5), effects);
  const auto listed = [&](NodeId user) {
    effects = {};
    host.on_message(at(5), user, Renew{1}, effects);
    return !said<Running>(effects, user).at(0).numbers.empty();
  };
  EXPECT_TRUE(listed(5));
  EXPECT_NE(propose(kMaxTasks, {}), ProposalId{});
  EXPECT_FALSE(listed(5));
  EXPECT_TRUE(listed(9)) << "one was enough";
}

TEST(Limits, TheTasksThatWaitUnderProbesHaveAnEnd) {
  Probes probes({1, 2, 3}, 400 * kTick);
  for (NodeId user = 0; user < kMaxProbes; ++user) probes.on_copy(at(0), {.id = {user, 1}, .demand = {2}}, 1);
  Effects effects;
  probes.on_submit(at(0), {.id = {kMaxProbes, 1}, .demand = {1}}, 0, effects);
  EXPECT_TRUE(effects.sends.empty());
  EXPECT_FALSE(probes.next(Amounts{1}));
}

TEST(Limits, AWalkGoesNoFurtherThanAWalkDoesWhateverItSays) {
  OverlayOptions options;
  options.hops = 9;
  Server server({.self = 3, .capacity = {4}, .total = {40}, .bootstrap = 20, .gateway = 21, .tick = kTick},
                Scheduler::pdgdrf, options, at(1));
  Random random(1);
  Effects effects;
  server.on_message(at(1), 20, Peers{{5}}, random, effects);
  const Walk forged{.task = {.id = {7, 1}, .demand = {5}}, .home = 5, .attempt = 1, .hops_left = UINT32_MAX};
  server.on_message(at(1), 5, forged, random, effects);
  EXPECT_EQ(said<Walk>(effects, 5).at(0).hops_left, 8U);
}

TEST(Limits, TheCentreBelievesNoServerThatSaysThatItHasMoreThanItsCapacity) {
  CentralScheduler central({.self = 20, .capacity = {{4}}, .total = {4}, .tick = kTick},
                           Scheduler::centralised_drf, {});
  Effects effects;
  central.on_message(at(1), 0, Free{1, 1, {std::numeric_limits<std::int64_t>::max()}}, effects);
  central.on_message(at(1), 7, Submit{.task = {.id = {7, 1}, .demand = {5}}, .sequence = 1}, effects);
  central.on_tick(at(2), effects);
  EXPECT_TRUE(said<Walk>(effects, 0).empty());
}

TEST(Limits, WhateverSharesComeThePushSumStaysFinite) {
  PushSum push_sum({3}, 2);
  Effects effects;
  const double most = std::numeric_limits<double>::max();
  for (int k = 0; k < 3; ++k) push_sum.on_share({.epoch = 0, .weight = most, .sums = {most}});
  EXPECT_EQ(push_sum.present(), std::vector<double>{3});
}

}  // namespace
}  // namespace mirab::overlay
