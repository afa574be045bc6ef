#include "model/seconds.hpp"

#include <gmock/gmock.h>
#include <limits>

#include <mirab/model/random.hpp>

namespace mirab {
namespace {

using std::chrono::nanoseconds;

std::string seconds_refusal(std::string_view text) {
  const Result<Duration> read = parse_seconds(text);
  return read ? "accepted" : read.error().message;
}

TEST(Seconds, AreReadToTheNanosecond) {
  EXPECT_EQ(*parse_seconds("0"), nanoseconds(0));
  EXPECT_EQ(*parse_seconds("12.5"), nanoseconds(12'500'000'000));
  EXPECT_EQ(*parse_seconds("0.000000001"), nanoseconds(1));
  EXPECT_EQ(*parse_seconds("1e-6"), nanoseconds(1000));
  EXPECT_EQ(*parse_seconds("9223372036.854775807"), nanoseconds(std::numeric_limits<std::int64_t>::max()));
}

TEST(Seconds, AreWrittenShort) {
  EXPECT_EQ(seconds_text(nanoseconds(0)), "0");
  EXPECT_EQ(seconds_text(nanoseconds(12'500'000'000)), "12.5");
  EXPECT_EQ(seconds_text(nanoseconds(1)), "0.000000001");
  EXPECT_EQ(seconds_text(nanoseconds(100'000'000'000)), "100");
}

TEST(Seconds, WhatIsWrittenReadsBackAsTheSame) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const nanoseconds duration(static_cast<std::int64_t>(random.bits() >> (1 + random.below(63))));
    ASSERT_EQ(*parse_seconds(seconds_text(duration)), duration) << duration.count();
  }
}

TEST(Seconds, WhatIsNoTimeIsRefused) {
  EXPECT_EQ(seconds_refusal("-1"), "'-1' is negative; an amount is at least 0");
  EXPECT_EQ(seconds_refusal("0.0000000001"), "'0.0000000001' is not a whole number of nanoseconds");
  EXPECT_EQ(seconds_refusal("9223372036.854775808"),
            "'9223372036.854775808' has more digits than can be counted "
            "exactly; at most 18 are safe");
  EXPECT_EQ(seconds_refusal("9223372037"), "'9223372037' seconds are more than 292 years");
  for (const std::string_view bad : {"5m", "5E", "1Ki", "x", "nan", " 1"}) {
    EXPECT_THAT(seconds_refusal(bad), ::testing::EndsWith("is not a number of seconds, like 12.5")) << bad;
  }
  EXPECT_NE(seconds_refusal(""), "accepted");
  EXPECT_NE(seconds_refusal("1e"), "accepted");
}

}  // namespace
}  // namespace mirab
