#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "lab/simulation/base/event_queue.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Time at(std::int64_t ns) { return Time(nanoseconds(ns)); }

// Mostly soon; now and then now, in the far future, or at the very same time as others.
Duration drawn_wait(Random& random) {
  switch (random.below(8)) {
    case 0:
      return Duration{};
    case 1:
      return milliseconds(100);
    case 2:
      return milliseconds(static_cast<std::int64_t>(random.below(5000)));
    default:
      return nanoseconds(static_cast<std::int64_t>(random.below(10'000'000)));
  }
}

TEST(CalendarQueue, GivesTheSameOrderAsTheEventQueue) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    EventQueue<int> expected;
    CalendarQueue<int> queue;
    int scheduled = 0;
    const auto schedule = [&] {
      const Time when = expected.now() + drawn_wait(random);
      expected.schedule(when, scheduled);
      queue.schedule(when, scheduled++);
    };
    for (int first = 0; first < 300; ++first) schedule();
    while (!expected.empty()) {
      ASSERT_EQ(queue.size(), expected.size());
      ASSERT_EQ(queue.next(), expected.next()) << "seed " << seed;
      ASSERT_EQ(queue.take(), expected.take())
          << "seed " << seed << " at " << expected.now().time_since_epoch();
      ASSERT_EQ(queue.now(), expected.now());
      if (scheduled < 5000)
        for (std::uint64_t more = random.below(3); more > 0; --more) schedule();
    }
    EXPECT_TRUE(queue.empty());
  }
}

TEST(CalendarQueue, AFullDayKeepsTheOrderOfScheduling) {
  CalendarQueue<int> queue;
  for (int event = 0; event < 1000; ++event) queue.schedule(at(event % 2 == 0 ? 70'000 : 70'001), event);
  for (int event = 0; event < 1000; event += 2) EXPECT_EQ(queue.take(), event);
  for (int event = 1; event < 1000; event += 2) EXPECT_EQ(queue.take(), event);
}

TEST(CalendarQueue, TellsWhatComesAfterTheEventThatWasTakenAsFarAsItIsToday) {
  CalendarQueue<int> queue;
  queue.schedule(at(1), 1);
  queue.schedule(at(2), 2);
  queue.schedule(at(3), 3);
  queue.schedule(at(1'000'000), 4);
  EXPECT_EQ(queue.take(), 1);
  ASSERT_NE(queue.coming(0), nullptr);
  EXPECT_EQ(*queue.coming(0), 2);
  EXPECT_EQ(*queue.coming(1), 3);
  EXPECT_EQ(queue.coming(2), nullptr);
}

TEST(CalendarQueueDeathTest, TimeDoesNotGoBack) {
  CalendarQueue<int> queue;
  queue.schedule(at(5), 0);
  queue.take();
  EXPECT_DEATH(queue.schedule(at(4), 1), "an event in the past");
}

}  // namespace
}  // namespace mirab::simulation
