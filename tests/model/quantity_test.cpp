#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gmpxx.h>
#include <limits>
#include <string>

#include <mirab/model/quantity.hpp>
#include <mirab/model/random.hpp>

#include "model/exact.hpp"

namespace mirab {
namespace {

using ::testing::HasSubstr;

Quantity quantity(std::string_view text) {
  Result<Quantity> parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Quantity{};
}

std::string quantity_refusal(std::string_view text) {
  const Result<Quantity> parsed = Quantity::parse(text);
  return parsed ? "accepted as " + parsed->text() : parsed.error().message;
}

TEST(Quantity, ReadsPlainNumbersExactly) {
  EXPECT_EQ(quantity("16").text(), "16");
  EXPECT_EQ(quantity("0.2493").text(), "0.2493");
  EXPECT_EQ(quantity("1e3"), Quantity(1000));
  EXPECT_EQ(quantity("1.5e-05").text(), "0.000015");
  EXPECT_EQ(quantity("2.50"), quantity("2.5"));
  EXPECT_EQ(quantity("+7"), Quantity(7));
  EXPECT_EQ(quantity(".5"), quantity("0.5"));
  EXPECT_EQ(quantity("5."), Quantity(5));
  EXPECT_TRUE(quantity("0").is_zero());
  EXPECT_TRUE(quantity("-0.0").is_zero());
  EXPECT_EQ(quantity("0e99"), Quantity(0));
}

TEST(Quantity, ReadsEverySuffixOfKubernetes) {
  EXPECT_EQ(quantity("500m"), quantity("0.5"));
  EXPECT_EQ(quantity("7u"), quantity("0.000007"));
  EXPECT_EQ(quantity("7n"), quantity("0.000000007"));
  EXPECT_EQ(quantity("2k"), Quantity(2000));
  EXPECT_EQ(quantity("3M"), Quantity(3'000'000));
  EXPECT_EQ(quantity("4G"), Quantity(4'000'000'000));
  EXPECT_EQ(quantity("5T"), Quantity(5'000'000'000'000));
  EXPECT_EQ(quantity("6P"), Quantity(6'000'000'000'000'000));
  EXPECT_EQ(quantity("7E"), Quantity(7'000'000'000'000'000'000));
  EXPECT_EQ(quantity("7E2"), Quantity(700)) << "E followed by digits is an exponent";
  EXPECT_EQ(quantity("1Ki"), Quantity(1024));
  EXPECT_EQ(quantity("64Gi"), Quantity(68'719'476'736));
  EXPECT_EQ(quantity("0.5Gi"), Quantity(536'870'912));
  EXPECT_EQ(quantity("0.1Ki").text(), "102.4");
  EXPECT_EQ(quantity("7Ei"), Quantity(8'070'450'532'247'928'832));
}

TEST(Quantity, RefusesWhatIsNotAnAmountAndSaysWhatWouldBe) {
  for (const char* text : {"", "abc", "1 2", "64GiX", "64XB", "B", "1e", "1e3.5", "--1", "1.2.3", "0x10",
                           "1_000", "e3", ".", "Gi"}) {
    EXPECT_THAT(quantity_refusal(text), HasSubstr("is not an amount; write a number like 16")) << text;
  }
}

TEST(Quantity, UnitsOfBytesAreAnsweredWithTheSuffixesThatAreMeant) {
  EXPECT_EQ(quantity_refusal("64GB"), "'64GB' is not an amount; did you mean 64G or 64Gi?");
  EXPECT_EQ(quantity_refusal("1.5mb"), "'1.5mb' is not an amount; did you mean 1.5M or 1.5Mi?");
  EXPECT_EQ(quantity_refusal("2KB"), "'2KB' is not an amount; did you mean 2k or 2Ki?");
  EXPECT_EQ(quantity_refusal("64GiB"), "'64GiB' is not an amount; did you mean 64Gi?");
}

TEST(Quantity, RefusesNegativeAndNonFiniteNumbers) {
  EXPECT_THAT(quantity_refusal("-1"), HasSubstr("negative"));
  EXPECT_THAT(quantity_refusal("-500m"), HasSubstr("negative"));
  for (const char* text : {"nan", "NaN", ".nan", "inf", ".inf", "-inf", "-.Inf"}) {
    EXPECT_THAT(quantity_refusal(text), HasSubstr("not a finite number")) << text;
  }
}

TEST(Quantity, RefusesOverflowRatherThanRound) {
  EXPECT_EQ(quantity("9223372036854775807").text(), "9223372036854775807");
  for (const char* text : {"9223372036854775808", "16Ei", "1e19", "1e400", "99999999999999999999999999",
                           "10E", "1e99999999999"}) {
    EXPECT_THAT(quantity_refusal(text), HasSubstr("overflows: the largest amount is 9223372036854775807"))
        << text;
  }
  EXPECT_THAT(quantity_refusal("0.12345678901234567890123"),
              HasSubstr("more digits than can be counted exactly"));
  EXPECT_THAT(quantity_refusal("1e-400"), HasSubstr("too small"));
  EXPECT_EQ(quantity("1000000000000000000.000000000000000000"), quantity("1e18")) << "zeros are no digits";
}

TEST(Quantity, ItsValueIsTheDoubleNearestToItsDecimal) {
  Random random(2);
  for (int round = 0; round < 10'000; ++round) {
    const std::uint64_t digits = random.bits() >> (1 + random.below(62));
    const auto decimals = static_cast<int>(random.below(30));
    const std::string text = std::to_string(digits) + "e-" + std::to_string(decimals);
    EXPECT_EQ(quantity(text).value(), std::strtod(text.c_str(), nullptr))
        << text << ", seed 2, round " << round;
  }
}

TEST(Quantity, FromADoubleIsTheDecimalThatReadsBackAsTheSameDouble) {
  EXPECT_EQ(Quantity::from(0.1)->text(), "0.1");
  EXPECT_EQ(Quantity::from(1.0 / 3)->value(), 1.0 / 3);
  EXPECT_FALSE(Quantity::from(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Quantity::from(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(Quantity::from(-1.0));
  Random random(1);
  for (int round = 0; round < 10'000; ++round) {
    const double value = std::ldexp(random.unit(), static_cast<int>(random.below(80)) - 40);
    const Result<Quantity> quantity = Quantity::from(value);
    ASSERT_TRUE(quantity) << value;
    EXPECT_EQ(quantity->value(), value) << "seed 1, round " << round;
  }
}

Quantity random_quantity(Random& random) {
  const std::string digits = std::to_string(random.bits() >> (1 + random.below(63)));
  return quantity(digits + "e-" + std::to_string(random.below(25)));
}

TEST(Quantity, OrderIsTheOrderOfTheExactNumbers) {
  Random random(2);
  for (int round = 0; round < 10'000; ++round) {
    const Quantity a = random_quantity(random);
    const Quantity b = random.below(4) == 0 ? a : random_quantity(random);
    EXPECT_EQ(a < b, rational(a) < rational(b))
        << "seed 2, round " << round << ": " << a.text() << ", " << b.text();
    EXPECT_EQ(a == b, rational(a) == rational(b)) << "seed 2, round " << round;
  }
}

TEST(Quantity, CountingInUnitsRoundsAsAskedAndNeverOverflows) {
  EXPECT_EQ(count_units(quantity("0.25"), -2, Rounding::down), 25);
  EXPECT_EQ(count_units(quantity("0.25"), -1, Rounding::down), 2);
  EXPECT_EQ(count_units(quantity("0.25"), -1, Rounding::up), 3);
  EXPECT_EQ(count_units(quantity("0.2"), -1, Rounding::up), 2);
  EXPECT_EQ(count_units(quantity("1e-30"), 0, Rounding::up), 1);
  EXPECT_EQ(count_units(quantity("1e18"), -1, Rounding::down), std::nullopt);
  Random random(3);
  for (int round = 0; round < 10'000; ++round) {
    const Quantity amount = random_quantity(random);
    const int exponent = static_cast<int>(random.below(25)) - 20;
    const Quantity unit = quantity("1e" + std::to_string(exponent));
    const mpq_class exact = rational(amount) / rational(unit);
    mpz_class floor;
    mpz_fdiv_q(floor.get_mpz_t(), exact.get_num_mpz_t(), exact.get_den_mpz_t());
    const std::optional<std::int64_t> down = count_units(amount, exponent, Rounding::down);
    if (down) {
      EXPECT_EQ(mpz_class(std::to_string(*down)), floor) << "seed 3, round " << round;
    } else {
      EXPECT_GT(floor, mpz_class("9223372036854775807")) << "seed 3, round " << round;
    }
  }
}

TEST(Exact, AQuantityIsItsDigitsTimesAPowerOfTen) {
  for (const auto& [text, value] : {std::pair("7", mpq_class(7)),
                                    {"0", mpq_class(0)},
                                    {"0.125", mpq_class(1, 8)},
                                    {"250m", mpq_class(1, 4)},
                                    {"1.5M", mpq_class(1'500'000)},
                                    {"4Gi", mpq_class(4'294'967'296)}})
    EXPECT_EQ(rational(*Quantity::parse(text)), value) << text;
}

}  // namespace
}  // namespace mirab
