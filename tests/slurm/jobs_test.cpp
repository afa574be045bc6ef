// Jobs as scontrol, squeue and sacct print them.
#include "slurm/jobs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace mirab::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Job job_of(std::string_view text) {
  const Result<std::vector<Record>> records = read_records(text, "jobs.txt");
  EXPECT_TRUE(records) << (records ? "" : describe(records.error()));
  if (!records || records->empty()) return {};
  const Result<Job> job = read_job(records->front());
  EXPECT_TRUE(job) << (job ? "" : describe(job.error()));
  return job ? *job : Job{};
}

/// `cpu=4 mem=1048576`, without what is 0.
std::string text_of(const Amounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    if (!amount.is_zero() && name != "node" && name != "billing")
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, amount.text());
  }
  return text;
}

TEST(SlurmJobs, WhatTresAllocOfSqueueTellsIsRead) {
  const std::string head = "JOBID|ACCOUNT|USER|STATE|PARTITION|NODES|CPUS|TRES_ALLOC|NODELIST|FEATURES\n";
  const Job job = job_of(head + "31|a|u|RUNNING|gpu|1|4|cpu=4,mem=32M,node=1,gres/gpu=1|g3|(null)\n");
  EXPECT_EQ(text_of(job.total), "cpu=4 gres/gpu=1 mem=33554432");
  EXPECT_FALSE(job.is_generic_unknown);
  EXPECT_EQ(text_of(job_of(head + "32|a|u|PENDING|gpu|1|4|cpu=4,mem=1M,gres/gpu:h100=2||(null)\n").total),
            "cpu=4 gres/gpu=2 gres/gpu:h100=2 mem=1048576");
}

TEST(SlurmJobs, ATableMayNotTellGenericResources) {
  const std::string head = "JOBID|STATE|NODES|CPUS|MIN_MEMORY|TRES_PER_NODE|NODELIST\n";
  EXPECT_TRUE(job_of(head + "1|RUNNING|1|4|32M|N/A|g3\n").is_generic_unknown);
  EXPECT_FALSE(job_of(head + "1|RUNNING|1|4|32M|gres/gpu:1|g3\n").is_generic_unknown);
  EXPECT_FALSE(job_of("JobID|State|NNodes|ReqTRES\n1|PENDING|1|cpu=4,mem=1M\n").is_generic_unknown);
}

TEST(SlurmJobs, HoldOnEachNodeWhatScontrolSaysOfIt) {
  const std::string lines =
      "JobId=7 JobName=x UserId=u(1) JobState=RUNNING Reason=None Dependency=(null)\n"
      "   NodeList=a[1-3] BatchHost=a1 NumNodes=3 NumCPUs=37\n"
      "   ReqTRES=cpu=37,mem=34M,node=3 AllocTRES=cpu=37,mem=34M,node=3,gres/gpu=5\n"
      "   JOB_GRES=gpu:a100:5\n"
      "     Nodes=a1 CPU_IDs=0-29,31 Mem=30 GRES=gpu:a100:3(IDX:0-2)\n"
      "     Nodes=a[2-3] CPU_IDs=0-2 Mem=2 GRES=gpu:a100:1(IDX:0)\n"
      "   MinCPUsNode=1 MinMemoryNode=0\n   Partition=p\n";
  std::string line = lines;
  std::replace(line.begin(), line.end() - 1, '\n', ' ');
  for (const std::string& text : {lines, line}) {
    const Job job = job_of(text);
    ASSERT_EQ(job.on_host.size(), 3u) << text;
    EXPECT_EQ(text_of(job.on_host.at("a1")), "cpu=31 gres/gpu=3 gres/gpu:a100=3 mem=31457280");
    EXPECT_EQ(text_of(job.on_host.at("a3")), "cpu=3 gres/gpu=1 gres/gpu:a100=1 mem=2097152");
    EXPECT_EQ(job.total.at("gres/gpu:a100"), Quantity(5)) << "TRES does not tell the type";
  }
}

TEST(SlurmJobs, WhatNoNodeIsSaidToHoldIsDividedEqually) {
  const Job job = job_of(
      "JobId=7 JobState=RUNNING NodeList=a[1-2] NumNodes=2 AllocTRES=cpu=4,mem=10M,gres/gpu=2 Nodes=a1 "
      "CPU_IDs=0-2 "
      "Mem=0 GRES= Nodes=a2 CPU_IDs=3 Mem=0 GRES= Partition=p\n");
  EXPECT_EQ(text_of(job.on_host.at("a1")), "cpu=3 gres/gpu=1 mem=5242880");
  EXPECT_EQ(text_of(job.on_host.at("a2")), "cpu=1 gres/gpu=1 mem=5242880");
  EXPECT_THAT(
      job_of("JobId=7 JobState=RUNNING NodeList=a[1-2] AllocTRES=cpu=4 Nodes=a1 CPU_IDs=0-2 Mem=0 GRES=\n")
          .on_host,
      IsEmpty())
      << "of a2 it says nothing";
}

TEST(SlurmJobs, AreHeldOrNeverStartBySlurmsReason) {
  const auto state = [](const std::string& fields) {
    return job_of("JobId=1 " + fields + " NumNodes=1 ReqTRES=cpu=1\n").state;
  };
  EXPECT_EQ(state("JobState=PENDING Reason=Priority"), JobState::waits);
  EXPECT_EQ(state("JobState=PENDING Reason=Dependency"), JobState::waits);
  EXPECT_EQ(state("JobState=PENDING Reason=DependencyNeverSatisfied"), JobState::never_starts);
  EXPECT_EQ(state("JobState=PENDING Reason=BadConstraints"), JobState::never_starts);
  for (const std::string reason :
       {"JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue", "launch_failed_requeued_held"})
    EXPECT_EQ(state("JobState=PENDING Reason=" + reason), JobState::held) << reason;
  for (const std::string word : {"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"})
    EXPECT_EQ(state("JobState=" + word), JobState::held) << word;
  EXPECT_EQ(state("JobState=RUNNING Reason=JobHeldUser"), JobState::runs);
  for (const std::string word : {"COMPLETED", "CANCELLED", "OUT_OF_MEMORY", "TIMEOUT"})
    EXPECT_EQ(state("JobState=" + word), JobState::done) << word;
  EXPECT_EQ(state("JobState=PENDNG"), JobState::unknown);
  EXPECT_EQ(job_of("JOBID|ST|NODES|CPUS|NODELIST(REASON)\n1|PD|1|1|(JobHeldAdmin)\n").state, JobState::held);
}

TEST(SlurmJobs, ResourcesOfEachTaskAreMultipliedByTheTasks) {
  const Job job = job_of(
      "JobId=1 JobState=PENDING NumNodes=1 NumTasks=3 ReqTRES=cpu=12,mem=6M TresPerTask=cpu=4,gres/gpu=2\n");
  EXPECT_EQ(text_of(job.total), "cpu=12 gres/gpu=6 mem=6291456");
  EXPECT_THAT(job_of("JobId=1 JobState=PENDING NumNodes=1 ReqTRES=cpu=12 TresPerTask=gres/gpu:2\n").total,
              ElementsAre(testing::Pair("cpu", Quantity(12))));
}

std::vector<std::string> parts(const std::string& fields, std::int64_t nodes) {
  std::vector<std::string> texts;
  for (const Part& part : spread(job_of("JobId=1 JobState=PENDING NumNodes=1 " + fields + "\n"), nodes))
    texts.push_back(fmt::format("{} x {}", part.count, text_of(part.amounts)));
  return texts;
}

TEST(SlurmJobs, AreSpreadOverNodesInWholeTasksAndUnits) {
  EXPECT_THAT(
      parts("NumTasks=1 ReqTRES=cpu=1,mem=512M,gres/gpu=12 TresPerJob=gres:gpu:12 MinMemoryCPU=512M", 3),
      ElementsAre("3 x cpu=1 gres/gpu=4 mem=536870912"));
  EXPECT_THAT(parts("NumTasks=1 ReqTRES=cpu=1,gres/gpu=10 TresPerJob=gres:gpu:10", 3),
              ElementsAre("1 x cpu=1 gres/gpu=4", "2 x cpu=1 gres/gpu=3"));
  EXPECT_THAT(parts("NumTasks=3 ReqTRES=cpu=3,mem=3M,gres/gpu=6 TresPerTask=gres:gpu:2", 2),
              ElementsAre("1 x cpu=2 gres/gpu=4 mem=2097152", "1 x cpu=1 gres/gpu=2 mem=1048576"));
  EXPECT_THAT(parts("NumTasks=128 ReqTRES=cpu=256,mem=1G MinMemoryNode=1G", 3),
              ElementsAre("2 x cpu=86 mem=1073741824", "1 x cpu=84 mem=1073741824"));
  EXPECT_THAT(parts("ReqTRES=cpu=5,gres/gpu=2 TresPerNode=gres/gpu:2", 2),
              ElementsAre("1 x cpu=3 gres/gpu=2", "1 x cpu=2 gres/gpu=2"));
}

TEST(SlurmJobs, GoOnNoMoreNodesThanTheyHaveTasksOrUnits) {
  const auto most = [](const std::string& fields) {
    return most_nodes(job_of("JobId=1 JobState=PENDING NumNodes=1 " + fields + "\n"));
  };
  EXPECT_EQ(most("NumTasks=1 ReqTRES=cpu=128"), 1);
  EXPECT_EQ(most("NumTasks=4 ReqTRES=cpu=128"), 4);
  EXPECT_EQ(most("ReqTRES=cpu=128"), 128);
  EXPECT_EQ(most("NumTasks=1 ReqTRES=cpu=1,gres/gpu=12 TresPerJob=gres:gpu:12"), 12);
  EXPECT_EQ(most("NumTasks=1 ReqTRES=cpu=1,gres/gpu=12 TresPerNode=gres:gpu:12"), 1);
  EXPECT_EQ(most("NumTasks=3 ReqTRES=cpu=3,gres/gpu=12 TresPerTask=gres:gpu:4"), 3);
}

// The fields and forms are those that squeue of 25.11, 23.02 and sacct of 25.11 print; the values are made
// up.
TEST(SlurmJobs, OfJsonSayTheSameAsOfText) {
  const std::string of_2511 = R"json({"meta": {"command": ["squeue", "--json"]}, "jobs": [
    {"job_id": 5679, "account": "bio", "user_name": "ann", "job_state": ["RUNNING", "COMPLETING"], "state_reason": "None",
     "partition": "gpu", "nodes": "g[1-2]", "node_count": {"set": true, "infinite": false, "number": 2},
     "cpus": {"set": true, "infinite": false, "number": 5}, "tasks": {"set": true, "infinite": false, "number": 5},
     "array_task_id": {"set": false, "infinite": false, "number": 0}, "array_task_string": "", "hold": false,
     "het_job_id": {"set": true, "infinite": false, "number": 0}, "shared": [],
     "tres_req_str": "cpu=1,mem=512M,node=1", "tres_alloc_str": "cpu=5,mem=5M,node=2", "tres_per_job": "gres/gpu:8",
     "memory_per_cpu": {"set": true, "infinite": false, "number": 1},
     "gres_detail": ["gpu:h100:5(IDX:0-4)", "gpu:h100:3(IDX:0-2)"],
     "job_resources": {"nodes": {"allocation": [
       {"index": 0, "name": "g1", "cpus": {"count": 4, "used": 0}, "memory": {"used": 0, "allocated": 4},
        "sockets": [{"index": 0, "cores": [{"index": 0, "status": ["ALLOCATED"]}]}]},
       {"index": 1, "name": "g2", "cpus": {"count": 1, "used": 0}, "memory": {"used": 0, "allocated": 1}}]}}}]})json";
  const Job now = job_of(of_2511);
  EXPECT_EQ(now.state, JobState::runs);
  EXPECT_EQ(now.tasks, 5);
  EXPECT_THAT(now.hosts, ElementsAre("g1", "g2"));
  EXPECT_EQ(text_of(now.on_host.at("g1")), "cpu=4 gres/gpu=5 gres/gpu:h100=5 mem=4194304");
  EXPECT_EQ(text_of(now.on_host.at("g2")), "cpu=1 gres/gpu=3 gres/gpu:h100=3 mem=1048576");
  EXPECT_EQ(now.total.at("gres/gpu"), Quantity(8))
      << "TRES has no GPUs here, as where they are not kept account of";

  const Job before = job_of(R"json({"jobs": [
    {"job_id": 16, "job_state": "RUNNING", "partition": "p", "nodes": "g1", "node_count": 1, "cpus": 16,
     "tres_alloc_str": "cpu=16,mem=120M,node=1,gres\/gpu=8", "gres_detail": ["gpu:8(IDX:0-7)"], "exclusive": ["true"],
     "job_resources": {"nodes": "g1", "allocated_nodes": [
       {"sockets": {"0": {"cores": {"0": "allocated"}}}, "nodename": "g1", "cpus_used": 0, "memory_allocated": 120}]}}]})json");
  EXPECT_EQ(text_of(before.on_host.at("g1")), "cpu=16 gres/gpu=8 mem=125829120");
  EXPECT_TRUE(before.is_exclusive);

  const Job pending = job_of(R"json({"jobs": [
    {"job_id": 9, "job_state": ["PENDING"], "array_task_string": "1-20:2%4", "node_count": {"set": true, "number": 1},
     "cpus": {"set": true, "number": 2}, "tres_req_str": "cpu=2,mem=1M,node=1", "tres_per_task": "gres/gpu=1",
     "tasks": {"set": true, "number": 2}, "shared": ["none"], "state_reason": "Priority", "hold": false}]})json");
  EXPECT_EQ(pending.array, 10);
  EXPECT_EQ(text_of(pending.total), "cpu=2 gres/gpu=2 mem=1048576");
  EXPECT_TRUE(pending.is_exclusive);
  const auto shares = [](const std::string& fields) {
    return job_of(
        R"({"jobs": [{"job_id": 9, "job_state": "PENDING", "node_count": 1, "tres_req_str": "cpu=2", )" +
        fields + "}]}");
  };
  EXPECT_TRUE(shares(R"("shared": ["none"], "exclusive": ["true"])").is_exclusive) << "data parser 0.0.41";
  EXPECT_TRUE(shares(R"("shared": [], "exclusive": ["true"])").is_exclusive);
  EXPECT_FALSE(shares(R"("shared": [], "exclusive": [])").is_exclusive);
  EXPECT_EQ(job_of(R"json({"jobs": [{"job_id": 9, "job_state": ["PENDING"], "hold": true}]})json").state,
            JobState::held);

  const Job of_sacct = job_of(R"json({"jobs": [
    {"job_id": 5750, "account": "bio", "user": "ann", "partition": "p", "nodes": "None assigned", "allocation_nodes": 0,
     "array": {"job_id": 0, "task_id": {"set": false, "number": 0}, "task": "3-5"},
     "het": {"job_id": 0, "job_offset": {"set": false, "number": 0}}, "required": {"CPUs": 12},
     "state": {"current": ["PENDING"], "reason": "Resources"}, "steps": [], "constraints": "ib",
     "tres": {"allocated": [], "requested": [
       {"type": "cpu", "name": "", "id": 1, "count": 12}, {"type": "mem", "name": "", "id": 2, "count": 64},
       {"type": "energy", "name": "", "id": 3, "count": -2}, {"type": "node", "name": "", "id": 4, "count": 1},
       {"type": "gres", "name": "gpu", "id": 1001, "count": 2}]}}]})json");
  EXPECT_EQ(of_sacct.state, JobState::waits);
  EXPECT_EQ(of_sacct.array, 3);
  EXPECT_EQ(text_of(of_sacct.total), "cpu=12 gres/gpu=2 mem=67108864");
}

TEST(SlurmJobs, OfLongJsonTheCoresAreNotKept) {
  const std::string twice = R"("sockets": {"cores": 1, "cores": 2})";  // which is an error where it is read
  const std::string text = R"({"jobs": [{"job_id": 1, "job_state": ["RUNNING"], "nodes": "g1", "cpus": 4,
    "job_resources": {"nodes": {"allocation": [{"name": "g1", "cpus": {"count": 3}, )" +
                           twice + "}]}}}]}";
  const Result<std::vector<Record>> is_read = read_records(text, "jobs.json");
  EXPECT_FALSE(is_read);
  const Job job = job_of(text + std::string(std::size_t{1} << 25, ' '));
  ASSERT_TRUE(job.on_host.contains("g1"));
  EXPECT_EQ(text_of(job.on_host.at("g1")), "cpu=3");
}

TEST(SlurmJobs, JsonOfAnotherKindIsRefused) {
  const auto refusal = [](std::string_view text) {
    const Result<std::vector<Record>> records = read_records(text, "jobs.json");
    return records ? "read" : describe(records.error());
  };
  EXPECT_THAT(refusal("{\"sinfo\": []}"),
              HasSubstr("jobs.json:1: has neither a list `nodes` nor one of `jobs`"));
  EXPECT_THAT(refusal("{\"jobs\": [}"), HasSubstr("jobs.json:1: "));
  EXPECT_THAT(refusal("31|a|u|RUNNING|1\n"),
              HasSubstr("jobs.json:1: the head with the names of the columns is missing"));
}

}  // namespace
}  // namespace mirab::slurm
