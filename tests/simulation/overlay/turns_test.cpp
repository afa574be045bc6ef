// Wrong turns by hand: two users, each of whose tasks is a quarter of the cluster (Östman, 5.3).
#include <gmock/gmock.h>

#include "lab/simulation/overlay/record.hpp"
#include "simulation/overlay/small_roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::Idle;
using overlay::NodeId;
using overlay::Served;
using overlay::Started;
using overlay::Stopped;
using overlay::Stuck;
using overlay::Unserved;
using testing::ElementsAre;

overlay::OverlayOptions where_the_stuck_leave() {
  overlay::OverlayOptions options;
  options.stuck = Stuck::leave;
  return options;
}

overlay::OverlayOptions where_the_idle_are_skipped() {
  overlay::OverlayOptions options;
  options.idle = Idle::skip;
  return options;
}

class TurnsTest : public testing::Test {
 protected:
  explicit TurnsTest(overlay::OverlayOptions chosen = {}) : options(chosen) {}

  void tell(const overlay::Fact& fact, std::int64_t tick = 0) {
    ledger.on_fact(0, fact);
    turns.on_fact(at_tick(tick), fact);
  }
  void place(NodeId user, std::uint64_t number) {
    tell(Served{.task = {user, number}});
    tell(Started{.task = {user, number}, .proposal = {}});
  }

  Roster roster = small_roster();
  Ledger ledger{roster};
  overlay::OverlayOptions options;
  std::vector<double> tolerances = {0, 0.5, 1};
  Turns turns{roster, ledger, options, at_tick(1) - at_tick(0), tolerances};
};

TEST_F(TurnsTest, ThePoorestIsRightAndSoAreEqualShares) {
  place(kAnna, 1);  // 0 and 0
  place(kBen, 1);   // 0 against 1/4
  place(kBen, 2);   // 1/4 and 1/4
  place(kAnna, 2);
  EXPECT_EQ(turns.placements(), 4);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
}

TEST_F(TurnsTest, ARicherOneIsWrongByTheTolerance) {
  place(kAnna, 1);
  place(kBen, 1);
  place(kAnna, 2);
  place(kAnna, 3);  // 1/2 against 1/4: twice
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 0)) << "1 above the least is still right";
  place(kAnna, 4);  // 3/4 against 1/4
  EXPECT_THAT(turns.wrong(), ElementsAre(2, 2, 1));
}

TEST_F(TurnsTest, AnyShareIsWrongWhileAnotherHasNothing) {
  place(kAnna, 1);
  place(kAnna, 2);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

TEST_F(TurnsTest, ATurnOnTheWayCounts) {
  tell(Served{.task = {kBen, 1}});
  place(kAnna, 1);
  place(kAnna, 2);  // 1/4, and Ben's task on its way: 1/4
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
  tell(Unserved{.task = {kBen, 1}});
  place(kAnna, 3);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

TEST_F(TurnsTest, OfSeveralTurnsOfOneTaskTheFirstCounts) {
  tell(Served{.task = {kAnna, 1}});
  tell(Served{.task = {kAnna, 1}});
  tell(Started{.task = {kAnna, 1}, .proposal = {}});
  EXPECT_EQ(turns.placements(), 1);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
}

TEST_F(TurnsTest, ATurnThatLedToNothingIsNotCounted) {
  place(kAnna, 1);
  tell(Served{.task = {kAnna, 2}});
  tell(Unserved{.task = {kAnna, 2}});
  EXPECT_EQ(turns.placements(), 1);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
}

TEST_F(TurnsTest, WhatEndedCountsNoLonger) {
  place(kAnna, 1);
  place(kBen, 1);
  tell(Stopped{.task = {kBen, 1}, .proposal = {}});
  place(kAnna, 2);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

TEST_F(TurnsTest, TellsThePartThatWasWrongSoFar) {
  place(kAnna, 1);
  place(kAnna, 2);  // wrong
  place(kBen, 1);
  place(kBen, 2);
  const std::vector<std::vector<double>> parts = turns.wrong_over_time(4);
  EXPECT_THAT(parts[0], ElementsAre(0, 0.5, 1.0 / 3, 0.25));
}

class TurnsWhereTheStuckLeave : public TurnsTest {
 protected:
  TurnsWhereTheStuckLeave() : TurnsTest(where_the_stuck_leave()) {}
};

TEST_F(TurnsWhereTheStuckLeave, WhoFoundNothingDoesNotCountUntilItsShareChanges) {
  place(kAnna, 1);
  place(kBen, 1);
  tell(Served{.task = {kBen, 2}});
  tell(Unserved{.task = {kBen, 2}});
  place(kAnna, 2);
  place(kAnna, 3);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
  tell(Stopped{.task = {kBen, 1}, .proposal = {}});
  place(kAnna, 4);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

// As its home leaves it out: for Patience::walk from its turn on.
TEST_F(TurnsWhereTheStuckLeave, WhoFoundNothingCountsAgainWhenItsHomeTriesAgain) {
  place(kAnna, 1);
  place(kBen, 1);
  tell(Served{.task = {kBen, 2}});
  tell(Unserved{.task = {kBen, 2}}, 5);
  const auto place_at = [&](std::uint64_t number, std::int64_t tick) {
    tell(Served{.task = {kAnna, number}}, tick);
    tell(Started{.task = {kAnna, number}, .proposal = {}}, tick);
  };
  place_at(2, options.patience.walk - 1);
  place_at(3, options.patience.walk - 1);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
  place_at(4, options.patience.walk);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

TEST_F(TurnsWhereTheStuckLeave, WhoseTurnWasTakenBackForAnotherReasonCounts) {
  using enum Unserved::Why;
  for (const Unserved::Why why : {unheard, paused, silent}) {
    const std::int64_t before = turns.wrong()[0];
    const auto number = static_cast<std::uint64_t>(turns.placements()) + 1;
    place(kAnna, number);
    tell(Served{.task = {kBen, 1}});
    tell(Unserved{.task = {kBen, 1}, .why = why});
    place(kAnna, number + 1);
    EXPECT_GT(turns.wrong()[0], before);
  }
}

class TurnsWhereTheIdleAreSkipped : public TurnsTest {
 protected:
  TurnsWhereTheIdleAreSkipped() : TurnsTest(where_the_idle_are_skipped()) {}
};

TEST_F(TurnsWhereTheIdleAreSkipped, OnlyWhoHasAPresentTaskCounts) {
  turns.set_present(0, true);
  place(kAnna, 1);
  place(kAnna, 2);
  EXPECT_THAT(turns.wrong(), ElementsAre(0, 0, 0));
  turns.set_present(1, true);
  place(kAnna, 3);
  EXPECT_THAT(turns.wrong(), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace mirab::simulation
