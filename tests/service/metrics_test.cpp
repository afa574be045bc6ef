// What a monitor sees.
#include "service/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::service {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, QueuesBeyondTwoHundredAreOne) {
  live::Gauges gauges;
  gauges.queues.push_back({.queue = "other", .waiting = 5});
  for (int n = 0; n < 300; ++n)
    gauges.queues.push_back({.queue = "q" + std::to_string(n), .waiting = 1, .oldest_wait_s = n * 1.0});
  Metrics metrics;
  const std::string text = metrics.text(PipelineFigures{}, {}, gauges);
  EXPECT_THAT(text, HasSubstr("mirab_waiting_tasks{queue=\"q199\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("queue=\"q200\"")));
  EXPECT_THAT(text, HasSubstr("mirab_waiting_tasks{queue=\"other\"} 105\n"));
  EXPECT_THAT(text, HasSubstr("mirab_oldest_wait_seconds{queue=\"other\"} 299\n"));
}

TEST(Metrics, CommitsAreInBuckets) {
  Metrics metrics;
  metrics.count_commit(std::chrono::milliseconds(2), 30);
  const std::string text = metrics.text(PipelineFigures{}, {}, {});
  EXPECT_THAT(text, HasSubstr("mirab_commit_seconds_bucket{le=\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("mirab_commit_seconds_bucket{le=\"0.0025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("mirab_commit_records_bucket{le=\"50\"} 1\n"));
}

}  // namespace
}  // namespace mirab::service
