// Shares as exact fractions, and whom they put first.
#include <gtest/gtest.h>

#include "model/exact.hpp"
#include "scheduling/clusters.hpp"
#include "scheduling/fill/lowest_share_tracker.hpp"
#include "scheduling/order/share_context.hpp"

namespace mirab::scheduling {
namespace {

TEST(Rational, ADecimalIsExact) {
  EXPECT_EQ(rational(amount("0.1")), mpq_class(1, 10));
  EXPECT_EQ(rational(amount("1.25")), mpq_class(5, 4));
  EXPECT_EQ(rational(amount("3e4")), mpq_class(30000));
}

TEST(Rational, IsPrintedAsTheNearestDouble) {
  Random random(1);
  for (int draw = 0; draw < 100'000; ++draw) {
    const long numerator = static_cast<long>(random.below(1UL << 53));
    const long denominator = static_cast<long>(1 + random.below(1UL << 53));
    mpq_class value(numerator, denominator);
    value.canonicalize();
    // Both are exact doubles, so the processor's division is rounded once, to the nearest.
    ASSERT_EQ(nearest(value), static_cast<double>(numerator) / static_cast<double>(denominator));
  }
  EXPECT_EQ(nearest(0), 0);
}

// The slides' table 1: C = (9, 18), tasks (1, 4) and (3, 1).
TEST(Share, TheDominantShareIsTheLargestPartOfThePool) {
  const Amounts pool{9, 18};
  const Part a = exact_dominant_part(Amounts{1, 4}, pool, ShareScale(2));
  const Part b = exact_dominant_part(Amounts{3, 1}, pool, ShareScale(2));
  EXPECT_EQ(mpq_class(a.numerator, a.denominator), mpq_class(4, 18));
  EXPECT_EQ(mpq_class(b.numerator, b.denominator), mpq_class(3, 9));
  EXPECT_EQ(dominant_resource(Amounts{1, 4}, pool), 1U);
  EXPECT_EQ(dominant_resource(Amounts{3, 1}, pool), 0U);
  EXPECT_EQ(dominant_resource(Amounts{1, 2}, pool), 0U) << "the first of equals";
  EXPECT_EQ(dominant_resource(Amounts{5, 1}, Amounts{0, 3}), 1U) << "of which there is some";
}

TEST(Share, APartOfNothingDoesNotCount) {
  const Part part = exact_dominant_part(Amounts{5, 1}, Amounts{0, 3}, ShareScale(2));
  EXPECT_EQ(part.numerator, 1);
  EXPECT_EQ(part.denominator, 3);
  EXPECT_EQ(dominant_part(Amounts{5, 1}, Amounts{0, 3}, ShareScale(2)), 1.0 / 3);
}

Weight weight(const std::string& text) { return *weight_from(amount(text)); }

TEST(Share, IsComparedPerWeight) {
  const Part third{.numerator = 1, .denominator = 3};
  const Part sixth{.numerator = 1, .denominator = 6};
  EXPECT_TRUE(compare_per_weight(third, weight("1"), sixth, weight("1")) > 0);
  EXPECT_TRUE(compare_per_weight(third, weight("2"), sixth, weight("1")) == 0);
  EXPECT_TRUE(compare_per_weight(third, weight("2.0001"), sixth, weight("1")) < 0);
  EXPECT_TRUE(compare_per_weight({.numerator = 0, .denominator = 1}, weight("0.5"), sixth, weight("9")) < 0);
}

TEST(Share, EqualSharesAreEqualWhateverDoublesSay) {
  EXPECT_NE(3 * 0.1, 0.3);
  const Part tenths{.numerator = 3, .denominator = 1};
  EXPECT_TRUE(compare_per_weight(tenths, weight("10"), {.numerator = 1, .denominator = 1}, weight("3.3333")) <
              0);
  EXPECT_TRUE(compare_per_weight(tenths, weight("0.1"), {.numerator = 9, .denominator = 1}, weight("0.3")) ==
              0);
}

TEST(Share, SharesThatDifferBeyondADoubleAreToldApart) {
  const Part a{.numerator = INT64_MAX - 1, .denominator = INT64_MAX};
  const Part b{.numerator = INT64_MAX - 2, .denominator = INT64_MAX - 1};
  EXPECT_EQ(static_cast<double>(a.numerator) / static_cast<double>(a.denominator),
            static_cast<double>(b.numerator) / static_cast<double>(b.denominator));
  EXPECT_TRUE(compare_per_weight(a, weight("1"), b, weight("1")) > 0);
  EXPECT_TRUE(compare_per_weight(a, weight("0.999999999999999999"), b, weight("1")) > 0);
  EXPECT_TRUE(compare_per_weight(b, weight("1"), a, weight("0.999999999999999999")) < 0);
}

TEST(Share, AnAgreementWithRationalsOnRandomShares) {
  Random random(3);
  for (int draw = 0; draw < 20'000; ++draw) {
    const auto units = [&] { return static_cast<std::int64_t>(random.bits() >> (1 + random.below(62))); };
    const Part a{.numerator = units(), .denominator = units() + 1};
    const Part b{.numerator = units(), .denominator = units() + 1};
    const Weight of_a{.numerator = random.bits() | 1U, .denominator = (random.bits() >> 20) + 1};
    const Weight of_b{.numerator = random.bits() | 1U, .denominator = (random.bits() >> 20) + 1};
    const auto rational = [](Part part, const Weight& of) {
      mpq_class share(part.numerator, part.denominator);
      share.canonicalize();
      mpq_class per(of.denominator, of.numerator);
      per.canonicalize();
      return mpq_class(share * per);
    };
    ASSERT_EQ(compare_per_weight(a, of_a, b, of_b), cmp(rational(a, of_a), rational(b, of_b)) <=> 0) << draw;
  }
}

TEST(Weight, HasToFitTheComparison) {
  EXPECT_FALSE(weight_from(Quantity{}));
  EXPECT_FALSE(weight_from(amount("1e-25")));
  EXPECT_TRUE(weight_from(amount("0.000000000000000001")));
}

TEST(LowestShareTracker, WhoFitsNowhereIsNotWaitedFor) {
  const Problem cluster =
      problem({server("s", {"9"})}, {user("a", {"1"}), user("b", {"2"}), user("c", {"3"})});
  const IntegerProblem counted(cluster);
  LowestShareTracker poorest(counted);
  const auto all = [](std::size_t) { return true; };
  EXPECT_FALSE(poorest.is_below(2, all)) << "all have nothing";
  poorest.raise(2, 2);
  EXPECT_TRUE(poorest.is_below(2, all));
  EXPECT_EQ(poorest.share(2), 1.0 / 3);
  EXPECT_FALSE(poorest.is_below(2, [](std::size_t user) { return user == 2; }));
}

}  // namespace
}  // namespace mirab::scheduling
