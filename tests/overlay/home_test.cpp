#include <gmock/gmock.h>
#include <limits>

#include "overlay/coordinator.hpp"
#include "overlay/said.hpp"
#include "overlay/ticks.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr NodeId kAnna = 7, kBen = 8;
const std::vector<double> kTotal = {10, 20};

Submit submit(NodeId user, std::uint64_t number, std::uint64_t running, std::uint64_t sequence) {
  return {.task = {.id = {user, number}, .demand = {1, 1}, .runtime = {}, .running = running},
          .sequence = sequence};
}

// A home that waits 100 ticks for a walk, thinks of who was silent for 40 that it moved, and forgets after
// 400.
class HomeOf : public testing::Test {
 protected:
  Coordinator home = with(Idle::block, Stuck::block);
  Effects effects;

  static Coordinator with(Idle idle, Stuck stuck) {
    OverlayOptions options;
    options.idle = idle;
    options.stuck = stuck;
    options.patience = {.walk = 100, .home = 40, .user = 400};
    return {options, kTick};
  }
  void hear(int tick, const Submit& one) { home.on_submit(at(tick), one, effects); }
  void pause(int tick, NodeId user, std::uint64_t number, std::uint64_t sequence) {
    home.on_pause(at(tick), user, {.number = number, .running = 0, .demand = {1, 1}, .sequence = sequence},
                  effects);
  }
  NodeId poorest() const {
    const UserEntry* resident = home.poorest(kTotal);
    return resident == nullptr ? 0 : resident->user;
  }
  std::uint64_t served(int tick, NodeId user) {
    effects = {};
    return home.serve(at(tick), user, 0, effects).attempt;
  }
  std::vector<Unserved::Why> reasons() const {
    std::vector<Unserved::Why> why;
    for (const Unserved& unserved : facts<Unserved>(effects)) why.push_back(unserved.why);
    return why;
  }
  void tick(int tick) {
    effects = {};
    home.on_tick(at(tick), effects);
  }
};

// Rule `level`: others need not wait for a walk.
TEST_F(HomeOf, NamesThePoorestThatWaitsWhileAPoorerOneHasItsTurn) {
  hear(0, submit(kAnna, 1, 0, 1));
  hear(0, submit(kBen, 1, 3, 1));
  served(1, kAnna);
  EXPECT_EQ(poorest(), kAnna);
  ASSERT_NE(home.poorest_waiting(kTotal), nullptr);
  EXPECT_EQ(home.poorest_waiting(kTotal)->user, kBen);
  served(1, kBen);
  EXPECT_EQ(home.poorest_waiting(kTotal), nullptr);
}

TEST_F(HomeOf, AShareIsTheNumberOfTasksThatCountTimesTheDominantDemand) {
  UserEntry resident{.user = kAnna, .task = {.id = {}, .demand = {1, 4}, .runtime = {}, .running = 3}};
  EXPECT_DOUBLE_EQ(Coordinator::share(resident, kTotal), 3 * 4 / 20.0);
  resident.served = true;
  EXPECT_DOUBLE_EQ(Coordinator::share(resident, kTotal), 3 * 4 / 20.0) << "it walks";
  resident.placed = true;
  EXPECT_DOUBLE_EQ(Coordinator::share(resident, kTotal), 4 * 4 / 20.0);
  EXPECT_DOUBLE_EQ(Coordinator::share(resident, std::vector<double>{0, 0}), 0) << "C is not known yet";
}

TEST_F(HomeOf, ThePoorestHasTheLeastShareAndOfEqualsTheLowestAddress) {
  EXPECT_EQ(home.poorest(kTotal), nullptr);
  hear(1, submit(kBen, 1, 0, 1));
  hear(1, submit(kAnna, 1, 0, 1));
  EXPECT_EQ(poorest(), kAnna);
  hear(2, submit(kAnna, 2, 1, 2));
  EXPECT_EQ(poorest(), kBen);
}

TEST_F(HomeOf, WhatIsSaidIsAnsweredAndWhatComesLateChangesNothing) {
  hear(1, submit(kAnna, 2, 5, 9));
  hear(2, submit(kAnna, 1, 0, 8));
  EXPECT_THAT(said<Received>(effects, kAnna), SizeIs(2));
  EXPECT_EQ(home.user_entries().at(0).task.id.number, 2U);
  EXPECT_EQ(home.user_entries().at(0).counted(), 5U);
}

TEST_F(HomeOf, ATurnCountsFromTheProposalUntilTheNextTaskComes) {
  hear(1, submit(kAnna, 1, 0, 1));
  const std::uint64_t attempt = served(2, kAnna);
  EXPECT_THAT(facts<Served>(effects), SizeIs(1));
  home.on_placed({kAnna, 1}, attempt + 1);
  EXPECT_EQ(home.user_entries()[0].counted(), 0U) << "another attempt";
  home.on_placed({kAnna, 1}, attempt);
  EXPECT_EQ(home.user_entries()[0].counted(), 1U);
  EXPECT_FALSE(home.user_entries()[0].waits());
  hear(3, submit(kAnna, 2, 1, 2));
  EXPECT_EQ(home.user_entries()[0].counted(), 1U);
  EXPECT_TRUE(home.user_entries()[0].waits());
  EXPECT_THAT(facts<Unserved>(effects), IsEmpty());
}

TEST_F(HomeOf, ATurnIsTakenBackWhenNothingWasFoundByThisVeryAttempt) {
  hear(1, submit(kAnna, 1, 0, 1));
  const std::uint64_t attempt = served(2, kAnna);
  home.on_no_room({kAnna, 1}, attempt + 1, effects);
  EXPECT_FALSE(home.user_entries()[0].waits());
  home.on_no_room({kAnna, 1}, attempt, effects);
  EXPECT_TRUE(home.user_entries()[0].waits());
  EXPECT_THAT(reasons(), ElementsAre(Unserved::Why::no_room));
  EXPECT_NE(served(3, kAnna), attempt);
}

TEST_F(HomeOf, ATurnOfWhichNothingIsKnownIsTakenBackWhenItsUserStillWaits) {
  hear(1, submit(kAnna, 1, 0, 1));
  served(2, kAnna);
  hear(101, submit(kAnna, 1, 0, 2));
  EXPECT_FALSE(home.user_entries()[0].waits());
  hear(102, submit(kAnna, 1, 0, 3));
  EXPECT_TRUE(home.user_entries()[0].waits());
  EXPECT_THAT(reasons(), ElementsAre(Unserved::Why::unheard));
}

// Chapter 6: it hinders all others. The cure is Idle::skip.
TEST_F(HomeOf, AUserWithoutATaskIsAmongThePoorestUnlessSkipped) {
  for (const Idle idle : {Idle::block, Idle::skip}) {
    home = with(idle, Stuck::block);
    pause(1, kAnna, 1, 1);
    hear(1, submit(kBen, 5, 4, 1));
    EXPECT_EQ(poorest(), idle == Idle::block ? kAnna : kBen);
  }
}

TEST_F(HomeOf, APauseTakesATurnBack) {
  hear(1, submit(kAnna, 1, 0, 1));
  home.on_placed({kAnna, 1}, served(2, kAnna));
  EXPECT_EQ(home.user_entries()[0].counted(), 1U);
  pause(3, kAnna, 1, 2);
  EXPECT_EQ(home.user_entries()[0].counted(), 0U);
  EXPECT_THAT(reasons(), ElementsAre(Unserved::Why::paused));
}

TEST_F(HomeOf, AUserWhoseTaskFitsNowhereBlocksUnlessItLeaves) {
  for (const Stuck stuck : {Stuck::block, Stuck::leave}) {
    home = with(Idle::block, stuck);
    hear(1, submit(kAnna, 1, 0, 1));
    hear(1, submit(kBen, 5, 4, 1));
    home.on_no_room({kAnna, 1}, served(2, kAnna), effects);
    EXPECT_EQ(poorest(), stuck == Stuck::block ? kAnna : kBen);
  }
}

TEST_F(HomeOf, AStuckUserCountsAgainWhenItsShareOrItsTaskChangesOrAfterAWhile) {
  home = with(Idle::block, Stuck::leave);
  std::uint64_t sequence = 0;
  const auto stick = [&](int tick) { home.on_no_room({kAnna, 2}, served(tick, kAnna), effects); };
  hear(1, submit(kAnna, 2, 1, ++sequence));
  stick(2);
  EXPECT_EQ(poorest(), 0U);
  hear(3, submit(kAnna, 2, 1, ++sequence));
  EXPECT_EQ(poorest(), 0U) << "the same again";
  hear(4, submit(kAnna, 2, 0, ++sequence));
  EXPECT_EQ(poorest(), kAnna) << "a task of it has ended";
  stick(80);
  hear(175, submit(kAnna, 2, 0, ++sequence));
  tick(179);
  EXPECT_EQ(poorest(), 0U);
  tick(180);
  EXPECT_EQ(poorest(), kAnna) << "room may have come";
  stick(181);
  hear(182, submit(kAnna, 3, 0, ++sequence));
  EXPECT_EQ(poorest(), kAnna) << "another task";
}

TEST_F(HomeOf, WhoIsSilentCountsNoMoreAndIsForgottenLater) {
  hear(1, submit(kAnna, 1, 0, 1));
  served(2, kAnna);
  tick(40);
  EXPECT_EQ(poorest(), kAnna);
  tick(41);
  EXPECT_EQ(poorest(), 0U);
  tick(401);
  EXPECT_THAT(home.user_entries(), IsEmpty());
  EXPECT_THAT(reasons(), ElementsAre(Unserved::Why::silent));
}

}  // namespace
}  // namespace mirab::overlay
