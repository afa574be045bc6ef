// One server, told what others say to it: what it says and does, whatever the rule.

#include <algorithm>
#include <limits>

#include "overlay/one_server.hpp"

namespace mirab::overlay {
namespace {

OverlayOptions climbing() {
  OverlayOptions options;
  options.rise = Rise::climb;
  return options;
}

// Eq. 4.2.
TEST_F(OneServer, ItsUtilityIsLessTheShareOfItsPoorestUser) {
  Server one = server(Scheduler::dgdrf);
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity());
  submit(one, 5, 2);
  EXPECT_DOUBLE_EQ(one.utility(), -0.1);
}

TEST_F(OneServer, HostsOnItselfFirst) {
  Server one = server(Scheduler::pdgdrf);
  submit(one, 5);
  tick(one);
  ASSERT_TRUE(sent<Propose>());
  EXPECT_EQ(sent<Propose>()->first, kUser);
  EXPECT_EQ(one.free()[0], 5);
  EXPECT_DOUBLE_EQ(one.utility(), -0.05) << "a proposal counts in the share";
}

// 4.3: "Random walk of tasks does not change the receiving nodes minimum dominant share".
TEST_F(OneServer, ATaskThatWalksDoesNotCountUntilItIsPlaced) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, kBootstrap, Peers{{7}});
  submit(one, 11);
  tick(one);
  ASSERT_TRUE(sent<Walk>());
  const auto [to, walk] = *sent<Walk>();
  EXPECT_EQ(to, 7U);
  EXPECT_EQ(one.utility(), 0);
  hear(one, 8, Placed{.task = walk.task.id, .attempt = walk.attempt});
  EXPECT_DOUBLE_EQ(one.utility(), -0.11);
}

TEST_F(OneServer, AWalkWithoutHopsThatDoesNotFitIsReportedToItsHome) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, 7, Walk{.task = {.id = {kUser, 1}, .demand = {11}}, .home = 6, .attempt = 3, .hops_left = 0});
  EXPECT_EQ(sent<NoRoom>()->first, 6U);
  EXPECT_EQ(sent<NoRoom>()->second.attempt, 3U);
}

TEST_F(OneServer, ARisingUtilityClimbsAtOnceWhenThatIsChosen) {
  Server one = server(Scheduler::pdgdrf, climbing());
  hear(one, 1, told({{.node = 1, .utility = -0.2}, {.node = 2, .utility = -0.1}}));
  submit(one, 5, 1);
  ASSERT_TRUE(sent<Climb>());
  EXPECT_EQ(sent<Climb>()->first, 2U) << "to the best of its neighbours";
  EXPECT_EQ(sent<Climb>()->second.risen.node, kSelf);
  tick(one);
  EXPECT_FALSE(sent<Climb>());
}

TEST_F(OneServer, NewsThatClimbIsLearntAndHandedOnUpwardsOnly) {
  Server one = server(Scheduler::pdgdrf, climbing());
  submit(one, 5, 1);
  hear(one, 1, told({{.node = 1, .utility = -0.01}}));
  hear(one, 9, Climb{.risen = {.node = 9, .utility = -0.5}});
  EXPECT_EQ(sent<Climb>()->first, 1U);
  EXPECT_EQ(sent<Climb>()->second.hops, 1U);
  EXPECT_TRUE(std::ranges::any_of(one.view(), [](const Descriptor& entry) { return entry.node == 9; }));
  hear(one, 8, Climb{.risen = {.node = 8, .utility = 0}});
  EXPECT_FALSE(sent<Climb>()) << "the best it knows is the risen one";
}

TEST_F(OneServer, LeavingInPeaceItTellsItsUsersAndTakesNoTaskAnyMore) {
  Server one = server(Scheduler::pdgdrf);
  submit(one, 5);
  effects = {};
  one.leave(now, effects);
  EXPECT_TRUE(sent<Register>()->second.leaving);
  EXPECT_TRUE(sent<Received>()->second.gone);
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity());
  hear(one, 7, Walk{.task = {.id = {kUser, 2}, .demand = {1}}, .home = 6, .hops_left = 0});
  EXPECT_TRUE(sent<NoRoom>());
  submit(one, 5);
  EXPECT_TRUE(sent<Received>()->second.gone);
  tick(one);
  EXPECT_FALSE(sent<Propose>());
}

// Else its views, which age no more, would bring old news back without end.
TEST_F(OneServer, HavingLeftItAnswersNoGossip) {
  Server one = server(Scheduler::dgdrf);
  const auto answers = [&] {
    hear(one, 1, GradientRequest{.offered = {{.node = 1}}});
    const std::size_t before = effects.sends.size();
    hear(one, 1, PeerRequest{.offered = {{.node = 1}}});
    return before + effects.sends.size();
  };
  EXPECT_EQ(answers(), 2U);
  one.leave(now, effects);
  EXPECT_EQ(answers(), 0U);
}

TEST_F(OneServer, WhoLeftIsForgotten) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, 1, told({{.node = 1, .utility = -0.2}}));
  ASSERT_EQ(one.view().size(), 1U);
  hear(one, 1, Register{.leaving = true});
  EXPECT_TRUE(one.view().empty());
}

TEST_F(OneServer, RegistersBeforeItIsForgotten) {
  Server one = server(Scheduler::pdgdrf);
  one.on_start(effects);
  EXPECT_EQ(effects.sends.size(), 2U);
  const std::uint32_t remembered = OverlayOptions{}.patience.user;
  std::uint32_t said = 0;
  for (std::uint32_t ticks = 0; ticks < remembered; ++ticks) {
    tick(one);
    said += sent<Register>() ? 1 : 0;
  }
  EXPECT_EQ(said, 4U);
}

TEST_F(OneServer, AMessageThatMakesNoSenseHereIsIgnored) {
  Server one = server(Scheduler::pdgdrf);
  for (const Message& message : {Message{Propose{}}, Message{ServerAnswer{}}, Message{ConfirmAnswer{}}})
    hear(one, 7, message);
  EXPECT_TRUE(effects.sends.empty());
  hear(one, kUser, Submit{.task = {.id = {kUser, 1}, .demand = {1, 1}}, .sequence = 1});
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity()) << "a demand of two resources";
}

}  // namespace
}  // namespace mirab::overlay
