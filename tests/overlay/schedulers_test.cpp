#include <gtest/gtest.h>

#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {
namespace {

TEST(Schedulers, StandInTheTableInTheOrderOfTheEnum) {
  for (const SchedulerRow& row : schedulers()) EXPECT_EQ(row_of(row.scheduler).name, row.name);
  EXPECT_EQ(schedulers().size(), static_cast<std::size_t>(Scheduler::level) + 1);
}

}  // namespace
}  // namespace mirab::overlay
