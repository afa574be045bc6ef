#include "lab/simulation/base/event_queue.hpp"

#include <gtest/gtest.h>
#include <memory>

#include <mirab/model/random.hpp>

namespace mirab::simulation {
namespace {

using std::chrono::nanoseconds;

Time event_queue_at(std::int64_t ns) { return Time(nanoseconds(ns)); }

TEST(EventQueue, WhatHappensAtTheSameTimeHappensInTheOrderInWhichItWasScheduled) {
  constexpr std::uint64_t kSeed = 7;
  Random random(kSeed);
  EventQueue<int> queue;
  std::vector<std::pair<Time, int>> expected;
  for (int event = 0; event < 2000; ++event) {
    const Time when = event_queue_at(static_cast<std::int64_t>(random.below(50)));
    queue.schedule(when, event);
    expected.emplace_back(when, event);
  }
  std::sort(expected.begin(), expected.end());  // by time, then by the number in which it was scheduled
  std::vector<std::pair<Time, int>> taken;
  while (!queue.empty()) {
    const Time next = queue.next();
    const int event = queue.take();
    EXPECT_EQ(queue.now(), next);
    taken.emplace_back(next, event);
  }
  EXPECT_EQ(taken, expected) << "seed " << kSeed;
}

TEST(EventQueue, WhatIsScheduledForNowComesAfterAllThatWasScheduledForNowBefore) {
  EventQueue<char> queue;
  queue.schedule(event_queue_at(5), 'a');
  queue.schedule(event_queue_at(5), 'b');
  EXPECT_EQ(queue.take(), 'a');
  queue.schedule(queue.now(), 'c');
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.take(), 'b');
  EXPECT_EQ(queue.take(), 'c');
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, HoldsEventsThatCannotBeCopied) {
  EventQueue<std::unique_ptr<int>> queue;
  queue.schedule(event_queue_at(2), std::make_unique<int>(2));
  queue.schedule(event_queue_at(1), std::make_unique<int>(1));
  EXPECT_EQ(*queue.take(), 1);
  EXPECT_EQ(*queue.take(), 2);
}

TEST(EventQueueDeathTest, TimeDoesNotGoBack) {
  EventQueue<int> queue;
  queue.schedule(event_queue_at(5), 0);
  queue.take();
  EXPECT_DEATH(queue.schedule(event_queue_at(4), 1), "an event in the past");
}

}  // namespace
}  // namespace mirab::simulation
