#include "lab/traces/swf/swf.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/model/workload_file.hpp>

#include "support/files.hpp"

// The Standard Workload Format, version 2.2: Chapin et al., JSSPP 1999, and the Parallel Workloads Archive.
namespace mirab::traces {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string head = "; Computer: a machine\n;  MaxProcs: 16\n; MaxNodes: 4\n; MaxMemory: 4096\n";

/// Job, submit, wait, run, allocated, cpu time, used memory, requested, its time, its memory, status, user.
std::string entry(const std::string& first_twelve) { return first_twelve + " 1 1 1 1 -1 -1\n"; }

const std::string a_job = entry("1 100 5 60 2 -1 -1 4 90 256 1 7");

struct SwfRead {
  WorkloadImport import;
  std::string error;
};

SwfRead read_swf_log(const std::string& log, const SwfOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.write("log.swf", log);
  auto import = import_swf(path, options);
  if (import) return {*std::move(import), ""};
  Error error = import.error();
  error.file = "LOG";
  return {{}, describe(error)};
}

TEST(Swf, AJobIsAGangOfTasksOfOneProcessor) {
  const SwfRead result = read_swf_log(head + a_job + entry("2 103 -1 10 3 -1 512 -1 -1 -1 0 8"));
  ASSERT_EQ(result.error, "");
  const Workload& workload = result.import.workload;
  EXPECT_THAT(workload.resources, ElementsAre("cpu", "memory"));
  EXPECT_THAT(workload.users, ElementsAre(Submitter{"u-7"}, Submitter{"u-8"}));
  const Job first{.name = "1",
                  .submitted = seconds(0),
                  .user = 0,
                  .request = 0,
                  .tasks = 4,
                  .gang = 4,
                  .runtime = seconds(60),
                  .requested = seconds(90)};
  const Job second{.name = "2",
                   .submitted = seconds(3),
                   .user = 1,
                   .request = 1,
                   .tasks = 3,
                   .gang = 3,
                   .runtime = seconds(10)};
  EXPECT_THAT(workload.jobs, ElementsAre(first, second));
  EXPECT_EQ(workload.requests[0].demand, (ResourceVector{Quantity(1), Quantity(256 * 1024)}));
  EXPECT_EQ(workload.requests[1].demand, (ResourceVector{Quantity(1), Quantity(512 * 1024)}));
  EXPECT_EQ(workload.span, seconds(65)) << "submitted, 5 s waited, 60 s run";
  EXPECT_TRUE(read_workload_text(write_workload(workload, result.import.provenance), "w"));
  EXPECT_TRUE(Problem::from(result.import.cluster));
}

TEST(Swf, FractionsOfSecondsAreKept) {
  using std::chrono::milliseconds;
  const SwfRead result = read_swf_log(head + entry("1 0.25 0 100 2 -1 -1 2 -1 -1 1 1") +
                                      entry("2 20.5 0 50.25 2 -1 -1 2 600.5 -1 1 1") +
                                      entry("3 20.75 1.5 0.4 2 -1 -1 2 -1 128.5 1 1"));
  ASSERT_EQ(result.error, "");
  const std::vector<Job>& jobs = result.import.workload.jobs;
  EXPECT_EQ(jobs[1].submitted, milliseconds(20250));
  EXPECT_EQ(jobs[1].runtime, milliseconds(50250));
  EXPECT_EQ(jobs[1].requested, milliseconds(600500));
  EXPECT_EQ(jobs[2].runtime, milliseconds(400)) << "only 0 s count as 1 s";
  EXPECT_EQ(result.import.workload.requests[jobs[2].request].demand[1], Quantity(129 * 1024))
      << "KB, rounded up";
  EXPECT_THAT(result.import.notices, Not(Contains(HasSubstr("0 s"))));
  EXPECT_EQ(read_swf_log(head + entry("1 0 0 9 2.5 -1 -1 2.5 -1 -1 1 1")).error,
            "LOG:5: requested processors: \"2.5\" is no whole number");
}

TEST(Swf, ALogThatDoesNotTellItsProcessorsNamesTheOption) {
  EXPECT_THAT(read_swf_log(a_job).error, HasSubstr("say with --processors N how many there are"));
}

TEST(Swf, ANumberOfTheHeadStandsAloneOrBeforeARemarkInBrackets) {
  for (const char* number : {"1,024", "1024 or so", "16x", "8/16"})
    EXPECT_THAT(read_swf_log(fmt::format("; MaxProcs: {}\n", number) + a_job).error,
                HasSubstr(fmt::format("MaxProcs: \"{}\" is no whole number from 1 to", number)))
        << number;
  EXPECT_THAT(read_swf_log("; MaxProcs: 16\n; MaxNodes: many\n" + a_job).error,
              HasSubstr(":2: MaxNodes: \"many\" is no whole number"));
  for (const char* number : {"-1", "unknown", ""})
    EXPECT_THAT(read_swf_log(fmt::format("; MaxProcs: {}\n", number) + a_job).error,
                HasSubstr("the head names neither MaxProcs nor MaxNodes"))
        << number;
  EXPECT_EQ(read_swf_log("; MaxProcs: 1,024\n" + a_job, {.processors = 5}).import.cluster.servers.at(0).count,
            5);
  for (const char* number : {"16", "16 ", "16 (2 for login)", "16 [without the front end]"})
    EXPECT_EQ(
        read_swf_log(fmt::format("; MaxProcs: {}\n", number) + a_job).import.cluster.servers.at(0).count, 16)
        << number;
}

TEST(Swf, TheServersAreTheNodesOfTheHead) {
  const Server nodes = read_swf_log(head + a_job).import.cluster.servers.at(0);
  EXPECT_EQ(nodes.count, 4);
  EXPECT_EQ(nodes.capacity, (ResourceVector{Quantity(4), Quantity(4 * 4096 * 1024)}))
      << "memory counts by processor, of jobs too";
  const Server single = read_swf_log("; MaxProcs: 16\n" + a_job).import.cluster.servers.at(0);
  EXPECT_EQ(single.count, 16);
  EXPECT_EQ(single.capacity, ResourceVector{Quantity(1)});
  const Server asked = read_swf_log(head + a_job, {.processors = 5}).import.cluster.servers.at(0);
  EXPECT_EQ(asked.count, 5);
  EXPECT_EQ(asked.capacity, ResourceVector{Quantity(1)});
  EXPECT_THAT(read_swf_log(a_job).error, HasSubstr("the head names neither MaxProcs nor MaxNodes"));
}

TEST(Swf, NoticesCountWhatIsLeftOut) {
  const SwfRead result = read_swf_log(
      head + a_job + entry("2 101 5 -1 4 -1 -1 4 90 -1 5 7") + entry("3 102 5 60 4 -1 -1 4 90 1 2 7") +
      entry("4 103 5 60 4 -1 -1 17 90 1 1 7") + entry("5 104 5 0 4 -1 -1 4 90 1 1 7") +
      entry("6 105 5 60 -1 -1 -1 -1 90 1 1 7") + entry("7 106 5 60 4 -1 -1 4 90 -1 1 7"));
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.import.workload.jobs.size(), 3u);
  EXPECT_THAT(result.import.notices,
              ElementsAre("left out, jobs that never ran or whose end is unknown: 1",
                          "left out, parts of interrupted jobs, whose sum stands in the log: 1",
                          "left out, jobs that do not fit on the servers: 1",
                          "taken for 1 s, runtimes of 0 s: 1", "left out, jobs without processors: 1",
                          "taken for 0, memory of jobs that the log does not tell: 1"));
  EXPECT_THAT(read_swf_log(head + a_job).import.notices, IsEmpty());
}

TEST(Swf, DaysCutTheLog) {
  const std::string log =
      head + a_job + entry("2 86499 5 60 4 -1 -1 4 90 1 1 7") + entry("3 86500 5 60 4 -1 -1 4 90 1 1 7");
  EXPECT_EQ(read_swf_log(log).import.workload.jobs.size(), 3u);
  EXPECT_EQ(read_swf_log(log, {.days = 1}).import.workload.jobs.size(), 2u);
}

TEST(Swf, BrokenLogsAreErrorsWithLineAndField) {
  EXPECT_EQ(read_swf_log(head + a_job + "2 101 5\n").error,
            "LOG:6: 3 fields instead of the 18 of the Standard Workload Format");
  EXPECT_EQ(read_swf_log(head + a_job + entry("2 99 5 60 4 -1 -1 4 90 1 1 7")).error,
            "LOG:6: submit time: \"99\" is before that of the job above");
  EXPECT_EQ(read_swf_log(head + entry("1 100 5 60 4 -1 -1 -4 90 1 1 7")).error,
            "LOG:5: requested processors: \"-4\" is negative; only -1 may be, for what is unknown");
  EXPECT_EQ(read_swf_log(head + entry("1 100 5 60 4 -1 -1 4 90 -2 1 7")).error,
            "LOG:5: requested memory: \"-2\" is negative; only -1 may be, for what is unknown");
  EXPECT_EQ(read_swf_log(head + entry("1 soon 5 60 4 -1 -1 4 90 1 1 7")).error,
            "LOG:5: submit time: \"soon\" is not a number");
  EXPECT_EQ(read_swf_log(head + entry("1 -1 5 60 4 -1 -1 4 90 1 1 7")).error,
            "LOG:5: submit time: \"-1\" is unknown");
  EXPECT_EQ(read_swf_log(head + entry("1 1 5 1e18 4 -1 -1 4 90 1 1 7")).error,
            "LOG:5: run time: \"1e18\" is more than 2147483648");
  EXPECT_EQ(read_swf_log(head + entry("\xff"
                                      "1 1 5 60 4 -1 -1 4 90 1 1 7"))
                .error,
            "LOG:5: job number: \"\xff"
            "1\" is no text without control characters");
  EXPECT_EQ(read_swf_log(head).error, "LOG: the log has no job");
  EXPECT_EQ(read_swf_log(head + entry("1 1 5 60 4 -1 -1 99 90 1 1 7")).error,
            "LOG: no job of the log fits on its servers");
}

TEST(Swf, ATruncatedGzipIsAnError) {
  const TemporaryFolder folder;
  std::string log = head;
  for (int i = 0; i < 500; ++i) log += a_job;
  const std::string whole = read_text(folder.write_gzip("whole", log));
  const std::string path = folder.write("log.swf.gz", std::string_view(whole).substr(0, whole.size() / 2));
  const auto import = import_swf(path, {});
  ASSERT_FALSE(import);
  EXPECT_THAT(describe(import.error()), HasSubstr(path + ":"));
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

}  // namespace
}  // namespace mirab::traces
