// How old the log is: by the time for which services have run, over their restarts.
#include "service/log_age.hpp"

#include <gtest/gtest.h>

namespace mirab::service {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(LogAge, KnowsWhatIsOlderOverRestarts) {
  LogAge age;
  for (std::uint64_t hour = 1; hour <= 20; ++hour) age.note(hour * 100, hours(hour), hours(24));
  EXPECT_EQ(age.older_than(hours(24), hours(24)), 0U);
  age = LogAge::from(age.text(hours(20)));
  EXPECT_EQ(age.run(), hours(20));
  EXPECT_EQ(age.older_than(hours(24), hours(24)), 0U);
  EXPECT_EQ(age.older_than(hours(25), hours(24)), 100U);
  EXPECT_EQ(age.older_than(hours(29) - seconds(1), hours(24)), 400U);
}

TEST(LogAge, RemembersSomeHundredMarks) {
  LogAge age;
  for (std::uint64_t second = 0; second < 3 * 86'400; ++second) age.note(second, seconds(second), hours(24));
  EXPECT_LT(age.text(hours(72)).size(), 10'000U);
  const std::uint64_t old = age.older_than(hours(72), hours(24));
  EXPECT_LE(old, 2U * 86'400);
  EXPECT_GT(old, 2U * 86'400 - 500);
}

TEST(LogAge, IsNewWhereItsTextIsNone) {
  for (const char* text : {"", "{", "{\"run_s\":1}", "[1]", "{\"run_s\":1,\"marks\":[[1]]}"}) {
    const LogAge age = LogAge::from(text);
    EXPECT_EQ(age.run(), seconds(0)) << text;
    EXPECT_EQ(age.older_than(hours(1000), hours(24)), 0U) << text;
  }
}

}  // namespace
}  // namespace mirab::service
