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

TEST(Metrics, WhatIsCountedElsewhereIsAFamilyEach) {
  PipelineFigures figures;
  figures.core_revision = 9;
  figures.durable_revision = 8;
  figures.reader_revision = 7;
  figures.placed = 3'000'000'000'000'000;
  figures.has_archive = true;
  figures.archive_revision = 8;
  figures.archive_failures = 5;
  Metrics metrics;
  const std::string text =
      metrics.text(figures, {.certificate_expiry_s = 1'900'000'000, .failed_reloads = 11}, {});
  EXPECT_THAT(text, HasSubstr("# HELP mirab_archive_failures_total Tries to archive that failed\n"
                              "# TYPE mirab_archive_failures_total counter\n"
                              "mirab_archive_failures_total 5\n"
                              "# HELP mirab_decisions_total Tasks placed\n"
                              "# TYPE mirab_decisions_total counter\n"
                              "mirab_decisions_total 3000000000000000\n"));
  EXPECT_THAT(text, HasSubstr("\nmirab_tls_failed_reloads_total 11\n"
                              "# HELP mirab_revision The latest revision there\n"
                              "# TYPE mirab_revision gauge\n"
                              "mirab_revision{at=\"archive\"} 8\n"
                              "mirab_revision{at=\"reader\"} 7\n"
                              "mirab_revision{at=\"durable\"} 8\n"
                              "mirab_revision{at=\"core\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("\nmirab_archive_lag_seconds 0\n"));
  EXPECT_THAT(text, HasSubstr("\nmirab_tls_expiry_timestamp_seconds 1900000000\n"));
}

}  // namespace
}  // namespace mirab::service
