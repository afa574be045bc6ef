#include <gtest/gtest.h>

#include <mirab/overlay/central_scheduler.hpp>

#include "overlay/ticks.hpp"

namespace mirab::overlay {
namespace {

constexpr NodeId kUser = 10;
constexpr NodeId kOther = 11;

OverlayOptions letting_go() {
  OverlayOptions options;
  options.stuck = Stuck::leave;
  return options;
}

OverlayOptions best_fit() {
  OverlayOptions options;
  options.search = Search::best_fit;
  return options;
}

/// A central server of two servers with 4 and 10 units, without a network: what it sends is in `effects`.
class CentralOfTwo : public testing::Test {
 protected:
  explicit CentralOfTwo(Scheduler scheduler = Scheduler::centralised_drf, OverlayOptions options = {})
      : central({.self = 20, .capacity = {{4}, {10}}, .total = {14}, .tick = kTick}, scheduler, options) {}

  void submit(NodeId user, std::uint64_t number, std::int64_t demand, std::uint64_t running = 0) {
    const Task task{.id = {user, number}, .demand = {demand}, .running = running};
    central.on_message(now, user, Submit{.task = task, .sequence = ++sequence}, effects);
  }
  /// Where the task of this tick is sent, if one is.
  std::optional<Send> tick() {
    now += kTick;
    effects = {};
    central.on_tick(now, effects);
    for (const Send& send : effects.sends) {
      if (std::holds_alternative<Walk>(send.message)) return send;
    }
    return std::nullopt;
  }
  static const Walk& walk_of(const std::optional<Send>& sent) { return std::get<Walk>(sent->message); }
  void answer_no_room(const Send& sent) {
    const Walk& walk = std::get<Walk>(sent.message);
    central.on_message(now, sent.to, NoRoom{.task = walk.task.id, .attempt = walk.attempt}, effects);
  }

  CentralScheduler central;
  Time now{};
  std::uint64_t sequence = 0;
  Effects effects;
};

TEST_F(CentralOfTwo, PlacesOneTaskATickOfThePoorestUserOnTheFirstServerWhereItFits) {
  submit(kUser, 2, 3, 1);
  submit(kOther, 1, 5);
  const auto first = tick();
  EXPECT_EQ(walk_of(first).task.id.user, kOther);
  EXPECT_EQ(first->to, 1U) << "5 do not fit in 4";
  const auto second = tick();
  EXPECT_EQ(walk_of(second).task.id.user, kUser);
  EXPECT_EQ(second->to, 0U);
  EXPECT_FALSE(tick());
}

TEST_F(CentralOfTwo, NeverSendsMoreThanTheBooksHave) {
  submit(kUser, 1, 3);
  submit(kOther, 1, 3);
  EXPECT_EQ(tick()->to, 0U);
  EXPECT_EQ(tick()->to, 1U) << "1 is left at the first";
}

TEST_F(CentralOfTwo, WhatWasTurnedAwayGoesToTheNextServer) {
  submit(kUser, 1, 3);
  const auto sent = tick();
  answer_no_room(*sent);
  const auto again = tick();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to, 1U);
}

// Servers take two walks of one name for one that was doubled on its way.
TEST_F(CentralOfTwo, WhatIsSentToTheSameServerAgainIsAnotherWalk) {
  submit(kUser, 1, 3);
  const auto sent = tick();
  answer_no_room(*sent);
  central.on_message(now, 0, Free{.incarnation = 0, .sequence = 1, .free = {4}}, effects);
  const auto again = tick();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to, 0U);
  EXPECT_NE(walk_of(again).attempt, walk_of(sent).attempt);
  answer_no_room(*again);
  EXPECT_EQ(tick()->to, 1U) << "the answer to the second walk is heard";
}

TEST_F(CentralOfTwo, WhatWasTurnedAwayAndIsNotWantedAnyMoreIsNotSentAgain) {
  submit(kUser, 1, 3);
  answer_no_room(*tick());
  central.on_message(now, kUser, Pause{.number = 1, .demand = {3}, .sequence = ++sequence}, effects);
  EXPECT_FALSE(tick());
}

TEST_F(CentralOfTwo, ABookThatWasWrongIsClosedUntilTheServerSaysWhatIsFree) {
  submit(kUser, 1, 3);
  answer_no_room(*tick());
  tick();
  submit(kOther, 1, 3);
  EXPECT_EQ(tick()->to, 1U);
  central.on_message(now, 0, Free{.incarnation = 0, .sequence = 1, .free = {4}}, effects);
  submit(kUser, 2, 3, 1);
  EXPECT_EQ(tick()->to, 0U);
}

TEST_F(CentralOfTwo, AnOldWordOfAServerIsNotHeard) {
  central.on_message(now, 0, Free{.incarnation = 5, .sequence = 2, .free = {1}}, effects);
  central.on_message(now, 0, Free{.incarnation = 5, .sequence = 1, .free = {4}}, effects);
  submit(kUser, 1, 3);
  EXPECT_EQ(tick()->to, 1U);
}

// The thesis' default: the poorest user blocks while its task fits nowhere.
TEST_F(CentralOfTwo, AUserWhoseTaskFitsNowhereBlocks) {
  submit(kUser, 1, 11);
  submit(kOther, 1, 1);
  EXPECT_FALSE(tick());
  EXPECT_FALSE(tick());
}

TEST_F(CentralOfTwo, StrangersAndNonsenseAreIgnored) {
  central.on_message(now, 77, Free{.free = {4}}, effects);
  central.on_message(now, 0, Free{.incarnation = 1, .free = {4, 4}}, effects);
  submit(kUser, 1, 3);
  central.on_message(now, kOther, Submit{.task = {.id = {kUser, 9}, .demand = {1}}, .sequence = 9}, effects);
  EXPECT_EQ(walk_of(tick()).task.id.number, 1U);
}

class CentralThatLetsGo : public CentralOfTwo {
 protected:
  CentralThatLetsGo() : CentralOfTwo(Scheduler::centralised_drf, letting_go()) {}
};

TEST_F(CentralThatLetsGo, AUserWhoseTaskFitsNowhereLeaves) {
  submit(kUser, 1, 11);
  submit(kOther, 1, 1);
  EXPECT_FALSE(tick());
  EXPECT_EQ(walk_of(tick()).task.id.user, kOther);
}

class FifoOfTwo : public CentralOfTwo {
 protected:
  FifoOfTwo() : CentralOfTwo(Scheduler::centralised_fifo) {}
};

TEST_F(FifoOfTwo, PlacesTheTaskThatCameFirst) {
  submit(kUser, 8, 3, 7);
  submit(kOther, 1, 1);
  EXPECT_EQ(walk_of(tick()).task.id.user, kUser);
  EXPECT_EQ(walk_of(tick()).task.id.user, kOther);
}

// 2.1.4: H is 0 at the second server, which has the shape of the task.
TEST(CentralBestFit, PlacesOnTheServerOfLeastDistance) {
  CentralScheduler central({.self = 20, .capacity = {{8, 2}, {5, 5}}, .total = {13, 7}, .tick = kTick},
                           Scheduler::centralised_drf, best_fit());
  Effects effects;
  const Task task{.id = {kUser, 1}, .demand = {1, 1}};
  central.on_message(Time{}, kUser, Submit{.task = task, .sequence = 1}, effects);
  effects = {};
  central.on_tick(Time{} + kTick, effects);
  ASSERT_EQ(effects.sends.size(), 1U);
  EXPECT_EQ(effects.sends[0].to, 1U);
}

}  // namespace
}  // namespace mirab::overlay
