// A user and the hosts of its tasks: proposals, ends, and losses that are made good.

#include <gmock/gmock.h>

#include "overlay/user_of.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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

}  // namespace
}  // namespace mirab::overlay
