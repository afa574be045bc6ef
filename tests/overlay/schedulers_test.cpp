#include <gmock/gmock.h>

#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {
namespace {

using testing::HasSubstr;

TEST(Schedulers, StandInTheTableInTheOrderOfTheEnum) {
  for (const SchedulerRow& row : schedulers()) EXPECT_EQ(row_of(row.scheduler).name, row.name);
  EXPECT_EQ(schedulers().size(), static_cast<std::size_t>(Scheduler::level) + 1);
}

TEST(Schedulers, AreFoundByTheirNames) {
  for (const SchedulerRow& row : schedulers()) EXPECT_EQ(*find_scheduler(row.name), row.scheduler);
}

TEST(Schedulers, AnUnknownNameIsAnErrorWithTheNearestOnes) {
  EXPECT_THAT(find_scheduler("dgrf").error().message, HasSubstr("did you mean dgdrf"));
  EXPECT_THAT(find_scheduler("lottery-machine").error().message, HasSubstr("there are centralised-drf, "));
}

}  // namespace
}  // namespace mirab::overlay
