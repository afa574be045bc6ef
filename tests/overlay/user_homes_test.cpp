// A user, its homes and the gateway: where its tasks are submitted, and when none is.

#include <gmock/gmock.h>

#include "overlay/user_of.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(UserOf, AsksTheGatewayAndSubmitsItsFirstTaskThere) {
  user.on_start(at(0), effects);
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), ElementsAre(ServerRequest{1, kUser, false}));
  hear(1, kGateway, ServerAnswer{1, kHome});
  const Task task{.id = {kUser, 1}, .demand = {1, 2}, .runtime = {}, .running = 0};
  EXPECT_THAT(said<Submit>(effects, kHome), ElementsAre(Submit{task, 1}));
}

TEST_F(UserOf, AnAnswerToAnOldQuestionIsIgnored) {
  start(0);
  hear(1, kGateway, ServerAnswer{1, kOther});
  EXPECT_EQ(user.home(), kHome);
}

TEST_F(UserOf, ASilentHomeIsLeftForOneThatTheGatewayNames) {
  start(0);
  tick(10);
  EXPECT_THAT(said<Submit>(effects, kHome), SizeIs(1));
  hear(11, kHome, Received{1});
  tick(50);
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), IsEmpty());
  tick(51);
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), ElementsAre(ServerRequest{2, kHome, true}));
  answer_gateway(52, kOther);
  EXPECT_EQ(user.home(), kOther);
  EXPECT_THAT(said<Submit>(effects, kOther), SizeIs(1));
}

TEST_F(UserOf, AHomeThatIsGoneIsLeftAtOnce) {
  start(0);
  hear(1, kHome, Received{1, true});
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), ElementsAre(ServerRequest{2, kHome, true}));
}

TEST_F(UserOf, InAPauseItHasNoTaskAndSaysSoAndGoesOnWithTheSame) {
  start(0);
  effects = {};
  user.pause(at(1), effects);
  EXPECT_EQ(present(), 0U);
  EXPECT_EQ(said<Pause>(effects, kHome).at(0).number, 1U);
  hear(2, kHost, Propose{1, kFirst});
  EXPECT_THAT(said<Reject>(effects, kHost), SizeIs(1));
  effects = {};
  user.resume(at(3), effects);
  EXPECT_EQ(present(), 1U);
}

TEST_F(UserOf, WhatItAcceptedGoesOnInAPause) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  user.pause(at(2), effects);
  hear(3, kHost, Allocated{1, kFirst});
  EXPECT_EQ(user.running(), 1U);
  EXPECT_EQ(present(), 0U);
}

TEST_F(UserOf, AfterItsLastTaskItHasNone) {
  user = with({.self = 0, .gateway = 0, .demand = {}, .tasks = 1});
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  hear(1, kHost, Allocated{1, kFirst});
  EXPECT_EQ(present(), 0U);
  EXPECT_EQ(said<Pause>(effects, kHome).at(0).running, 1U);
}

TEST_F(UserOf, TellsHomesInAnOrderThatTheyCanSee) {
  start(0);
  std::uint64_t last = 1;
  for (int now = 10; now < 100; now += 10) {
    tick(now);
    const std::vector<Submit> submits = said<Submit>(effects, kHome);
    if (submits.empty()) continue;
    EXPECT_GT(submits[0].sequence, last);
    last = submits[0].sequence;
  }
  EXPECT_GT(last, 5U);
}

}  // namespace
}  // namespace mirab::overlay
