// The embedded tables are whole: their rows and sums are those that src/lab/experiments/data/README.md
// states.
#include <gtest/gtest.h>
#include <set>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {
namespace {

TEST(EmbeddedData, TheTablesHaveTheRowsThatTheirReadmeStates) {
  EXPECT_EQ(data_rows("google2011_jobs.csv.gz").size(), 71'688U);
  EXPECT_EQ(data_rows("google2011_machines.csv").size(), 10U);
  EXPECT_EQ(data_rows("google2011_requests.csv.gz").size(), 2'182U);
  EXPECT_EQ(data_rows("bitbrains_instants.csv.gz").size(), 15'302U);
}

TEST(EmbeddedData, TheGoogleMachinesAreTheTwelveThousandOfTimeZero) {
  double machines = 0;
  for (const std::vector<double>& row : data_rows("google2011_machines.csv")) machines += row.at(2);
  EXPECT_EQ(machines, 12'477);
}

TEST(EmbeddedData, TheGoogleRequestsCountTheTasksThatWereSubmittedWithOne) {
  double tasks = 0;
  for (const std::vector<double>& row : data_rows("google2011_requests.csv.gz")) tasks += row.at(3);
  EXPECT_EQ(tasks, 189'950);
}

TEST(EmbeddedData, TheGoogleJobsRunInEighteenIntervals) {
  std::set<double> intervals;
  std::set<double> jobs;
  for (const std::vector<double>& row : data_rows("google2011_jobs.csv.gz")) {
    ASSERT_EQ(row.size(), 4U);
    jobs.insert(row[0]);
    intervals.insert(row[1]);
    EXPECT_GT(row[2], 0);
    EXPECT_GT(row[3], 0);
  }
  EXPECT_EQ(intervals.size(), 18U);
  EXPECT_EQ(*intervals.rbegin(), 17);
  EXPECT_EQ(jobs.size(), 4'685U);
}

TEST(EmbeddedData, EveryBitbrainsMachineUsesCpuAndMemoryAtOneOfFortyEightInstants) {
  std::set<double> instants;
  for (const std::vector<double>& row : data_rows("bitbrains_instants.csv.gz")) {
    ASSERT_EQ(row.size(), 7U);
    instants.insert(row[0]);
    EXPECT_GT(row[1], 0);
    EXPECT_GT(row[2], 0);
  }
  EXPECT_EQ(instants.size(), 48U);
}

TEST(EmbeddedData, AnUnpackedTextIsThatOfThePackedFile) {
  EXPECT_EQ(data_file("google2011_requests.csv.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(data_text("google2011_requests.csv.gz").substr(0, 22), "cpu,memory,disk,tasks\n");
  EXPECT_EQ(data_text("google2011_machines.csv"), data_file("google2011_machines.csv"));
}

}  // namespace
}  // namespace mirab::experiments
