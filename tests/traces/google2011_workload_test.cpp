#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/model/workload_file.hpp>

#include "lab/traces/google2011/import.hpp"
#include "support/files.hpp"

// Reiss, Wilkes, Hellerstein, "Google cluster-usage traces: format + schema", 2011: the life of a task.
namespace mirab::traces {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

enum Event { submit, schedule, evict, fail, finish, kill, lost, update_pending, update_running };

constexpr int kStart = 600;  // s: the trace begins there

/// `second` 0 is the time before the trace, as in it; any other counts from its beginning.
std::string task(int second, int job, Event event, std::string_view cpu = "0.25", int index = 0,
                 std::string_view machine = "1") {
  const std::int64_t time = second == 0 ? 0 : std::int64_t{1'000'000} * (second + kStart);
  return fmt::format("{},,{},{},{},{},u{},2,1,{},0.1,0,0\n", time, job, index, machine,
                     static_cast<int>(event), job / 100, cpu);
}
std::string machine(int second, int id, int event, std::string_view cpu = "1") {
  const std::int64_t time = second == 0 ? 0 : std::int64_t{1'000'000} * (second + kStart);
  return fmt::format("{},{},{},P,{},1\n", time, id, event, cpu);
}

const std::string a_machine = machine(0, 1, 0);
const std::string a_life = task(10, 100, submit) + task(20, 100, schedule) + task(50, 100, finish);
const std::string the_end = task(1000, 999, submit);

struct Google2011WorkloadRead {
  WorkloadImport import;
  std::string error;
};

Google2011WorkloadRead read_google(const std::string& machines, const std::string& tasks,
                                   const Google2011WorkloadOptions& options = {}, std::uint64_t seed = 1) {
  const TemporaryFolder folder;
  const std::string machine_file = folder.write("machine_events.csv", machines);
  const std::string task_file = folder.write("task_events.csv", tasks);
  Random random(seed);
  auto import = import_google2011_workload({machine_file, task_file}, options, random);
  if (import) return {*std::move(import), ""};
  Error error = import.error();
  if (error.file == machine_file) error.file = "MACHINES";
  if (error.file == task_file) error.file = "TASKS";
  return {{}, describe(error)};
}

/// The jobs of these rows, before a last one that says when the trace ends.
std::vector<Job> jobs(const std::string& tasks) {
  const Google2011WorkloadRead result = read_google(a_machine, tasks + the_end);
  EXPECT_EQ(result.error, "");
  std::vector<Job> jobs = result.import.workload.jobs;
  if (!jobs.empty()) jobs.pop_back();
  return jobs;
}

std::vector<std::string> notices(const std::string& tasks) {
  const Google2011WorkloadRead result = read_google(a_machine, tasks);
  EXPECT_EQ(result.error, "");
  return result.import.notices;
}

TEST(Google2011Workload, ATaskThatStartsAndEndsHasItsMeasuredRuntime) {
  const std::vector<Job> read_google = jobs(a_life);
  ASSERT_EQ(read_google.size(), 1u);
  EXPECT_EQ(read_google[0].name, "100");
  EXPECT_EQ(read_google[0].submitted, seconds(10));
  EXPECT_EQ(read_google[0].runtime, seconds(30));
  EXPECT_EQ(read_google[0].known, Runtime::measured);
  EXPECT_EQ(read_google[0].tasks, 1);
}

TEST(Google2011Workload, EveryEndEndsALifeAndANewSubmissionBeginsAnother) {
  for (const Event end : {evict, fail, finish, kill, lost}) {
    const std::vector<Job> read_google =
        jobs(task(10, 100, submit) + task(20, 100, schedule) + task(25, 100, end) + task(30, 100, submit) +
             task(40, 100, schedule) + task(100, 100, finish));
    ASSERT_EQ(read_google.size(), 2u);
    EXPECT_EQ(read_google[0].runtime, seconds(5));
    EXPECT_EQ(read_google[1].submitted, seconds(30));
    EXPECT_EQ(read_google[1].runtime, seconds(60));
  }
}

TEST(Google2011Workload, OfATaskThatRanBeforeTheTraceTheRestCounts) {
  const std::vector<Job> read_google =
      jobs(task(0, 100, submit) + task(0, 100, schedule) + task(70, 100, finish));
  ASSERT_EQ(read_google.size(), 1u);
  EXPECT_EQ(read_google[0].submitted, seconds(0));
  EXPECT_EQ(read_google[0].runtime, seconds(70));
  EXPECT_EQ(read_google[0].known, Runtime::cut);
}

TEST(Google2011Workload, ATaskThatOutlivesTheTraceHasALongerLifeThanWasSeen) {
  const std::vector<Job> read_google =
      jobs(task(0, 200, submit) + task(0, 200, schedule) + a_life + task(60, 300, submit) +
           task(100, 300, schedule) + task(110, 400, submit));
  ASSERT_EQ(read_google.size(), 4u);
  EXPECT_GT(read_google[0].runtime, seconds(1000)) << "ran all the while";
  EXPECT_GT(read_google[2].runtime, seconds(900)) << "began at 100";
  EXPECT_GE(read_google[3].runtime, seconds(30)) << "never began; the shortest life is 30 s";
  for (const std::size_t i : {0u, 2u, 3u}) EXPECT_EQ(read_google[i].known, Runtime::cut);
}

TEST(Google2011Workload, WhatItsMachineCutShortTellsOnlyThatATaskLivesLonger) {
  for (const Event end : {evict, lost}) {
    const std::vector<Job> read_google =
        jobs(task(10, 100, submit) + task(20, 100, schedule) + task(25, 100, end) + task(30, 200, submit) +
             task(40, 200, schedule) + task(100, 200, finish) + task(110, 400, submit));
    ASSERT_EQ(read_google.size(), 3u);
    EXPECT_EQ(read_google[0].runtime, seconds(5)) << "the job is this attempt";
    EXPECT_EQ(read_google[2].runtime, seconds(60)) << "the only life that ended by itself";
  }
  for (const Event end : {fail, finish, kill}) {
    bool is_drawn = false;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Google2011WorkloadRead result =
          read_google(a_machine,
                      task(10, 100, submit) + task(20, 100, schedule) + task(25, 100, end) +
                          task(30, 200, submit) + task(40, 200, schedule) + task(100, 200, finish) + the_end,
                      {}, seed);
      is_drawn = is_drawn || result.import.workload.jobs.back().runtime == seconds(5);
    }
    EXPECT_TRUE(is_drawn) << "what ends by itself is a life";
  }
}

TEST(Google2011Workload, NoTimeIsLaterThan68YearsButForThatAfterTheTrace) {
  const std::string late = "100000000000000000,,100,0,1,4,u1,2,1,0.25,0.1,0,0\n";
  EXPECT_EQ(read_google(a_machine, a_life + late).error,
            "TASKS:4: time: \"100000000000000000\" is more than 68 years");
  EXPECT_EQ(read_google(a_machine + "9223372036854775805,1,1,P,1,1\n", a_life + the_end).error,
            "MACHINES:2: time: \"9223372036854775805\" is more than 68 years");
  EXPECT_EQ(read_google(a_machine + "9223372036854775807,1,1,P,1,1\n", a_life + the_end).error, "");
}

TEST(Google2011Workload, TheRequestIsTheLatestUntilTheTaskStarts) {
  const auto first_demand = [](const std::string& tasks) {
    const Google2011WorkloadRead result = read_google(a_machine, tasks + the_end);
    EXPECT_EQ(result.error, "");
    return result.import.workload.requests.at(0).demand.at(0).text();
  };
  EXPECT_EQ(first_demand(task(10, 100, submit, "0.5") + task(20, 100, schedule, "0.125") +
                         task(50, 100, finish, "0.5")),
            "0.125");
  EXPECT_EQ(first_demand(task(10, 100, submit, "0.5") + task(15, 100, update_pending, "0.25") +
                         task(20, 100, schedule, "") + task(30, 100, update_running, "0.75") +
                         task(50, 100, finish, "")),
            "0.25");
  EXPECT_THAT(notices(a_life + task(60, 200, submit) + task(61, 200, schedule) +
                      task(62, 200, update_running, "0.75")),
              Contains("not followed, new requests of running tasks: 1"));
}

TEST(Google2011Workload, WhatTheCourseOfATaskDoesNotAllowIsPassedOverAndCounted) {
  EXPECT_THAT(notices(a_life + task(60, 200, finish)),
              ElementsAre("passed over, ends and updates of tasks that were not there: 1"));
  EXPECT_THAT(notices(a_life + task(60, 200, submit) + task(61, 200, submit) + task(62, 200, schedule) +
                      task(63, 200, schedule)),
              ElementsAre("passed over, submissions and starts of tasks that were there already: 2"));
  EXPECT_THAT(notices(a_life + task(60, 200, schedule)),
              ElementsAre("taken for submitted when they started, tasks that nobody submitted: 1"));
  EXPECT_THAT(notices(a_life + task(60, 200, submit) + task(61, 200, schedule, "0.25", 0, "77")),
              ElementsAre("started on machines that the machine events do not know: 1"));
  EXPECT_THAT(notices(a_life + task(60, 200, submit) + task(61, 200, kill)),
              ElementsAre("left out, submissions that were withdrawn before they started: 1"));
  EXPECT_THAT(notices(a_life + task(60, 200, submit, "")),
              ElementsAre("left out, submissions without a request: 1"));
  EXPECT_THAT(notices(a_life + task(60, 200, submit, "7")),
              ElementsAre("left out, submissions that fit on none of the servers: 1"));
}

TEST(Google2011Workload, MachinesGoAndComeBack) {
  const Google2011WorkloadRead result =
      read_google(machine(0, 1, 0) + machine(0, 2, 0) + machine(30, 2, 1) + machine(40, 2, 0) +
                      machine(50, 1, 2, "2") + machine(60, 3, 0) + machine(2000, 3, 1),
                  a_life + the_end);
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.import.cluster.servers.size(), 1u);
  EXPECT_EQ(result.import.cluster.servers[0].name, "P-1-1");
  EXPECT_EQ(result.import.cluster.servers[0].count, 2);
  using Kind = ServerChange::Kind;
  const ResourceVector one{Quantity(1), Quantity(1)};
  const ResourceVector two{Quantity(2), Quantity(1)};
  const std::map<std::string, std::string> labels{{"platform", "P"}};
  EXPECT_THAT(result.import.workload.changes,
              ElementsAre(ServerChange{Kind::down, seconds(30), "P-1-1", 1},
                          ServerChange{Kind::up, seconds(40), "P-1-1", 1, one, labels},
                          ServerChange{Kind::down, seconds(50), "P-1-1", 0},
                          ServerChange{Kind::up, seconds(50), "P-2-1", 0, two, labels},
                          ServerChange{Kind::up, seconds(60), "P-1-1", 2, one, labels}));
  EXPECT_EQ(result.import.workload.span, seconds(1000));
}

TEST(Google2011Workload, SamplesDrawMachinesUsersAndJobs) {
  std::string machines;
  for (int id = 1; id <= 20; ++id) machines += machine(0, id, 0);
  std::string tasks = a_life;
  for (int job = 200; job < 1200; ++job) tasks += task(job, job, submit);
  const Google2011WorkloadOptions options{.sample_machines = 7, .sample_users = 4, .sample_jobs = 0.5};
  const Google2011WorkloadRead result = read_google(machines, tasks, options);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.import.cluster.servers.size(), 7u);
  EXPECT_EQ(result.import.workload.users.size(), 4u);
  EXPECT_EQ(result.import.cluster.users.size(), 4u);
  EXPECT_NEAR(static_cast<double>(result.import.workload.jobs.size()), 200, 50);
  EXPECT_EQ(write_workload(read_google(machines, tasks, options).import.workload),
            write_workload(result.import.workload));
  EXPECT_NE(write_workload(read_google(machines, tasks, options, 2).import.workload),
            write_workload(result.import.workload));
  EXPECT_THAT(read_google(machines, tasks, {.sample_users = 20}).error,
              HasSubstr("cannot draw 20 of 11 users"));
}

TEST(Google2011Workload, WhatIsImportedCanBeWrittenAndRead) {
  const Google2011WorkloadRead result = read_google(a_machine + machine(40, 1, 1), a_life + the_end);
  ASSERT_EQ(result.error, "");
  const std::string text = write_workload(result.import.workload, result.import.provenance);
  const Result<Workload> again = read_workload_text(text, "w");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->jobs, result.import.workload.jobs);
  EXPECT_EQ(again->changes, result.import.workload.changes);
  EXPECT_TRUE(Problem::from(result.import.cluster));
  EXPECT_THAT(text, HasSubstr("CC-BY 4.0"));
  EXPECT_THAT(text, HasSubstr("Seed: 1."));
}

TEST(Google2011Workload, BrokenTracesAreErrorsWithFileLineAndColumn) {
  EXPECT_EQ(read_google(a_machine, a_life + task(40, 200, submit)).error,
            "TASKS:4: time: \"640000000\" is before the time of the row above");
  EXPECT_EQ(read_google(a_machine + machine(9, 2, 0) + machine(8, 2, 1), a_life).error,
            "MACHINES:3: time: \"608000000\" is before the time of an earlier row");
  EXPECT_EQ(read_google(a_machine, a_life + "1,2,3\n").error,
            "TASKS:4: 3 columns instead of the 13 of task_events");
  EXPECT_THAT(read_google(a_machine, a_life + task(60, 200, submit, "-0.5")).error,
              HasSubstr("TASKS:4: CPU request: '-0.5' is negative"));
  EXPECT_EQ(read_google(a_machine, a_life + "660000000,,1,0,1,9,u,2,1,1,1,0,0\n").error,
            "TASKS:4: event type: \"9\" is no event from 0 (submit) to 8");
  EXPECT_EQ(read_google(a_machine, a_life + "660000000,,1,0,1,0,,2,1,1,1,0,0\n").error,
            "TASKS:4: user: \"\" names no user");
  EXPECT_EQ(read_google(a_machine, task(10, 100, submit)).error,
            "MACHINES: no task ends in these task events: nothing tells how long tasks run");
}

TEST(Google2011Workload, ATruncatedGzipIsAnError) {
  const TemporaryFolder folder;
  std::string tasks = a_life;
  for (int job = 200; job < 1000; ++job) tasks += task(job, job, submit);
  const std::string machines = folder.write("machine_events.csv", a_machine);
  const std::string whole = read_text(folder.write_gzip("task_events.csv.gz", tasks));
  const std::string path =
      folder.write("task_events.csv.gz", std::string_view(whole).substr(0, whole.size() / 2));
  Random random(1);
  const auto import = import_google2011_workload({machines, path}, {}, random);
  ASSERT_FALSE(import);
  EXPECT_EQ(import.error().file, path);
  EXPECT_GT(import.error().line, 1);
  EXPECT_THAT(import.error().message, HasSubstr("truncated"));
}

}  // namespace
}  // namespace mirab::traces
