#include "lab/traces/bitbrains.hpp"

#include <gmock/gmock.h>

#include <mirab/model/workload_file.hpp>

#include "support/files.hpp"

// Shen, van Beek, Iosup, CCGrid 2015: GWA-T-12 Bitbrains. Hosts are ours: the trace has none.
namespace mirab::traces {
namespace {

using std::chrono::seconds;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string bitbrains_excerpt = MIRAB_SOURCE_DIR "/tests/traces/data/bitbrains/excerpt.csv";
const std::string heading =
    "vm,t_s,cpu_cores,cpu_cap_mhz,cpu_use_mhz,cpu_use_pct,mem_cap_kb,mem_use_kb,disk_rd_kbs,disk_wr_kbs,"
    "net_rx_kbs,net_tx_kbs\n";

/// A virtual machine of 2 cores, 2,000 MHz and 1 MiB at one time.
std::string sample(const std::string& vm, int time, const std::string& mhz = "500",
                   const std::string& kb = "10") {
  return vm + "," + std::to_string(time) + ",2,2000," + mhz + ",25,1024," + kb + ",0,0,0,0\n";
}

struct Read {
  WorkloadImport import;
  std::string error;
};

Read read(const std::string& rows, const BitbrainsOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.write("table.csv", rows);
  auto import = import_bitbrains(path, options);
  if (import) return {*std::move(import), ""};
  Error error = import.error();
  error.file = "TABLE";
  return {{}, describe(error)};
}

// The first two rows of the trace: 87.78 and 29.26 of 5,852 MHz on two cores.
TEST(Bitbrains, AVirtualMachineAsksForWhatIsProvisionedAndUsesWhatWasMeasured) {
  const auto import = import_bitbrains(bitbrains_excerpt, {});
  ASSERT_TRUE(import) << describe(import.error());
  const Workload& workload = import->workload;
  EXPECT_THAT(workload.users, ElementsAre(Submitter{"vm-1"}, Submitter{"vm-500"}));
  ASSERT_EQ(workload.jobs.size(), 2u);
  const Job& first = workload.jobs[0];
  EXPECT_EQ(first.submitted, seconds(0));
  EXPECT_EQ(first.runtime, seconds(1200));
  EXPECT_EQ(first.known, Runtime::cut);
  EXPECT_EQ(workload.requests.at(first.request).demand,
            (ResourceVector{Quantity(2), Quantity(std::int64_t{8'218'620} * 1024)}));
  const Usage& usage = workload.usages.at(*first.usage);
  EXPECT_EQ(usage.step, seconds(300));
  ASSERT_EQ(usage.of.size(), 4u);
  EXPECT_THAT(usage.of[0], ElementsAre(DoubleNear(0.03, 1e-9), DoubleNear(1'034'590.0 * 1024, 1)));
  EXPECT_THAT(usage.of[1], ElementsAre(DoubleNear(0.01, 1e-9), DoubleNear(458'575.0 * 1024, 1)));
  EXPECT_EQ(workload.span, seconds(1200));
  EXPECT_THAT(import->notices, ElementsAre("left out, virtual machines without cores or memory: 1"));
}

TEST(Bitbrains, OneThatComesAndGoesInTheTableHasAMeasuredRuntime) {
  const Read result =
      read(heading + sample("a", 10'000) + sample("a", 20'000) + sample("b", 12'000) + sample("b", 12'300));
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.import.workload.jobs.size(), 2u);
  const Job& second = result.import.workload.jobs[1];
  EXPECT_EQ(second.submitted, seconds(2'000));
  EXPECT_EQ(second.runtime, seconds(600));
  EXPECT_EQ(second.known, Runtime::measured);
}

TEST(Bitbrains, StepsWithoutARowRepeatTheOneBefore) {
  const Read result = read(heading + sample("a", 10'000, "500") + sample("a", 10'899, "1000", "20"));
  ASSERT_EQ(result.error, "");
  EXPECT_THAT(result.import.workload.usages.at(0).of,
              ElementsAre(ElementsAre(0.5, 10'240), ElementsAre(0.5, 10'240), ElementsAre(0.5, 10'240),
                          ElementsAre(1, 20'480)));
}

TEST(Bitbrains, HostsAreChosenAndTheHeadSaysSo) {
  const std::string rows = heading + sample("a", 10'000) + sample("b", 10'000) + sample("c", 10'000);
  const Read enough = read(rows, {.host_cpus = Quantity(4)});
  EXPECT_EQ(enough.import.cluster.servers.at(0).count, 2) << "six cores";
  EXPECT_THAT(enough.import.provenance,
              ::testing::Contains(HasSubstr("the trace tells none, they are chosen")));
  EXPECT_EQ(read(rows, {.hosts = 7}).import.cluster.servers.at(0).count, 7);
  EXPECT_EQ(read(rows, {.host_cpus = Quantity(1)}).error, "TABLE: no machine fits on a host");
}

TEST(Bitbrains, WhatIsImportedCanBeWrittenAndRead) {
  const auto import = import_bitbrains(bitbrains_excerpt, {});
  ASSERT_TRUE(import);
  const auto again = read_workload_text(write_workload(import->workload, import->provenance), "w");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->usages, import->workload.usages);
  EXPECT_EQ(again->jobs, import->workload.jobs);
  EXPECT_TRUE(Problem::from(import->cluster));
}

TEST(Bitbrains, BrokenTablesAreErrorsWithLineAndColumn) {
  EXPECT_EQ(read(heading + sample("a", 10'000) + sample("a", 9'000)).error,
            "TABLE:3: t_s: \"9000\" is not after the time of the machine's row before");
  EXPECT_THAT(read(heading + sample("a", 1, "-500")).error,
              HasSubstr("TABLE:2: cpu_use_mhz: '-500' is negative"));
  EXPECT_EQ(read(heading + sample("a", 1, "")).error, "TABLE:2: cpu_use_mhz: \"\" is not a number");
  EXPECT_EQ(read(heading + "a,1,2\n").error,
            "TABLE:2: 3 columns instead of the 12 of a table of Bitbrains' machines");
  EXPECT_EQ(read(sample("a", 1)).error, "TABLE:1: vm: \"a\" stands where the heading should");
  EXPECT_EQ(read(heading + sample("", 1)).error, "TABLE:2: vm: \"\" names no machine");
  EXPECT_EQ(read(heading).error, "TABLE: the table has no row below its heading");
  EXPECT_EQ(read(heading + sample("a", 1) + sample("b", 2'000'000'000)).error,
            "TABLE: t_s: the table covers more than nine years");
}

/// Every step of a gap is kept: nine years of them would be a million values.
TEST(Bitbrains, AGapOfMoreThan31DaysIsAnError) {
  constexpr int kDays31 = 31 * 24 * 3600;
  EXPECT_EQ(read(heading + sample("a", 0) + sample("a", kDays31)).error, "");
  EXPECT_EQ(read(heading + sample("a", 0) + sample("a", kDays31 + 1)).error,
            "TABLE:3: t_s: \"2678401\" is more than 31 days after the machine's row before");
}

TEST(Bitbrains, ATruncatedGzipIsAnError) {
  const TemporaryFolder folder;
  std::string rows = heading;
  for (int i = 1; i < 500; ++i) rows += sample("a", 300 * i, std::to_string(i));
  const std::string whole = read_text(folder.write_gzip("whole", rows));
  const std::string path = folder.write("t.csv.gz", std::string_view(whole).substr(0, whole.size() / 2));
  const auto import = import_bitbrains(path, {});
  ASSERT_FALSE(import);
  EXPECT_THAT(describe(import.error()), HasSubstr(path + ":"));
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

}  // namespace
}  // namespace mirab::traces
