// Exact fractions, and the user with the lowest share in a filling.
#include "scheduling/fill/lowest_share_tracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/exact.hpp"
#include "random_cases.hpp"
#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

TEST(Rational, ADecimalIsExact) {
  EXPECT_EQ(rational(amount("0.1")), mpq_class(1, 10));
  EXPECT_EQ(rational(amount("1.25")), mpq_class(5, 4));
  EXPECT_EQ(rational(amount("3e4")), mpq_class(30000));
}

TEST(Rational, IsPrintedAsTheNearestDouble) {
  Random random(1);
  for (int draw = 0; draw < random_cases(100'000); ++draw) {
    const long numerator = static_cast<long>(random.below(1UL << 53));
    const long denominator = static_cast<long>(1 + random.below(1UL << 53));
    mpq_class value(numerator, denominator);
    value.canonicalize();
    // Both are exact doubles, so the processor's division is rounded once, to the nearest.
    ASSERT_EQ(nearest(value), static_cast<double>(numerator) / static_cast<double>(denominator));
  }
  EXPECT_EQ(nearest(0), 0);
}

TEST(LowestShareTracker, WhoFitsNowhereIsNotWaitedFor) {
  const Problem cluster =
      problem({server("s", {"9"})}, {user("a", {"1"}), user("b", {"2"}), user("c", {"3"})});
  const IntegerProblem counted(cluster);
  LowestShareTracker lowest(counted);
  const auto all = [](std::size_t) { return true; };
  EXPECT_FALSE(lowest.is_below(2, all)) << "all have nothing";
  lowest.raise(2, 2);
  EXPECT_TRUE(lowest.is_below(2, all));
  EXPECT_EQ(lowest.share(2), 1.0 / 3);
  EXPECT_FALSE(lowest.is_below(2, [](std::size_t user) { return user == 2; }));
}

}  // namespace
}  // namespace mirab::scheduling
