#include "overlay/leases.hpp"

#include <gmock/gmock.h>

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr NodeId kHost = 3;

Time at(int second) { return Time(kSecond * second); }

// A lease of 100 s, said again after 10 s, and no message is taken after 20 s.
Leases leases() { return {100 * kSecond, 10 * kSecond, 20 * kSecond}; }

TEST(Leases, AreRenewedWhenAQuarterHasPassed) {
  Leases all = leases();
  all.said(at(0), kHost);
  all.heard(kHost);
  EXPECT_THAT(all.due(at(24)).renew, IsEmpty());
  EXPECT_THAT(all.due(at(25)).renew, ElementsAre(kHost));
}

// A host that takes task after task of the user: it may have stopped others while it heard nothing.
TEST(Leases, AHostToWhichMuchIsSaidIsAskedEveryQuarterAllTheSame) {
  Leases all = leases();
  std::vector<int> asked;
  for (int now = 0; now < 80; ++now) {
    if (!all.due(at(now)).renew.empty()) asked.push_back(now);
    all.said(at(now), kHost);
    if (now % 2 == 0) all.heard(kHost);
  }
  EXPECT_THAT(asked, ElementsAre(25, 50, 75));
}

TEST(Leases, WhatIsNotAnsweredIsSaidAgainForOneLeaseAndThenNoMore) {
  Leases all = leases();
  for (int now = 0; now < 100; now += 10) {
    EXPECT_TRUE(all.may_say(at(now), kHost));
    all.said(at(now), kHost);
    EXPECT_THAT(all.due(at(now + 9)).renew, IsEmpty());
    if (now < 90) {
      EXPECT_THAT(all.due(at(now + 10)).renew, ElementsAre(kHost));
    }
  }
  EXPECT_FALSE(all.may_say(at(100), kHost));
  EXPECT_THAT(all.due(at(100)).renew, IsEmpty());
}

// Perhaps only the answers were lost: the host may have heard the last, at the last moment.
TEST(Leases, AHostIsGivenUpWhenTheLastThingSaidHasRunOutEvenIfItCameAsLateAsItMay) {
  Leases all = leases();
  for (int now = 0; now < 100; now += 10) all.said(at(now), kHost);
  EXPECT_THAT(all.due(at(90 + 20 + 100)).give_up, IsEmpty());
  EXPECT_THAT(all.due(at(90 + 20 + 100) + Duration(1)).give_up, ElementsAre(kHost));
  EXPECT_THAT(all.due(at(1000)).give_up, IsEmpty()) << "once";
}

TEST(Leases, AnAnswerKeepsTheHost) {
  Leases all = leases();
  all.said(at(0), kHost);
  all.heard(kHost);
  EXPECT_TRUE(all.may_say(at(500), kHost));
  EXPECT_THAT(all.due(at(500)).give_up, IsEmpty());
}

TEST(Leases, OfNoLengthAreNone) {
  Leases none(Duration::zero(), 10 * kSecond, 20 * kSecond);
  none.said(at(0), kHost);
  EXPECT_THAT(none.due(at(100'000)).give_up, IsEmpty());
  EXPECT_THAT(none.due(at(100'000)).renew, IsEmpty());
  EXPECT_TRUE(none.may_say(at(100'000), kHost));
}

TEST(Leases, AreForgottenWithTheTasks) {
  Leases all = leases();
  all.said(at(0), kHost);
  all.forget(kHost);
  EXPECT_THAT(all.due(at(1000)).give_up, IsEmpty());
}

}  // namespace
}  // namespace mirab::overlay
