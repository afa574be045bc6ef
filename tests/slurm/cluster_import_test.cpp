// A cluster of Slurm as a cluster file.
#include "slurm/cluster_import.hpp"

#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>

namespace mirab::slurm {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNodes =
    "NodeName=c1 CPUTot=32 RealMemory=1024 Gres=(null) State=MIXED Partitions=batch,long ActiveFeatures=ib\n"
    "NodeName=c2 CPUTot=32 RealMemory=1024 Gres=(null) State=IDLE Partitions=batch,long ActiveFeatures=ib\n"
    "NodeName=c3 CPUTot=32 RealMemory=1024 Gres=(null) State=IDLE+DRAIN Partitions=batch,long "
    "ActiveFeatures=ib\n"
    "NodeName=g1 CPUTot=64 RealMemory=4096 Gres=gpu:a100:4(S:0-1) State=ALLOCATED Partitions=gpu "
    "ActiveFeatures=ib,nvme\n";

const std::string kHead =
    "JobID|User|Account|State|Partition|NNodes|ReqTRES|AllocTRES|NodeList|Constraints\n";

Result<ClusterImport> try_import(const std::string& nodes, const std::string& jobs,
                                 Team team = Team::account) {
  return import_cluster({"nodes.txt", nodes}, {"jobs.txt", jobs}, team);
}

ClusterImport import_text(const std::string& jobs, Team team = Team::account) {
  Result<ClusterImport> import = try_import(kNodes, kHead + jobs, team);
  EXPECT_TRUE(import) << (import ? "" : describe(import.error()));
  return import ? *std::move(import) : ClusterImport{};
}

std::string refusal(const std::string& nodes, const std::string& jobs) {
  const Result<ClusterImport> import = try_import(nodes, jobs);
  return import ? "imported" : describe(import.error());
}

TEST(SlurmImport, NodesAreServersAndEachNodeOfAJobIsATask) {
  const ClusterImport import = import_text(
      "1|ann|bio|RUNNING|batch|2|cpu=16,mem=512M,node=2|cpu=16,mem=512M,node=2|c[1-2]|\n"
      "2|ann|bio|PENDING|batch|1|cpu=8,mem=256M,node=1|||\n"
      "3|bob|ai|RUNNING|gpu|1|cpu=8,mem=1G,gres/gpu=2|cpu=8,mem=1G,gres/gpu=2,gres/gpu:a100=2|g1|\n"
      "4_[1-9]|bob|ai|PENDING|gpu|1|cpu=4,mem=1G,gres/gpu=1|||\n"
      "5|bob|ai|COMPLETED|gpu|1|cpu=4,mem=1G|cpu=4,mem=1G|g1|\n");
  EXPECT_EQ(write_cluster_yaml(import.cluster), R"(version: 1
resources: [cpu, memory, gpu]
servers:
  - {name: c, capacity: {cpu: 32, memory: 1Gi}, count: 2, labels: {partition/batch: "yes"}}
  - {name: g1, capacity: {cpu: 64, memory: 4Gi, gpu: 4}, labels: {"gres/gpu:a100": "yes", partition/gpu: "yes"}}
users:
  - {name: bio, demand: {cpu: 8, memory: 256Mi}, tasks: 3, select: {partition/batch: ["yes"]}}
  - {name: ai, shapes: [
    {name: gpu-8cpu-2gpu, demand: {cpu: 8, memory: 1Gi, gpu: 2}, tasks: 1, select: {"gres/gpu:a100": ["yes"], partition/gpu: ["yes"]}},
    {name: gpu-4cpu-1gpu, demand: {cpu: 4, memory: 1Gi, gpu: 1}, tasks: 9, select: {partition/gpu: ["yes"]}},
  ]}
running:
  - {user: bio, server: c, tasks: 2}
  - {user: ai, shape: gpu-8cpu-2gpu, server: g1, tasks: 1}
)");
  EXPECT_THAT(import.notices, Contains("left out, done: 1 job: 5"));
  EXPECT_THAT(import.notices,
              Contains("not kept, that the tasks of a job on several nodes start together: 1 job: 1"));
  EXPECT_THAT(import.notices,
              Contains("left out, closed to new tasks and without one of a team: 1 node: c3"));
}

TEST(SlurmImport, ReadsJobsOfScontrolAndOfSqueue) {
  const Result<ClusterImport> scontrol =
      try_import(kNodes,
                 "JobId=7 JobName=x\n   UserId=ann(1000) GroupId=ann(1000)\n   Account=(null) "
                 "JobState=RUNNING\n   Partition=batch "
                 "NodeList=c1\n   NumNodes=1 NumCPUs=8\n   ReqTRES=cpu=8,mem=64M,node=1,billing=8\n   "
                 "AllocTRES=(null)\n");
  ASSERT_TRUE(scontrol) << describe(scontrol.error());
  EXPECT_EQ(scontrol->cluster.users[0].name, "ann") << "who has no account";
  EXPECT_EQ(scontrol->cluster.users[0].demand[1], Quantity(64 << 20));
  const Result<ClusterImport> squeue = try_import(
      kNodes,
      "JOBID|ACCOUNT|USER|STATE|PARTITION|NODES|CPUS|MIN_MEMORY|TRES_PER_NODE|NODELIST|FEATURES\n"
      "8|bio|ann|RUNNING|gpu|1|8|2G|gres/gpu:2|g1|(null)\n9|bio|ann|PENDING|batch|2|64|256M|N/A||ib\n");
  ASSERT_TRUE(squeue) << describe(squeue.error());
  const std::string yaml = write_cluster_yaml(squeue->cluster);
  EXPECT_THAT(yaml, HasSubstr("{name: gpu-8cpu-2gpu, demand: {cpu: 8, memory: 2Gi, gpu: 2}, tasks: 1, "
                              "select: {partition/gpu: [\"yes\"]}}"));
  EXPECT_THAT(yaml, HasSubstr("{name: batch-32cpu, demand: {cpu: 32, memory: 256Mi}, tasks: 2, select: "
                              "{feature/ib: [\"yes\"], partition/batch: [\"yes\"]}}"));
}

TEST(SlurmImport, FeaturesAndPartitionsSayWhereAJobMayRun) {
  const auto where = [](const std::string& partition, const std::string& features) {
    const std::string head = " UserId=a(1) JobState=PENDING NumNodes=1 Partition=" + partition + " Features=";
    const Result<ClusterImport> import = try_import(
        kNodes, "JobId=1" + head + "(null) ReqTRES=cpu=1\nJobId=2" + head + features + " ReqTRES=cpu=2\n");
    if (!import) return describe(import.error());
    const Problem problem = *Problem::from(import->cluster);
    std::string names;
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      if (problem.eligible(problem.user_count() - 1, i)) names += problem.servers()[i].name + " ";
    }
    return names;
  };
  EXPECT_EQ(where("batch,gpu", "nvme"), "g1 ");
  EXPECT_EQ(where("batch,gpu", "ib&nvme"), "g1 ");
  EXPECT_EQ(where("batch,gpu", "ib|nvme"), "c g1 ");
  EXPECT_EQ(where("batch,gpu", "nvme|none&ib"), "g1 ") << "from left to right";
  EXPECT_EQ(where("batch", "[ib*2]"), "c ");
}

TEST(SlurmImport, TeamsMayBeUsersOrPartitions) {
  const std::string jobs = "1|ann|bio|PENDING|batch|1|cpu=1|||\n2|bob|bio|PENDING|gpu|1|cpu=1|||\n";
  EXPECT_EQ(import_text(jobs).cluster.groups.size(), 1u);
  EXPECT_EQ(import_text(jobs, Team::user).cluster.users[1].name, "bob");
  EXPECT_EQ(import_text(jobs, Team::partition).cluster.users[1].name, "gpu");
}

TEST(SlurmImport, WhatRunsBeyondACapacityCountsAsWaiting) {
  const ClusterImport import = import_text(
      "1|ann|bio|RUNNING|batch|1|cpu=20|cpu=20|c1|\n2|ann|bio|RUNNING|batch|1|cpu=20|cpu=20|c1|\n");
  EXPECT_THAT(import.notices, Contains("counted as waiting, more than their node has: 1 task: on c1"));
  EXPECT_EQ(import.cluster.running->at(0).tasks, Quantity(1));
  EXPECT_EQ(import.cluster.users[0].tasks, Quantity(2));
}

TEST(SlurmImport, UnevenJobsAreDividedEquallyAndRoundedUp) {
  const ClusterImport import = import_text("1|ann|bio|PENDING|batch|3|cpu=10,mem=1|||\n");
  EXPECT_EQ(import.cluster.users[0].demand[0], *Quantity::parse("3.334"));
  EXPECT_THAT(import.notices, Contains(HasSubstr("no multiple of the nodes: 1 job: 1")));
}

TEST(SlurmImport, ClosedNodesHaveNoFreeRoom) {
  for (const std::string state : {"MIXED+DRAIN", "DOWN", "MIXED*", "IDLE*+CLOUD", "UNKNOWN"}) {
    SCOPED_TRACE(state);
    const Result<ClusterImport> import = try_import(
        "NodeName=c1 CPUTot=32 RealMemory=1024 State=IDLE Partitions=batch\n"
        "NodeName=c2 CPUTot=32 RealMemory=1024 State=" +
            state + " Partitions=batch\n",
        kHead +
            "1|ann|bio|RUNNING|batch|1|cpu=16,mem=512M|cpu=16,mem=512M|c2|\n"
            "2|bob|ai|PENDING|batch|1|cpu=8,mem=256M|||\n");
    ASSERT_TRUE(import) << describe(import.error());
    const std::string yaml = write_cluster_yaml(import->cluster);
    EXPECT_THAT(yaml, HasSubstr("{name: c2, capacity: {cpu: 16, memory: 512Mi}}"));
    EXPECT_THAT(yaml, HasSubstr("{name: bio, demand: {cpu: 16, memory: 512Mi}, tasks: 1, servers: [c2]}"));
    EXPECT_THAT(yaml, HasSubstr("{name: ai, demand: {cpu: 8, memory: 256Mi}, tasks: 1, select: "
                                "{partition/batch: [\"yes\"]}}"));
  }
}

/// The demand and the number of tasks of the only job.
std::string only_job(const std::string& jobs) {
  const Result<ClusterImport> import = try_import(kNodes, jobs);
  if (!import) return describe(import.error());
  std::string text;
  for (std::size_t r = 0; r < import->cluster.resources.size(); ++r)
    text += import->cluster.resources[r] + "=" + import->cluster.users[0].demand[r].text() + " ";
  return text + "tasks=" + import->cluster.users[0].tasks->text();
}

TEST(SlurmImport, PendingArraysOfScontrolCountTheirTasks) {
  const auto array = [](const std::string& list) {
    return only_job("JobId=9 ArrayJobId=9 ArrayTaskId=" + list +
                    " JobName=x UserId=a(1) JobState=PENDING NumNodes=1 Partition=batch ReqTRES=cpu=1\n");
  };
  EXPECT_THAT(array("5-100%4"), HasSubstr("tasks=96"));
  EXPECT_THAT(array("1-9:2,20"), HasSubstr("tasks=6"));
  EXPECT_THAT(array("7"), HasSubstr("tasks=1"));
  EXPECT_THAT(array("1,2,..."), HasSubstr("jobs.txt:1: ArrayTaskId: the list of array tasks is cut short"));
}

TEST(SlurmImport, GenericResourcesComeFromWhereverAJobNamesThem) {
  const auto job = [](const std::string& more, int nodes = 1) {
    return only_job("JobId=9 UserId=a(1) JobState=PENDING NumNodes=" + std::to_string(nodes) +
                    " Partition=gpu " + more + "\n");
  };
  EXPECT_EQ(job("ReqTRES=cpu=2,mem=1M TresPerNode=gres/gpu:2", 2), "cpu=1 memory=524288 gpu=2 tasks=2");
  EXPECT_EQ(job("ReqTRES=cpu=2,mem=1M TresPerNode=gres:gpu:2"), "cpu=2 memory=1048576 gpu=2 tasks=1");
  EXPECT_EQ(job("ReqTRES=cpu=2,mem=1M TresPerJob=gres/gpu:2", 2), "cpu=1 memory=524288 gpu=1 tasks=2");
  EXPECT_EQ(job("ReqTRES=cpu=2,mem=1M,gres/gpu:a100=2"), "cpu=2 memory=1048576 gpu=2 tasks=1");
  EXPECT_EQ(job("ReqTRES=cpu=2,mem=1M,gres/gpu=1 TresPerNode=gres/gpu:3"),
            "cpu=2 memory=1048576 gpu=1 tasks=1")
      << "TRES has it";
  const Result<ClusterImport> import = try_import(
      kNodes, "JobId=9 UserId=a(1) JobState=PENDING Partition=gpu ReqTRES=cpu=2 TresPerTask=gres/gpu:1\n");
  ASSERT_TRUE(import);
  EXPECT_THAT(import->notices, Contains("not kept, TresPerTask and TresPerSocket: 1 job: 9"));
}

TEST(SlurmImport, WhatWaitsHasWhatItRequests) {
  EXPECT_EQ(only_job("JobID|User|State|Partition|AllocCPUS|ReqCPUS|AllocNodes|ReqNodes|ReqMem\n"
                     "1|a|PENDING|batch|0|8|0|2|64M\n"),
            "cpu=4 memory=67108864 gpu=0 tasks=2");
  EXPECT_EQ(only_job("JobID|User|State|Partition|NCPUS|ReqCPUS|NNodes|ReqMem\n1|a|PENDING|batch|4|8|2|64M\n"),
            "cpu=4 memory=67108864 gpu=0 tasks=2");
}

TEST(SlurmImport, BadInputNamesFileLineAndField) {
  const std::string job = "1|ann|bio|PENDING|batch|1|cpu=1|||\n";
  EXPECT_THAT(refusal("NodeName=a RealMemory=1\n", kHead + job), HasSubstr("nodes.txt:1: CPUTot: missing"));
  EXPECT_THAT(refusal("NodeName=a CPUTot=x\n", kHead + job), HasSubstr("nodes.txt:1: CPUTot: 'x'"));
  EXPECT_THAT(refusal("NodeName=a CPUTot=1\nNodeName=a CPUTot=1\n", kHead + job),
              HasSubstr("nodes.txt:2: NodeName: a second node 'a'"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|PENDING|batch|1|cpu=many|||\n"),
              HasSubstr("jobs.txt:2: ReqTRES: 'many' is not an amount"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|PENDING|batch|0x|cpu=1|||\n"),
              HasSubstr("jobs.txt:2: NumNodes: must be"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|RUNNING|batch|1|cpu=1|cpu=1|c[1-|\n"),
              HasSubstr("jobs.txt:2: NodeList: a bracket"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|PENDING|batch|1||||\n"),
              HasSubstr("jobs.txt:2: ReqTRES: missing"));
  EXPECT_THAT(refusal(kNodes, kNodes), HasSubstr("jobs.txt:1: JobID: missing"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|COMPLETED|batch|1|cpu=1|||\n"),
              HasSubstr("jobs.txt: no job in it runs or waits"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|PENDING|none|1|cpu=1|||\n"),
              HasSubstr("no task is left that a team could run"));
}

}  // namespace
}  // namespace mirab::slurm
