#include <gmock/gmock.h>
#include <string>

#include <mirab/overlay/user.hpp>

#include "overlay/said.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration kTick = std::chrono::milliseconds(100);
constexpr NodeId kUser = 7, kGateway = 9, kHome = 1, kHost = 2, kOther = 3;
constexpr ProposalId kFirst{50, 1}, kSecond{60, 1};

Time at(int tick) { return Time(kTick * tick); }

// A user that says again after 10 ticks, leaves a home that is silent for 40, and gives leases of 100 where
// messages live for 20.
class UserOf : public testing::Test {
 protected:
  User user = with({});
  Effects effects;

  static User with(UserSetting setting, std::uint32_t lease = 100) {
    setting.self = kUser;
    setting.gateway = kGateway;
    setting.demand = {1, 2};
    setting.tick = kTick;
    return User(setting, {.again = 10, .home = 40, .lease = lease}, 20 * kTick);
  }
  void start(int tick) {
    effects = {};
    user.on_start(at(tick), effects);
    answer_gateway(tick, kHome);
  }
  // Answers the last question, if there is one.
  void answer_gateway(int tick, NodeId home) {
    const std::vector<ServerRequest> requests = said<ServerRequest>(effects, kGateway);
    if (!requests.empty()) hear(tick, kGateway, ServerAnswer{requests.back().request, home});
  }
  void hear(int tick, NodeId from, const Message& message) {
    effects = {};
    user.on_message(at(tick), from, message, effects);
  }
  void tick(int tick) {
    effects = {};
    user.on_tick(at(tick), effects);
  }
  void placed(int tick, std::uint64_t number, NodeId host, ProposalId proposal) {
    hear(tick, host, Propose{number, proposal});
    hear(tick, host, Allocated{number, proposal});
    answer_gateway(tick, kHome);
  }
  std::uint64_t present() const { return user.present() ? user.present()->number : 0; }
};

TEST_F(UserOf, AsksTheGatewayAndSubmitsItsFirstTaskThere) {
  user.on_start(at(0), effects);
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), ElementsAre(ServerRequest{1, kUser, false}));
  hear(1, kGateway, ServerAnswer{1, kHome});
  const Task task{.id = {kUser, 1}, .demand = {1, 2}, .runtime = {}, .running = 0};
  EXPECT_THAT(said<Submit>(effects, kHome), ElementsAre(Submit{task, 1}));
}

// Two new tasks come without a tick of the user between them, and then one that is owed.
TEST_F(UserOf, ATaskHasTheRunTimeOfItsNumberWheneverItIsSubmitted) {
  user =
      with({.demand = {}, .runtime = [](std::uint64_t number) { return static_cast<int>(number) * kTick; }});
  const auto submitted = [&] { return said<Submit>(effects, kHome).at(0).task; };
  start(0);
  EXPECT_EQ(submitted().runtime, 1 * kTick);
  placed(1, 1, kOther, {50, 1});
  EXPECT_EQ(submitted().runtime, 2 * kTick);
  placed(1, 2, kOther, {50, 2});
  EXPECT_EQ(submitted().runtime, 3 * kTick);
  hear(2, kOther, Refused{1, {50, 1}});
  placed(3, 3, kOther, {50, 3});
  EXPECT_EQ(submitted().id.number, 1U);
  EXPECT_EQ(submitted().runtime, 1 * kTick);
}

TEST_F(UserOf, AnAnswerToAnOldQuestionIsIgnored) {
  start(0);
  hear(1, kGateway, ServerAnswer{1, kOther});
  EXPECT_EQ(user.home(), kHome);
}

// Algorithm 3.
TEST_F(UserOf, AcceptsTheFirstProposalAndRejectsOthers) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  EXPECT_THAT(said<Accept>(effects, kHost), ElementsAre(Accept{1, kFirst}));
  hear(1, kOther, Propose{1, kSecond});
  EXPECT_THAT(said<Reject>(effects, kOther), ElementsAre(Reject{1, kSecond}));
  EXPECT_THAT(said<Accept>(effects, kOther), IsEmpty());
  hear(1, kHost, Propose{1, kFirst});
  EXPECT_THAT(effects.sends, IsEmpty()) << "twice is as once";
}

TEST_F(UserOf, WhenItsTaskRunsItAsksTheGatewayForTheNext) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  hear(2, kHost, Allocated{1, kFirst});
  EXPECT_THAT(said<ServerRequest>(effects, kGateway), ElementsAre(ServerRequest{2, kHome, false}));
  EXPECT_EQ(user.running(), 1U);
  answer_gateway(3, kHome);
  EXPECT_EQ(said<Submit>(effects, kHome).at(0).task.running, 1U);
  EXPECT_EQ(present(), 2U);
  hear(4, kHost, Propose{1, kFirst});
  EXPECT_THAT(said<Accept>(effects, kHost), IsEmpty());
}

TEST_F(UserOf, SaysItsAcceptAgainUntilItIsAnswered) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  tick(10);
  EXPECT_THAT(said<Accept>(effects, kHost), IsEmpty());
  tick(11);
  EXPECT_THAT(said<Accept>(effects, kHost), SizeIs(1));
  hear(12, kHost, Refused{1, kFirst});
  tick(30);
  EXPECT_THAT(said<Accept>(effects, kHost), IsEmpty());
}

TEST_F(UserOf, AfterARefusalItIsFreeToAcceptAnother) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  hear(2, kHost, Refused{1, kSecond});
  hear(2, kOther, Refused{1, kFirst});
  hear(3, kOther, Propose{1, kSecond});
  EXPECT_THAT(said<Accept>(effects, kOther), IsEmpty()) << "those were not of this proposal";
  hear(4, kHost, Refused{1, kFirst});
  EXPECT_THAT(said<Submit>(effects, kHome), SizeIs(1));
  hear(5, kOther, Propose{1, kSecond});
  EXPECT_THAT(said<Accept>(effects, kOther), SizeIs(1));
}

TEST_F(UserOf, WithoutLeasesItWaitsForItsHostForEver) {
  user = with({}, 0);
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  tick(100'000);
  EXPECT_THAT(said<Accept>(effects, kHost), SizeIs(1));
  hear(100'001, kOther, Propose{1, kSecond});
  EXPECT_THAT(said<Reject>(effects, kOther), SizeIs(1));
}

TEST_F(UserOf, ATaskThatEndedIsOverOnceAndItsEndIsSeenEveryTime) {
  start(0);
  placed(1, 1, kHost, kFirst);
  hear(5, kHost, Ended{1, kFirst});
  EXPECT_EQ(user.running(), 0U);
  EXPECT_THAT(facts<Over>(effects), SizeIs(1));
  EXPECT_THAT(said<EndSeen>(effects, kHost), ElementsAre(EndSeen{1, kFirst}));
  EXPECT_EQ(said<Submit>(effects, kHome).at(0).task.running, 0U) << "its share fell";
  hear(6, kHost, Ended{1, kFirst});
  EXPECT_THAT(facts<Over>(effects), IsEmpty());
  EXPECT_THAT(said<EndSeen>(effects, kHost), SizeIs(1));
}

TEST_F(UserOf, ATaskThatEndedBeforeItsUserKnewThatItRanIsOver) {
  start(0);
  hear(1, kHost, Propose{1, kFirst});
  hear(5, kHost, Ended{1, kFirst});
  EXPECT_THAT(facts<Over>(effects), SizeIs(1));
  EXPECT_EQ(present(), 2U);
}

TEST_F(UserOf, ATaskThatItsHostLostIsSubmittedAgainUnderItsNumber) {
  start(0);
  placed(1, 1, kHost, kFirst);
  placed(2, 2, kOther, kSecond);
  tick(26);
  EXPECT_THAT(said<Renew>(effects, kHost), ElementsAre(Renew{1}));
  hear(27, kHost, Running{1, kFirst.incarnation, {1}});
  EXPECT_EQ(user.running(), 2U);
  hear(28, kHost, Running{1, kFirst.incarnation + 10, {}});
  EXPECT_THAT(facts<Lost>(effects), SizeIs(1));
  EXPECT_EQ(user.running(), 1U);
  EXPECT_EQ(present(), 3U);
  EXPECT_EQ(user.owed(), 1U);
  placed(29, 3, kOther, {60, 2});
  EXPECT_EQ(present(), 1U);
}

// The list was made before the host heard the Accept.
TEST_F(UserOf, AnAnswerOlderThanTheNewsThatATaskRunsDoesNotLoseIt) {
  start(0);
  placed(1, 1, kHost, kFirst);
  tick(26);
  placed(26, 2, kHost, {50, 2});
  hear(27, kHost, Running{1, kFirst.incarnation, {1}});
  EXPECT_EQ(user.running(), 2U);
  tick(51);
  hear(52, kHost, Running{said<Renew>(effects, kHost).at(0).round, kFirst.incarnation, {1}});
  EXPECT_EQ(user.running(), 1U);
}

TEST_F(UserOf, AHostThatStaysSilentIsGivenUpWhenItsLeaseIsSurelyOver) {
  start(0);
  placed(1, 1, kHost, kFirst);
  int last = 0;
  for (int now = 2; now <= 400 && user.running() > 0; ++now) {
    tick(now);
    if (!said<Renew>(effects, kHost).empty()) last = now;
  }
  EXPECT_EQ(user.running(), 0U);
  EXPECT_EQ(user.owed(), 1U);
  EXPECT_EQ(last, 116) << "a quarter of a lease, then a whole one, but for the last 10 ticks";
  hear(last + 120, kHost, Propose{1, {70, 1}});
  EXPECT_THAT(said<Accept>(effects, kHost), IsEmpty()) << "task 2 is present";
}

TEST_F(UserOf, ARefusalOfATaskThatRanMeansThatItWasStopped) {
  start(0);
  placed(1, 1, kHost, kFirst);
  hear(5, kHost, Refused{1, kFirst});
  EXPECT_THAT(facts<Lost>(effects), SizeIs(1));
  EXPECT_THAT(said<EndSeen>(effects, kHost), SizeIs(1));
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
