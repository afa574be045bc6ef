#include <chrono>
#include <gtest/gtest.h>

#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

Task task(NodeId user, std::uint64_t number, Amounts demand) {
  return {.id = {user, number}, .demand = std::move(demand)};
}

const Amounts kFree{10, 10};
constexpr Duration kForgotten = std::chrono::seconds(40);
Time probes_at(int seconds) { return Time(std::chrono::seconds(seconds)); }

// Algorithm 4, ONTICK.
TEST(Probes, ProposesTheTaskOfLowestShareThatFits) {
  Probes probes({}, kForgotten);
  Effects effects;
  probes.on_submit(probes_at(0), task(1, 1, {11, 1}), 0.0, effects);  // the poorest, too large
  probes.on_submit(probes_at(0), task(2, 1, {5, 5}), 0.3, effects);
  probes.on_submit(probes_at(0), task(3, 1, {5, 5}), 0.1, effects);
  EXPECT_EQ(probes.next(kFree)->id.user, 3U);
  EXPECT_EQ(probes.next(kFree)->id.user, 2U);
  EXPECT_FALSE(probes.next(kFree)) << "what was proposed waits for its answer";
}

// Table 3.1, step 7, is an exact fit; Algorithm 5 prints <.
TEST(Probes, ATaskThatFitsExactlyFits) {
  Probes probes({}, kForgotten);
  Effects effects;
  probes.on_submit(probes_at(0), task(1, 1, {10, 10}), 0, effects);
  EXPECT_TRUE(probes.next(kFree));
}

TEST(Probes, OfEqualSharesTheLowerAddressComesFirst) {
  Probes probes({}, kForgotten);
  Effects effects;
  probes.on_submit(probes_at(0), task(4, 1, {1, 1}), 0, effects);
  probes.on_submit(probes_at(0), task(2, 1, {1, 1}), 0, effects);
  EXPECT_EQ(probes.next(kFree)->id.user, 2U);
}

// 4.2: two neighbours of least load.
TEST(Probes, CopiesToTheTwoNeighboursOfLeastLoad) {
  Probes probes({5, 6, 7, 8}, kForgotten);
  probes.hear(5, {.load = 0.9});
  probes.hear(6, {.load = 0.2});
  probes.hear(7, {.load = 0.5});
  probes.hear(8, {.load = 0.3});
  Effects effects;
  probes.on_submit(probes_at(0), task(1, 1, {1, 1}), 0, effects);
  ASSERT_EQ(effects.sends.size(), 2U);
  EXPECT_EQ(effects.sends[0].to, 6U);
  EXPECT_EQ(effects.sends[1].to, 8U);
}

TEST(Probes, SaidAgainItGoesToTheSameTwoAndIsQueuedOnce) {
  Probes probes({5, 6, 7}, kForgotten);
  Effects effects;
  probes.on_submit(probes_at(0), task(1, 1, {1, 1}), 0, effects);
  probes.hear(5, {.load = 1});
  effects = {};
  probes.on_submit(probes_at(0), task(1, 1, {1, 1}), 0, effects);
  ASSERT_EQ(effects.sends.size(), 2U);
  EXPECT_EQ(effects.sends[0].to, 5U);
  EXPECT_EQ(effects.sends[1].to, 6U);
  EXPECT_TRUE(probes.next(kFree));
  EXPECT_FALSE(probes.next(kFree));
}

TEST(Probes, ATaskThatWasAnsweredWaitsNoLonger) {
  Probes probes({}, kForgotten);
  probes.on_copy(probes_at(0), task(1, 1, {1, 1}), 0);
  probes.answered({1, 1});
  EXPECT_FALSE(probes.next(kFree));
}

TEST(Probes, WhatNobodyAsksForAnyMoreIsForgotten) {
  Probes probes({}, kForgotten);
  Effects effects;
  probes.on_submit(probes_at(0), task(1, 1, {1, 1}), 0, effects);
  probes.on_copy(probes_at(0), task(2, 1, {1, 1}), 0);
  probes.on_copy(probes_at(20), task(2, 1, {1, 1}), 0);
  probes.forget_silent(probes_at(40));
  EXPECT_EQ(probes.next(kFree)->id.user, 2U);
  EXPECT_FALSE(probes.next(kFree));
}

TEST(Probes, ALaterTaskOfAUserTakesThePlaceOfAnEarlierOne) {
  Probes probes({}, kForgotten);
  probes.on_copy(probes_at(0), task(1, 1, {1, 1}), 0);
  probes.on_copy(probes_at(0), task(1, 2, {1, 1}), 0.1);
  EXPECT_EQ(probes.next(kFree)->id.number, 2U);
  EXPECT_FALSE(probes.next(kFree));
}

}  // namespace
}  // namespace mirab::overlay
