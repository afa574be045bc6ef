// What `mirab serve doctor` makes of what it measures. That it finds it is in serve_test.py.
#include "service/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::service {
namespace {

using testing::HasSubstr;

TEST(Doctor, ADiskThatSyncsMoreOftenThanADiskCanIsFound) {
  EXPECT_TRUE(finding_of_sync(0.14).is_well);
  EXPECT_THAT(finding_of_sync(0.14).sentence, HasSubstr("0.140 ms, 7143 in a second"));
  EXPECT_TRUE(finding_of_sync(1.0 / 19.9).is_well);
  EXPECT_FALSE(finding_of_sync(1.0 / 20.1).is_well);
  EXPECT_THAT(finding_of_sync(0).sentence, HasSubstr("does not keep what it acknowledges"));
}

TEST(Doctor, ASlowDiskIsFound) {
  EXPECT_TRUE(finding_of_sync(49).is_well);
  EXPECT_FALSE(finding_of_sync(51).is_well);
  EXPECT_FALSE(finding_of_sync(-1).is_well);
}

TEST(Doctor, AClockBehindTheLogIsFound) {
  const live::Wall now = *live::wall_of("2027-03-01T08:00:00Z");
  EXPECT_TRUE(finding_of_clock(now, now - std::chrono::days(9)).is_well);
  EXPECT_TRUE(finding_of_clock(now, now + std::chrono::seconds(59)).is_well);
  EXPECT_FALSE(finding_of_clock(now, now + std::chrono::seconds(61)).is_well);
  EXPECT_FALSE(finding_of_clock(now, {}).is_well);
}

TEST(Doctor, AClockThatNothingKeepsRightIsFound) {
  EXPECT_TRUE(finding_of_time_service(true).is_well);
  EXPECT_FALSE(finding_of_time_service(false).is_well);
}

}  // namespace
}  // namespace mirab::service
