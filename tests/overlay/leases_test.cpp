#include <gmock/gmock.h>

#include "overlay/user_state.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr NodeId kHost = 3;

Time second_of(int second) { return Time(kSecond * second); }

// A lease of 100 s, said again after 10 s, and no message is taken after 20 s.
Leases leases() { return {100 * kSecond, 10 * kSecond, 20 * kSecond}; }

TEST(Leases, AreRenewedWhenAQuarterHasPassed) {
  Leases all = leases();
  all.said(second_of(0), kHost);
  all.heard(kHost);
  EXPECT_THAT(all.due(second_of(24)).renew, IsEmpty());
  EXPECT_THAT(all.due(second_of(25)).renew, ElementsAre(kHost));
}

// A host that takes task after task of the user: it may have stopped others while it heard nothing.
TEST(Leases, AHostToWhichMuchIsSaidIsAskedEveryQuarterAllTheSame) {
  Leases all = leases();
  std::vector<int> asked;
  for (int now = 0; now < 80; ++now) {
    if (!all.due(second_of(now)).renew.empty()) asked.push_back(now);
    all.said(second_of(now), kHost);
    if (now % 2 == 0) all.heard(kHost);
  }
  EXPECT_THAT(asked, ElementsAre(25, 50, 75));
}

TEST(Leases, WhatIsNotAnsweredIsSaidAgainForOneLeaseAndThenNoMore) {
  Leases all = leases();
  for (int now = 0; now < 100; now += 10) {
    EXPECT_TRUE(all.may_send(second_of(now), kHost));
    all.said(second_of(now), kHost);
    EXPECT_THAT(all.due(second_of(now + 9)).renew, IsEmpty());
    if (now < 90) {
      EXPECT_THAT(all.due(second_of(now + 10)).renew, ElementsAre(kHost));
    }
  }
  EXPECT_FALSE(all.may_send(second_of(100), kHost));
  EXPECT_THAT(all.due(second_of(100)).renew, IsEmpty());
}

// Perhaps only the answers were lost: the host may have heard the last, at the last moment.
TEST(Leases, AHostIsGivenUpWhenTheLastThingSaidHasRunOutEvenIfItCameAsLateAsItMay) {
  Leases all = leases();
  for (int now = 0; now < 100; now += 10) all.said(second_of(now), kHost);
  EXPECT_THAT(all.due(second_of(90 + 20 + 100)).give_up, IsEmpty());
  EXPECT_THAT(all.due(second_of(90 + 20 + 100) + Duration(1)).give_up, ElementsAre(kHost));
  EXPECT_THAT(all.due(second_of(1000)).give_up, IsEmpty()) << "once";
}

TEST(Leases, AnAnswerKeepsTheHost) {
  Leases all = leases();
  all.said(second_of(0), kHost);
  all.heard(kHost);
  EXPECT_TRUE(all.may_send(second_of(500), kHost));
  EXPECT_THAT(all.due(second_of(500)).give_up, IsEmpty());
}

TEST(Leases, OfNoLengthAreNone) {
  Leases none(Duration::zero(), 10 * kSecond, 20 * kSecond);
  none.said(second_of(0), kHost);
  EXPECT_THAT(none.due(second_of(100'000)).give_up, IsEmpty());
  EXPECT_THAT(none.due(second_of(100'000)).renew, IsEmpty());
  EXPECT_TRUE(none.may_send(second_of(100'000), kHost));
}

TEST(Leases, AreForgottenWithTheTasks) {
  Leases all = leases();
  all.said(second_of(0), kHost);
  all.forget(kHost);
  EXPECT_THAT(all.due(second_of(1000)).give_up, IsEmpty());
}

}  // namespace
}  // namespace mirab::overlay
