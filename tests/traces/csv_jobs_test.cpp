// Jobs over time from tables of the user's own.
#include "lab/traces/csv_jobs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>

#include "support/files.hpp"

namespace mirab::traces {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHead = "submit,run,user,cpus,memory\n";

/// On two hosts of 8 CPUs and 16 GiB.
Result<WorkloadImport> try_jobs(const std::string& table, const std::vector<std::string>& map = {},
                                const std::string& host = "cpus=8,memory=16Gi") {
  const Result<JobServers> hosts = equal_hosts(2, host);
  return hosts ? import_jobs({"jobs.csv", table}, *hosts, map) : hosts.error();
}

WorkloadImport imported_jobs(const std::string& table, const std::vector<std::string>& map = {},
                             const std::string& host = "cpus=8,memory=16Gi") {
  Result<WorkloadImport> import = try_jobs(table, map, host);
  if (import) return *std::move(import);
  ADD_FAILURE() << describe(import.error());
  return {};
}

std::string error_of(const std::string& table, const std::vector<std::string>& map = {},
                     const std::string& host = "cpus=8,memory=16Gi") {
  const Result<WorkloadImport> import = try_jobs(table, map, host);
  return import ? "" : describe(import.error());
}

TEST(CsvJobs, ATableBecomesAWorkloadAndTheClusterOnWhichItRuns) {
  const Result<CsvTable> servers = read_csv_table(
      {"servers.csv", "name,count,cpus,memory,label.zone,rack\ns,2,8,16Gi,a,1\ng,1,4,8Gi,b,2\n"});
  const auto import =
      import_jobs({"jobs.csv",
                   "state,user,job,submit,run,estimate,tasks,gang,cpus,memory,weight,select.zone\n"
                   "done,ann,late,130,60,90,1,1,2,4Gi,2,\n"
                   "done,bob,first,100,1.5h,,4,2,500m,1Gi,,b | a\n"},
                  {*servers}, {});
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(write_workload(import->workload),
            R"({"mirab": "workload", "version": 1, "resources": ["cpus", "memory"], "span": 5400}
{"user": "ann", "weight": 2}
{"user": "bob"}
{"request": 0, "demand": {"cpus": 2, "memory": 4294967296}}
{"request": 1, "demand": {"cpus": 0.5, "memory": 1073741824}, "select": {"zone": ["b", "a"]}}
{"job": "first", "at": 0, "user": "bob", "request": 1, "tasks": 4, "gang": 2, "runtime": 5400}
{"job": "late", "at": 30, "user": "ann", "request": 0, "runtime": 60, "requested": 90}
)");
  EXPECT_EQ(write_cluster_yaml(import->cluster), R"(version: 1
resources: [cpus, memory]
servers:
  - {name: s, capacity: {cpus: 8, memory: 16Gi}, count: 2, labels: {zone: a}}
  - {name: g, capacity: {cpus: 4, memory: 8Gi}, labels: {zone: b}}
users:
  - {name: ann, demand: {cpus: 2, memory: 4Gi}, weight: 2}
  - {name: bob, demand: {cpus: 0.5, memory: 1Gi}, select: {zone: [b, a]}}
)");
  EXPECT_THAT(import->notices, ElementsAre("columns of servers.csv that are not used: rack",
                                           "columns of jobs.csv that are not used: state"));
  EXPECT_THAT(
      import->provenance,
      ElementsAre(
          "From a table of 2 jobs; 2 of them, of 2 users, are here.",
          "Times count from the first submission that is here, the second 100. All runtimes are as the "
          "table says."));
}

TEST(CsvJobs, TheWorkloadFileReadsBackTheSame) {
  const Workload workload =
      imported_jobs(kHead + "5.25,1e3,a,1,1Gi\n0.000000001,1.5h,b,0.1,\n3,250ms,a,1,1Gi\n").workload;
  const Result<Workload> again = read_workload_text(write_workload(workload), "w");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->jobs, workload.jobs);
  EXPECT_EQ(again->users, workload.users);
  EXPECT_EQ(again->requests, workload.requests);
  EXPECT_EQ(again->span, workload.span);
  EXPECT_EQ(workload.jobs[0].name, "2");  // the row of what was submitted first
}

TEST(CsvJobs, DatesAreTakenWithAnyOffsetAndWithoutOneInUtc) {
  const WorkloadImport import = imported_jobs(
      kHead +
      "2026-03-01T09:00:30+01:00,1,a,1,\n2026-03-01 08:00:00,1,a,1,\n2026-03-01T08:00:01.5Z,1,a,1,\n");
  EXPECT_EQ(import.workload.jobs[0].submitted, seconds(0));
  EXPECT_EQ(import.workload.jobs[1].submitted, milliseconds(1500));
  EXPECT_EQ(import.workload.jobs[2].submitted, seconds(30));
  EXPECT_THAT(import.provenance[1], HasSubstr("2026-03-01T08:00:00.000Z"));
  EXPECT_THAT(error_of(kHead + "2026-03-01T09:00:30Z,1,a,1,\n5,1,a,1,\n"),
              HasSubstr("jobs.csv:3: submit: must be seconds in all rows, or a date in all"));
  EXPECT_THAT(error_of(kHead + "2026-02-30T09:00:30Z,1,a,1,\n"), HasSubstr("nor a date such as"));
  EXPECT_THAT(error_of(kHead + "1960-02-20T09:00:30Z,1,a,1,\n"), HasSubstr("1970 and 2262"));
}

TEST(CsvJobs, AMapNamesColumnsAndMultipliesTheirNumbers) {
  const WorkloadImport import = imported_jobs(
      "when_ms|minutes|team|cores|ram_gb|node\n1700000000250|1.5|a|2|0.5|n1\n"
      "1700000000000|2|a|2|0.5|n2\n",
      {"submit=when_ms*0.001", "run=minutes*60", "user=team", "jobs.cpus=cores", "jobs.memory=ram_gb*1Gi"});
  EXPECT_EQ(import.workload.jobs[1].submitted, milliseconds(250));
  EXPECT_EQ(import.workload.jobs[1].runtime, seconds(90));
  EXPECT_THAT(import.workload.requests,
              ElementsAre(Request{.demand = {Quantity(2), Quantity(std::int64_t{1} << 29)}}));
}

TEST(CsvJobs, TimesCountFromTheFirstJobThatIsKept) {
  const WorkloadImport import = imported_jobs(kHead +
                                              "1000,,a,1,\n"       // without a runtime
                                              "2000,10,a,9,\n"     // on no host
                                              "4000,10,late,1,\n"  //
                                              "3000,10,a,1,\n"     // the first
                                              "9e9,,a,1,\n");      // 285 years later
  ASSERT_EQ(import.workload.jobs.size(), 2u);
  EXPECT_EQ(import.workload.jobs[0].submitted, seconds(0));
  EXPECT_EQ(import.workload.jobs[1].submitted, seconds(1000));
  EXPECT_EQ(import.workload.span, seconds(1010));
  EXPECT_THAT(import.provenance[1], HasSubstr("from the first submission that is here, the second 3000."));
}

TEST(CsvJobs, AUnitMayHaveItsShortName) {
  const WorkloadImport import =
      imported_jobs(kHead + "0,45m,a,1,\n1,2h,a,1,\n2,1d,a,1,\n3,90s,a,1,\n4,1.5m,a,1,\n5,5ms,a,1,\n");
  std::vector<Duration> runtimes;
  for (const Job& job : import.workload.jobs) runtimes.push_back(job.runtime);
  EXPECT_THAT(runtimes, ElementsAre(minutes(45), minutes(120), minutes(24 * 60), seconds(90), seconds(90),
                                    milliseconds(5)));
}

TEST(CsvJobs, TimesInPartsAreReadAsPeopleAndSlurmWriteThem) {
  const WorkloadImport import =
      imported_jobs(kHead +
                    "0,1h30m,a,1,\n1,1:30:00,a,1,\n2,2-00:00:00,a,1,\n3,01:30,a,1,\n"
                    "4,2-12,a,1,\n5,1d 2h 3min 4s 5ms,a,1,\n6,5m30s,a,1,\n");
  std::vector<Duration> runtimes;
  for (const Job& job : import.workload.jobs) runtimes.push_back(job.runtime);
  EXPECT_THAT(runtimes, ElementsAre(minutes(90), minutes(90), minutes(48 * 60), seconds(90), minutes(60 * 60),
                                    minutes(26 * 60 + 3) + seconds(4) + milliseconds(5), seconds(330)));
  for (const char* bad :
       {"1:60", "1:2:3:4", "1h2h", "1m2h", "1h30", "1:", "2-", "-1:00", "1h-30m", "1:30:00h"})
    EXPECT_THAT(error_of(kHead + "0," + bad + ",a,1,\n"), HasSubstr("is not a time")) << bad;
  EXPECT_THAT(error_of(kHead + "2026-03,1,a,1,\n"), HasSubstr("submit: '2026-03' is not a time"));
  EXPECT_THAT(error_of("submit,length,user,cpus,memory\n0,1:30:00,a,1,\n", {"run=length*60"}),
              HasSubstr("'1:30:00' has a unit, and --map multiplies it too"));
}

TEST(CsvJobs, WhatCannotRunIsLeftOutAndCounted) {
  const WorkloadImport import = imported_jobs(
      "submit,run,user,cpus,memory,tasks,gang,select.zone\n"
      "0,10,a,1,,,,\n"
      "1,10,big,9,,,,\n"     // on no host
      "2,10,big,8,,3,2,\n"   // one host after the other
      "3,10,big,8,,3,3,\n"   // three at once on two hosts
      "4,10,there,1,,,,x\n"  // no host is labelled
      "5,,running,1,,,,\n"
      "6,10,idle,0,,,,\n"
      "7,0,a,1,,,,\n");
  EXPECT_THAT(
      import.notices,
      ElementsAre("left out, jobs without a runtime: 1", "left out, jobs that ask for nothing: 1",
                  "left out, jobs that do not fit on the servers: 3", "taken for 1 s, runtimes of 0 s: 1"));
  EXPECT_THAT(import.workload.users, ElementsAre(Submitter{"a"}, Submitter{"big"}));
  ASSERT_EQ(import.workload.jobs.size(), 3u);
  EXPECT_EQ(import.workload.jobs[2].runtime, seconds(1));
  EXPECT_THAT(error_of(kHead + "0,10,a,9,\n"),
              HasSubstr("jobs.csv: no job of the table has a runtime and fits on the servers"));
}

TEST(CsvJobs, ABadRowIsAnErrorWithItsPlace) {
  const std::string head = "submit,run,user,cpus,memory,tasks,gang,weight,job,select.zone\n0,1,a,1,,,,2,,\n";
  for (const auto& [row, error] : std::vector<std::pair<std::string, std::string>>{
           {",1,a,1,,,,,,", "jobs.csv:3: submit: is empty"},
           {"-1,1,a,1,,,,,,", "jobs.csv:3: submit: '-1' is not a time"},
           {"noon,1,a,1,,,,,,", "jobs.csv:3: submit: 'noon' is not a time"},
           {"1k,1,a,1,,,,,,", "jobs.csv:3: submit: '1k' is not a time"},
           {"1,-5,a,1,,,,,,", "jobs.csv:3: run: '-5' is not a time"},
           {"1,h,a,1,,,,,,", "jobs.csv:3: run: 'h' is not a time"},
           {"1,1e9,a,1,,,,,,", ""},
           {"1,4e9,a,1,,,,,,", "jobs.csv:3: run: is more than a hundred years"},
           {"1,1e18,a,1,,,,,,", "jobs.csv:3: run: is more than 292 years"},
           {"4e9,1,a,1,,,,,,", "jobs.csv:3: submit: is more than a hundred years after the first one"},
           {"1,1,,1,,,,,,", "jobs.csv:3: user: "},
           {"1,1,a,one,,,,,,", "jobs.csv:3: cpus: "},
           {"1,1,a,1,,0,,,,", "jobs.csv:3: tasks: must be a whole number from 1"},
           {"1,1,a,1,,1.5,,,,", "jobs.csv:3: tasks: must be a whole number"},
           {"1,1,a,1,,2,3,,,", "jobs.csv:3: gang: is more than the tasks of the job"},
           {"1,1,a,1,,100000000,,,,", "jobs.csv:3: tasks: make more than 100000000 in all"},
           {"1,1,a,1,,,,3,,", "jobs.csv:3: weight: 'a' has the weight 2 in a row above"},
           {"1,1,a,1,,,,,\"a\nb\",", "jobs.csv:3: job: "},
           {"1,1,a,1,,,,,,a||b", "jobs.csv:3: select.zone: "},
           {"1,1,a,1,,,,", "jobs.csv:3: 8 cells, and the head has 10"}}) {
    EXPECT_THAT(error_of(head + row + "\n"), ::testing::StartsWith(error)) << row;
    if (error.empty()) {
      EXPECT_EQ(error_of(head + row + "\n"), "");
    }
  }
  EXPECT_THAT(error_of("submit,user,cpus,memory\n0,a,1,1\n"),
              HasSubstr("jobs.csv:1: no column for 'run'; name one with --map jobs.run=COLUMN"));
  EXPECT_THAT(error_of("submit,run,user,cpus\n0,1,a,1\n"), HasSubstr("jobs.csv:1: no column for 'memory'"));
  EXPECT_THAT(error_of(kHead), HasSubstr("no job of the table"));
  EXPECT_THAT(error_of(kHead + "0,2min,a,1,1\n", {"run=run*60"}),
              HasSubstr("jobs.csv:2: run: '2min' has a unit, and --map multiplies it too"));
  EXPECT_THAT(error_of("submit,run,user,cpus,memory,select.\n0,1,a,1,1,x\n"),
              HasSubstr("jobs.csv:2: select.: "));
  EXPECT_THAT(error_of(""), HasSubstr("jobs.csv: the file is empty"));
}

TEST(CsvJobs, HostsAreAnOptionOfAmounts) {
  const WorkloadImport import = imported_jobs(kHead + "0,1,a,1,\n", {}, " cpus = 8 , memory=16Gi");
  EXPECT_THAT(import.cluster.servers,
              ElementsAre(Server{
                  .name = "host", .capacity = {Quantity(8), Quantity(std::int64_t{16} << 30)}, .count = 2}));
  EXPECT_THAT(error_of(kHead + "0,1,a,1,\n", {}, "cpus=8,memory=x"), HasSubstr("--host: memory: "));
  EXPECT_THAT(error_of(kHead, {}, "cpus"), HasSubstr("'cpus' is not of the form RESOURCE=AMOUNT"));
  EXPECT_THAT(error_of(kHead, {}, "cpus=1,cpus=2"), HasSubstr("'cpus' stands here twice"));
  EXPECT_THAT(error_of(kHead, {}, "fpgas=1"), HasSubstr("jobs.csv:1: no column for 'fpgas'"));
  EXPECT_THAT(error_of(kHead, {}, ""), HasSubstr("no column is a resource"));
}

}  // namespace
}  // namespace mirab::traces
