// Shares over weights as exact fractions, and which comes first.
#include "fairness/exact_part.hpp"

#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

namespace mirab::fairness {
namespace {

Weight weight(const std::string& text) { return *weight_from(*Quantity::parse(text)); }

TEST(Share, IsComparedPerWeight) {
  const Part third{.numerator = 1, .denominator = 3};
  const Part sixth{.numerator = 1, .denominator = 6};
  EXPECT_TRUE(per_weight(third, weight("1")) > per_weight(sixth, weight("1")));
  EXPECT_TRUE(per_weight(third, weight("2")) == per_weight(sixth, weight("1")));
  EXPECT_TRUE(per_weight(third, weight("2.0001")) < per_weight(sixth, weight("1")));
  EXPECT_TRUE(per_weight(Part{}, weight("0.5")) < per_weight(sixth, weight("9")));
}

TEST(Share, EqualSharesAreEqualWhateverDoublesSay) {
  EXPECT_NE(3 * 0.1, 0.3);
  const Part three{.numerator = 3};
  EXPECT_TRUE(per_weight(three, weight("10")) < per_weight(Part{.numerator = 1}, weight("3.3333")));
  EXPECT_TRUE(per_weight(three, weight("0.1")) == per_weight(Part{.numerator = 9}, weight("0.3")));
}

TEST(Share, SharesThatDifferBeyondADoubleAreDistinguished) {
  const Part a{.numerator = INT64_MAX - 1, .denominator = INT64_MAX};
  const Part b{.numerator = INT64_MAX - 2, .denominator = INT64_MAX - 1};
  EXPECT_EQ(static_cast<double>(a.numerator) / static_cast<double>(a.denominator),
            static_cast<double>(b.numerator) / static_cast<double>(b.denominator));
  const Weight one;
  const Weight less = weight("0.999999999999999999");
  EXPECT_TRUE(per_weight(a, one) > per_weight(b, one));
  EXPECT_TRUE(per_weight(a, less) > per_weight(b, one));
  EXPECT_TRUE(per_weight(b, one) < per_weight(a, less));
}

TEST(Share, PartsOfScaleZeroAreEqual) {
  const Part third{.numerator = 1, .denominator = 3, .scale = 0};
  const Part half{.numerator = 1, .denominator = 2, .scale = 0};
  EXPECT_TRUE(third == half);
  EXPECT_TRUE(third == Part{});
  EXPECT_TRUE(third < (Part{.numerator = 1, .denominator = 9}));
  EXPECT_TRUE(per_weight(third, weight("1")) == per_weight(half, weight("1")));
  EXPECT_TRUE(per_weight(third, weight("1")) == per_weight(half, weight("2")));
}

TEST(Share, ItsOrderIsThatOfRationalsOnRandomShares) {
  Random random(3);
  for (int draw = 0; draw < 20'000; ++draw) {
    const auto units = [&] { return static_cast<std::int64_t>(random.bits() >> (1 + random.below(62))); };
    const auto scale = [&] { return 1 + random.below(3); };
    const Part a{.numerator = units(), .denominator = units() + 1, .scale = scale()};
    const Part b{.numerator = units(), .denominator = units() + 1, .scale = scale()};
    const Weight of_a{.numerator = random.bits() | 1U, .denominator = (random.bits() >> 20) + 1};
    const Weight of_b{.numerator = random.bits() | 1U, .denominator = (random.bits() >> 20) + 1};
    const auto rational = [](Part part, const Weight& of) {
      mpq_class per(of.denominator, of.numerator);
      per.canonicalize();
      return mpq_class(mpq_class(part) * per);
    };
    ASSERT_EQ(a <=> b, cmp(mpq_class(a), mpq_class(b)) <=> 0) << draw;
    ASSERT_EQ(per_weight(a, of_a) <=> per_weight(b, of_b), cmp(rational(a, of_a), rational(b, of_b)) <=> 0)
        << draw;
  }
}

TEST(Weight, HasToFitTheComparison) {
  EXPECT_FALSE(weight_from(Quantity{}));
  EXPECT_FALSE(weight_from(*Quantity::parse("1e-25")));
  EXPECT_TRUE(weight_from(*Quantity::parse("0.000000000000000001")));
}

}  // namespace
}  // namespace mirab::fairness
