// A cluster of Slurm as a cluster file.
#include "slurm/cluster_import.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <set>
#include <tuple>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

namespace mirab::slurm {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

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
  return import_cluster({"nodes.txt", nodes}, {"jobs.txt", jobs}, {.team = team});
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
  - {name: g1, capacity: {cpu: 64, memory: 4Gi, gpu: 4}, labels: {partition/gpu: "yes"}}
users:
  - {name: bio, demand: {cpu: 8, memory: 256Mi}, tasks: 3, select: {partition/batch: ["yes"]}}
  - {name: ai, shapes: [
    {name: gpu-8cpu-2gpu, demand: {cpu: 8, memory: 1Gi, gpu: 2}, tasks: 1, select: {partition/gpu: ["yes"]}},
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

TEST(SlurmImport, WhatRunsBeyondACapacityIsKept) {
  const ClusterImport import = import_text(
      "1|ann|bio|RUNNING|batch|1|cpu=20|cpu=20|c1|\n2|ann|bio|RUNNING|batch|1|cpu=20|cpu=20|c1|\n");
  EXPECT_THAT(import.notices, Contains("counted with what runs there, which is more than they have: 1 node: "
                                       "c1 (cpu 40 instead of 32)"));
  EXPECT_TRUE(import.cluster.servers[0].is_overfull);
  EXPECT_EQ(import.cluster.running->at(0).tasks, Quantity(2));
  EXPECT_EQ(import.cluster.users[0].tasks, Quantity(2));
}

TEST(SlurmImport, UnevenJobsAreDividedEquallyAndRoundedUp) {
  const ClusterImport import = import_text("1|ann|bio|PENDING|batch|3|cpu=10,mem=1|||\n");
  EXPECT_EQ(import.cluster.users[0].demand[0], *Quantity::parse("3.334"));
  EXPECT_THAT(import.notices, Contains(HasSubstr("no multiple of the nodes: 1 job: 1")));
  EXPECT_THAT(import_text("1|ann|bio|PENDING|batch|2|cpu=3,mem=2M|||\n").notices,
              Contains(HasSubstr("no multiple of the nodes: 1 job: 1")))
      << "Slurm gives whole CPUs";
}

TEST(SlurmImport, OfUnequalNodesNoneHoldsMoreOfAJobThanItHas) {
  const ClusterImport import = import_text(
      "1|ann|bio|RUNNING|batch,gpu|2|cpu=72,mem=2G,node=2|cpu=72,mem=2G,node=2|c1,g1|\n"
      "2|bob|ai|RUNNING|batch|2|cpu=72,mem=512M,node=2|cpu=72,mem=512M,node=2|c[1-2]|\n");
  const std::string yaml = write_cluster_yaml(import.cluster);
  EXPECT_THAT(yaml, HasSubstr("demand: {cpu: 32, memory: 1Gi}, tasks: 1"));
  EXPECT_THAT(yaml, HasSubstr("demand: {cpu: 40, memory: 1Gi}, tasks: 1"));
  EXPECT_THAT(yaml, HasSubstr("demand: {cpu: 36, memory: 256Mi}, tasks: 2")) << "more than both have";
  EXPECT_THAT(import.notices,
              Contains("divided among their nodes by what these have, since some have less than "
                       "an equal part: 1 job: 1"));
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
    EXPECT_THAT(yaml, HasSubstr("{name: c2, capacity: {cpu: 16, memory: 512Mi}, taints: [closed]}"));
    EXPECT_THAT(yaml, HasSubstr("{name: bio, demand: {cpu: 16, memory: 512Mi}, tasks: 1, servers: [c2], "
                                "tolerates: [\"*\"]}"));
    EXPECT_THAT(yaml, HasSubstr("{name: ai, demand: {cpu: 8, memory: 256Mi}, tasks: 1}"))
        << "a partition of all nodes is not said";
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
  EXPECT_THAT(import->notices,
              Contains("not kept, TresPerTask, since the number of tasks is not known: 1 job: 9"));
}

TEST(SlurmImport, AJobThatRequestsWhatNoNodeHasIsLeftOut) {
  const ClusterImport import = import_text(
      "1|ann|bio|PENDING|batch|1|cpu=1,gres/fpga=1|||\n2|ann|bio|PENDING|batch|1|cpu=1,bb/cray=1G|||\n");
  EXPECT_THAT(import.notices, Contains("left out, allowed on no node: 1 task: bio/batch-1cpu"));
  EXPECT_THAT(import.notices, Contains("not kept, burst buffers: 1 job: 2"));
  EXPECT_EQ(import.cluster.users[0].tasks, Quantity(1));
}

TEST(SlurmImport, WhatWaitsHasWhatItRequests) {
  EXPECT_EQ(only_job("JobID|User|State|Partition|AllocCPUS|ReqCPUS|AllocNodes|ReqNodes|ReqMem\n"
                     "1|a|PENDING|batch|0|8|0|2|64M\n"),
            "cpu=4 memory=67108864 gpu=0 tasks=2");
  EXPECT_EQ(only_job("JobID|User|State|Partition|NCPUS|ReqCPUS|NNodes|ReqMem\n1|a|PENDING|batch|4|8|2|64M\n"),
            "cpu=4 memory=67108864 gpu=0 tasks=2");
}

/// The tasks of each user, and how many of them run: `a 3 x cpu=1 gpu=2, 1 run`.
std::vector<std::string> users_of(const Result<ClusterImport>& import) {
  if (!import) return {describe(import.error())};
  std::vector<std::string> texts;
  for (const User& user : import->cluster.users) {
    std::string text = fmt::format("{} {} x", user.shape ? *user.group : user.name, user.tasks->text());
    for (std::size_t r = 0; r < user.demand.size(); ++r) {
      if (!user.demand[r].is_zero())
        text += fmt::format(" {}={}", import->cluster.resources[r], user.demand[r].text());
    }
    std::int64_t running = 0;
    for (const Running& each : *import->cluster.running) {
      const std::string name = each.shape ? each.user + "/" + *each.shape : each.user;
      if (name == user.name) running += *count_units(each.tasks, 0, Rounding::down);
    }
    texts.push_back(running == 0 ? text : fmt::format("{}, {} run", text, running));
  }
  return texts;
}

std::vector<std::string> notices_of(const Result<ClusterImport>& import) {
  return import ? import->notices : std::vector<std::string>{describe(import.error())};
}

std::string job(int id, const std::string& account, const std::string& fields) {
  return fmt::format("JobId={} UserId=u(1) Account={} {}\n", id, account, fields);
}

TEST(SlurmImport, AnUnevenJobHoldsOnEachNodeWhatSlurmSays) {
  const Result<ClusterImport> import = try_import(
      "NodeName=a1 CPUTot=32 State=MIXED Partitions=p\nNodeName=a2 CPUTot=32 State=ALLOCATED Partitions=p\n",
      job(1, "a",
          "JobState=RUNNING NodeList=a[1-2] NumNodes=2 AllocTRES=cpu=32,node=2 Nodes=a1 CPU_IDs=0-29 Mem=0 "
          "GRES= Nodes=a2 CPU_IDs=30-31 Mem=0 GRES= Partition=p") +
          job(2, "b",
              "JobState=RUNNING NodeList=a2 NumNodes=1 AllocTRES=cpu=30,node=1 Nodes=a2 CPU_IDs=0-29 Mem=0 "
              "GRES= "
              "Partition=p"));
  EXPECT_THAT(users_of(import),
              ElementsAre("a 1 x cpu=30, 1 run", "a 1 x cpu=2, 1 run", "b 1 x cpu=30, 1 run"));
  EXPECT_THAT(notices_of(import), Not(Contains(HasSubstr("no multiple of the nodes"))));
  ASSERT_TRUE(import);
  const Result<Outcome> given = allocate(*Problem::from(import->cluster), "given");
  ASSERT_TRUE(given);
  double tasks = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    for (const Grant& grant : given->allocation.grants.of(n)) tasks += grant.tasks;
  }
  EXPECT_EQ(tasks, 3) << "`given` is what runs";
}

TEST(SlurmImport, GpusOfEachTypeAreAResourceBesideTheirSum) {
  const std::string nodes =
      "NodeName=m CPUTot=32 Gres=gpu:model_a:2,gpu:model_b:2 State=IDLE Partitions=gpu\n"
      "NodeName=u CPUTot=32 Gres=gpu:2 State=IDLE Partitions=gpu\n";
  const auto pending = [](const std::string& tres) {
    return "JobState=PENDING NumNodes=1 NumTasks=1 Partition=gpu ReqTRES=cpu=1," + tres;
  };
  const Result<ClusterImport> import = try_import(
      nodes, job(1, "a", pending("gres/gpu:model_a=4")) + job(2, "b", pending("gres/gpu:model_b=1")) +
                 job(3, "c", pending("gres/gpu=4")) + job(4, "d", pending("gres/gpu:model_c=1")));
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_THAT(import->cluster.resources, ElementsAre("cpu", "memory", "gpu", "gpu:model_a", "gpu:model_b"));
  EXPECT_THAT(users_of(import), ElementsAre("a 1 x cpu=1 gpu=4 gpu:model_a=4",
                                            "b 1 x cpu=1 gpu=1 gpu:model_b=1", "c 1 x cpu=1 gpu=4"));
  EXPECT_THAT(import->notices, Contains("left out, allowed on no node: 1 task: d/gpu-1cpu-1gpu"));
  const Problem problem = *Problem::from(import->cluster);
  const Result<Outcome> division = allocate(problem, "drfh");
  ASSERT_TRUE(division) << describe(division.error());
  double model_a = 0;
  for (const Grant& grant : division->allocation.grants.of(0)) model_a += 4 * grant.tasks;
  EXPECT_LE(model_a, 2 + 1e-9) << "no node gives more of a type than it has";
}

TEST(SlurmImport, TheOnlyTypeOfGpuIsNoResourceOfItsOwn) {
  const auto resources = [](const std::string& gres) {
    const Result<ClusterImport> import = try_import(
        "NodeName=a CPUTot=8 Gres=gpu:a100:2 State=IDLE Partitions=p\nNodeName=b CPUTot=8 Gres=" + gres +
            " State=IDLE Partitions=p\n",
        job(1, "a", "JobState=PENDING NumNodes=1 Partition=p ReqTRES=cpu=1,gres/gpu:a100=1"));
    return import ? import->cluster.resources : std::vector<std::string>{describe(import.error())};
  };
  EXPECT_THAT(resources("gpu:a100:4(S:0)"), ElementsAre("cpu", "memory", "gpu"));
  EXPECT_THAT(resources("(null)"), ElementsAre("cpu", "memory", "gpu"));
  EXPECT_THAT(resources("gpu:4"), ElementsAre("cpu", "memory", "gpu", "gpu:a100")) << "others have no type";
  EXPECT_THAT(resources("gpu:v100:4"), ElementsAre("cpu", "memory", "gpu", "gpu:a100", "gpu:v100"));
}

TEST(SlurmImport, AJobThatNoNodeHoldsIsDividedAmongAsFewAsHoldIt) {
  const std::string nodes =
      "NodeName=g1 CPUTot=32 Gres=gpu:4 RealMemory=1000 State=IDLE Partitions=gpu\n"
      "NodeName=g2 CPUTot=32 Gres=gpu:4 RealMemory=1000 State=IDLE Partitions=gpu\n"
      "NodeName=g3 CPUTot=32 Gres=gpu:4 RealMemory=1000 State=IDLE Partitions=gpu\n"
      "NodeName=g4 CPUTot=32 Gres=gpu:4 RealMemory=1000 State=DRAINED Partitions=gpu\n";
  const auto users = [&](const std::string& fields) {
    return users_of(try_import(nodes, job(1, "a", "JobState=PENDING Partition=gpu " + fields)));
  };
  EXPECT_THAT(users("NumNodes=1 NumTasks=1 ReqTRES=cpu=1,gres/gpu=12 TresPerJob=gres:gpu:12"),
              ElementsAre("a 3 x cpu=1 gpu=4"));
  EXPECT_THAT(users("NumNodes=1-1 NumTasks=3 ReqTRES=cpu=3,gres/gpu=6 TresPerTask=gres:gpu:2"),
              ElementsAre("a 1 x cpu=2 gpu=4", "a 1 x cpu=1 gpu=2"));
  EXPECT_THAT(users("NumNodes=1 NumTasks=1 ReqTRES=cpu=1,gres/gpu=10 TresPerJob=gres:gpu:10"),
              ElementsAre("a 1 x cpu=1 gpu=4", "a 2 x cpu=1 gpu=3"));
  EXPECT_THAT(users("NumNodes=1 NumTasks=64 ReqTRES=cpu=64"), ElementsAre("a 2 x cpu=32"));
  EXPECT_THAT(users("NumNodes=1 NumTasks=64 ReqTRES=cpu=64,mem=1M ArrayTaskId=1-5"),
              ElementsAre("a 10 x cpu=32 memory=524288"));
  const std::string whole = "a 1 x cpu=64";
  EXPECT_THAT(users("NumNodes=1 NumTasks=1 CPUs/Task=64 ReqTRES=cpu=64"), ElementsAre(whole))
      << "one task is on one node";
  EXPECT_THAT(users("NumNodes=1 NumTasks=1 ReqTRES=cpu=1,gres/gpu=12 TresPerNode=gres:gpu:12"),
              ElementsAre("a 1 x cpu=1 gpu=12"))
      << "each node must have 12";
  EXPECT_THAT(users("NumNodes=1 NumTasks=1 ReqTRES=cpu=1,gres/gpu=16 TresPerJob=gres:gpu:16"),
              ElementsAre("a 1 x cpu=1 gpu=16"))
      << "three nodes are open";
  EXPECT_THAT(users("NumNodes=2 NumTasks=2 ReqTRES=cpu=2,gres/gpu=8"), ElementsAre("a 2 x cpu=1 gpu=4"));
  const std::string large = "NodeName=h CPUTot=32 Gres=gpu:8 RealMemory=1000 State=IDLE Partitions=gpu\n";
  EXPECT_THAT(users_of(try_import(nodes + large, job(1, "a",
                                                     "JobState=PENDING Partition=gpu NumNodes=1 NumTasks=1 "
                                                     "ReqTRES=cpu=1,gres/gpu=16 TresPerJob=gres:gpu:16"))),
              ElementsAre("a 4 x cpu=1 gpu=4"))
      << "there are not two nodes with 8";
  const Result<ClusterImport> import =
      try_import(nodes, job(7, "a", "JobState=PENDING Partition=gpu NumNodes=1 NumTasks=64 ReqTRES=cpu=64"));
  EXPECT_THAT(notices_of(import),
              Contains("divided among more nodes than they name, since no node holds as much: 1 job: 7"));
}

TEST(SlurmImport, AnExclusiveJobTakesWholeNodes) {
  const std::string nodes =
      "NodeName=g CPUTot=64 Gres=gpu:4 RealMemory=4000 State=IDLE Partitions=p\n"
      "NodeName=s CPUTot=16 RealMemory=1000 State=IDLE Partitions=p\n"
      "NodeName=l CPUTot=32 RealMemory=2000 State=IDLE Partitions=p\n";
  const auto users = [&](const std::string& fields) {
    return users_of(try_import(nodes, job(1, "a", "Partition=p OverSubscribe=NO " + fields)));
  };
  EXPECT_THAT(users("JobState=PENDING NumNodes=1 ReqTRES=cpu=1,mem=1M"),
              ElementsAre("a 1 x cpu=16 memory=1048576000"));
  EXPECT_THAT(users("JobState=PENDING NumNodes=2 ReqTRES=cpu=40,mem=1M"),
              ElementsAre("a 2 x cpu=32 memory=2097152000"))
      << "the smallest that hold 20 CPUs";
  EXPECT_THAT(users("JobState=PENDING NumNodes=1 ReqTRES=cpu=1,gres/gpu=1"),
              ElementsAre("a 1 x cpu=64 memory=4194304000 gpu=4"));
  EXPECT_THAT(users("JobState=RUNNING NodeList=l NumNodes=1 AllocTRES=cpu=32,mem=1M"),
              ElementsAre("a 1 x cpu=32 memory=2097152000, 1 run"));
  const Result<ClusterImport> beside = try_import(
      nodes,
      job(1, "a", "Partition=p OverSubscribe=NO JobState=RUNNING NodeList=l AllocTRES=cpu=8,mem=1M") +
          job(2, "b", "Partition=p OverSubscribe=OK JobState=RUNNING NodeList=l AllocTRES=cpu=8,mem=1M"));
  EXPECT_THAT(users_of(beside),
              ElementsAre("a 1 x cpu=8 memory=1048576, 1 run", "b 1 x cpu=8 memory=1048576, 1 run"))
      << "Slurm let another job run there";
  EXPECT_THAT(notices_of(beside),
              Contains("counted with what they asked for, exclusive but not alone on their nodes: 1 job: 1"));
}

TEST(SlurmImport, JobsThatCannotStartYetAreNamed) {
  const std::string node = "NodeName=n CPUTot=8 State=IDLE Partitions=p\n";
  const auto pending = [](const std::string& reason) {
    return "JobState=PENDING Partition=p NumNodes=1 ReqTRES=cpu=1 Reason=" + reason;
  };
  const Result<ClusterImport> import =
      try_import(node, job(1, "a", pending("Priority")) + job(2, "b", pending("JobHeldUser")) +
                           job(3, "b", pending("JobHeldAdmin")) +
                           job(4, "c", pending("Dependency Dependency=afterok:1(unfulfilled)")) +
                           job(5, "d", pending("DependencyNeverSatisfied Dependency=afterok:9(failed)")) +
                           job(6, "e", pending("BeginTime Dependency=(null)")));
  EXPECT_THAT(users_of(import), ElementsAre("a 1 x cpu=1", "c 1 x cpu=1", "e 1 x cpu=1"));
  EXPECT_THAT(notices_of(import),
              IsSupersetOf({"left out, held until somebody releases them: 2 jobs: 2, 3",
                            "left out, never start as they are (a dependency failed, or no node meets their "
                            "constraints): 1 job: 5",
                            "not kept, dependencies (counted as if they were met): 1 job: 4",
                            "not kept, begin times (counted as if they were past): 1 job: 6"}));
}

TEST(SlurmImport, PartsOfAHeterogeneousJobAreNamed) {
  const std::string node = "NodeName=n CPUTot=99 State=IDLE Partitions=p\n";
  const std::string words = "not kept, that the parts of a heterogeneous job start together: 2 jobs: ";
  const Result<ClusterImport> scontrol = try_import(
      node,
      job(20, "a", "HetJobId=20 HetJobOffset=0 JobState=PENDING Partition=p NumNodes=1 ReqTRES=cpu=9") +
          job(21, "a", "HetJobId=20 HetJobOffset=1 JobState=PENDING Partition=p NumNodes=1 ReqTRES=cpu=3"));
  EXPECT_THAT(notices_of(scontrol), Contains(words + "20, 21"));
  EXPECT_THAT(notices_of(try_import(node, "JOBID|STATE|NODES|CPUS\n38+0|PENDING|1|1\n38+1|PENDING|1|2\n")),
              Contains(words + "38+0, 38+1"));
}

TEST(SlurmImport, ANoteNamesJobsWhoseGpusATableDoesNotTell) {
  const std::string table =
      "JOBID|ACCOUNT|USER|STATE|PARTITION|NODES|CPUS|MIN_MEMORY|TRES_PER_NODE|NODELIST|FEATURES\n"
      "31|a1|u1|RUNNING|gpu|1|4|32M|N/A|g1|(null)\n32|a2|u2|RUNNING|gpu|1|4|32M|gres/gpu:1|g1|(null)\n"
      "33|a2|u2|PENDING|batch|1|4|32M|N/A||(null)\n";
  EXPECT_THAT(
      notices_of(try_import(kNodes, table)),
      Contains("perhaps without GPUs, of which the table says nothing (print tres-alloc with squeue -O, or "
               "--json): 1 job: 31"))
      << "the nodes of the partition batch have none";
}

TEST(SlurmImport, NodesThatAreReservedOrInAnUnknownStateAreNamed) {
  const Result<ClusterImport> import = try_import(
      "NodeName=a CPUTot=1 State=IDLE+RESERVED Partitions=p\nNodeName=b CPUTot=1 State=MIXED+BLOCKED "
      "Partitions=p\n"
      "NodeName=c CPUTot=1 State=IDLE+ASLEEP Partitions=p\nNodeName=d CPUTot=1 "
      "State=IDLE+MAINTENANCE+RESERVED "
      "Partitions=p\n",
      job(1, "a", "JobState=PENDING Partition=p NumNodes=1 ReqTRES=cpu=1"));
  EXPECT_THAT(
      notices_of(import),
      IsSupersetOf({"counted as open to all jobs, reserved or blocked: 2 nodes: a, b",
                    "counted as open to all jobs, in a state that is not known: 1 node: c (IDLE+ASLEEP)",
                    "left out, closed to new tasks and without one of a team: 1 node: d"}));
}

TEST(SlurmImport, ReadsNodesAndJobsFromJson) {
  const Result<ClusterImport> import = try_import(
      R"json({"nodes": [{"name": "g1", "cpus": 72, "effective_cpus": 72, "real_memory": 4096, "gres": "gpu:gh200:2(S:0)",
          "state": ["MIXED", "DYNAMIC_NORM"], "partitions": ["all", "gh200"]}]})json",
      R"json({"jobs": [
          {"job_id": 1, "account": "bio", "user_name": "ann", "job_state": ["RUNNING"], "partition": "gh200", "nodes": "g1",
           "node_count": {"set": true, "infinite": false, "number": 1}, "tres_alloc_str": "cpu=8,mem=1G,node=1,gres/gpu=1"},
          {"job_id": 2, "account": "bio", "user_name": "ann", "job_state": ["PENDING"], "partition": "gh200", "nodes": "",
           "node_count": {"set": true, "infinite": false, "number": 1}, "tres_req_str": "cpu=8,mem=1G,node=1,gres/gpu=1"}]})json");
  EXPECT_THAT(users_of(import), ElementsAre("bio 2 x cpu=8 memory=1073741824 gpu=1, 1 run"));
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
              HasSubstr("jobs.txt: no job in it runs, or waits and may start"));
  EXPECT_THAT(refusal(kNodes, kHead + "1|a|b|PENDING|none|1|cpu=1|||\n"),
              HasSubstr("no task is left that a team could run"));
}

// Random clusters: where a job may run is known from how its rule was made.

struct RandomNode {
  std::string name;
  std::set<std::string> partitions = {}, features = {};
  std::string gpu = {};  // its type; empty: none
  std::int64_t size = 1;
  bool is_closed = false;
};

struct KnownRule {
  std::string partitions = {}, features = {}, excluded = {};
  std::string gres = {};  // of each node that a job is on
  std::function<bool(const RandomNode&)> allows = [](const RandomNode&) { return true; };

  bool is_had_by(const RandomNode& n) const {
    return gres.empty() || (!n.gpu.empty() && (gres == "gres/gpu" || gres == "gres/gpu:" + n.gpu));
  }
};

std::vector<KnownRule> known_rules() {
  using N = const RandomNode&;
  static const auto in = [](N n, const std::string& partition) { return n.partitions.contains(partition); };
  static const auto has = [](N n, const std::string& feature) { return n.features.contains(feature); };
  return {
      {.partitions = "batch", .allows = [](N n) { return in(n, "batch"); }},
      {.partitions = "batch,long", .allows = [](N n) { return in(n, "batch") || in(n, "long"); }},
      {.partitions = "long", .features = "ib", .allows = [](N n) { return in(n, "long") && has(n, "ib"); }},
      {.features = "ib&nvme", .allows = [](N n) { return has(n, "ib") && has(n, "nvme"); }},
      {.features = "ib|nvme", .allows = [](N n) { return has(n, "ib") || has(n, "nvme"); }},
      {.features = "ib|none&nvme", .allows = [](N n) { return has(n, "ib") && has(n, "nvme"); }},
      {.partitions = "batch",
       .excluded = "n[0-2],n5",
       .allows = [](N n) { return in(n, "batch") && n.name > "n2" && n.name != "n5"; }},
      {.gres = "gres/gpu"},
      {.partitions = "long", .gres = "gres/gpu:a100", .allows = [](N n) { return in(n, "long"); }}};
}

std::string node_line(const RandomNode& n) {
  return fmt::format("NodeName={} CPUTot={} RealMemory={} Gres={} State={} Partitions={} ActiveFeatures={}\n",
                     n.name, 100 * n.size, 100 * n.size, n.gpu.empty() ? "(null)" : "gpu:" + n.gpu + ":40",
                     n.is_closed ? "MIXED+DRAIN" : "IDLE", fmt::join(n.partitions, ","),
                     fmt::join(n.features, ","));
}

/// What a cluster file cannot say, and its name in the notices.
struct Lost {
  std::string words, field, value;
};

const std::vector<Lost> kLost = {{"dependencies (counted as if they were met)", "Dependency", "afterok:1"},
                                 {"requested nodes", "ReqNodeList", "n1"},
                                 {"reservations", "Reservation", "maintenance"},
                                 {"TresPerSocket", "TresPerSocket", "gres/gpu:1"}};

struct RandomJob {
  int id = 0;
  std::string team = {};
  std::string state = {};
  const KnownRule* rule = nullptr;
  std::int64_t nodes = 1, cpus = 1;  // in all
  std::int64_t array = 1;
  std::vector<std::string> hosts = {};
  const Lost* lost = nullptr;

  std::string tres() const {
    std::string text = fmt::format("cpu={},mem={}M,node={},billing={}", cpus, nodes, nodes, cpus);
    if (!rule->gres.empty()) text += fmt::format(",{}={}", rule->gres, nodes);
    return text;
  }
  std::string line() const;
  std::string row() const;
};

// As `scontrol show job -o` prints it.
std::string RandomJob::line() const {
  const auto or_null = [](const std::string& text) { return text.empty() ? "(null)" : text; };
  std::string text = fmt::format("JobId={}", id);
  if (array > 1) text += fmt::format(" ArrayJobId={} ArrayTaskId=1-{}", id, array);
  text += fmt::format(
      " JobName=x UserId=ann(1) Account={} JobState={} Partition={} NodeList={} NumNodes={} "
      "ReqTRES={} AllocTRES={} Features={} ExcNodeList={}",
      team, state, or_null(rule->partitions), or_null(fmt::format("{}", fmt::join(hosts, ","))), nodes,
      tres(), hosts.empty() ? "(null)" : tres(), or_null(rule->features), or_null(rule->excluded));
  if (lost) text += fmt::format(" {}={}", lost->field, lost->value);
  return text + "\n";
}

constexpr std::string_view kRows = "JobID|Account|User|State|Partition|NNodes|ReqTRES|AllocTRES|NodeList|";

// As `sacct -P` prints it: without what the job excludes or depends on.
std::string RandomJob::row() const {
  return fmt::format("{}{}|{}|ann|{}|{}|{}|{}|{}|{}|{}\n", id, array > 1 ? fmt::format("_[1-{}]", array) : "",
                     team, state, rule->partitions, nodes, tres(), hosts.empty() ? "" : tres(),
                     fmt::join(hosts, ","), rule->features);
}

using Where = std::set<std::string>;                      // names of nodes
using Key = std::tuple<std::string, std::string, Where>;  // team, demand, where its tasks may run

std::string demand_text(const ResourceVector& demand) {
  std::string text;
  for (const Quantity& each : demand) text += each.text() + " ";
  return text;
}

/// GPUs of all types, and of each where there are two.
void add_gpus(const std::set<std::string>& types,
              const std::function<std::int64_t(const std::string&)>& of_type, ResourceVector& amounts) {
  if (!types.empty()) amounts.emplace_back(of_type(""));
  for (const std::string& type : types) {
    if (types.size() > 1) amounts.emplace_back(of_type(type));
  }
}

std::string demand_of(const RandomJob& job, const std::set<std::string>& types) {
  const std::int64_t thousandths = (1000 * job.cpus + job.nodes - 1) / job.nodes;
  ResourceVector demand{*Quantity::parse(fmt::format("{}m", thousandths)), Quantity(1 << 20)};
  add_gpus(
      types,
      [&](const std::string& type) {
        return job.rule->gres.ends_with(type) && !job.rule->gres.empty() ? 1 : 0;
      },
      demand);
  return demand_text(demand);
}

TEST(SlurmImport, OfRandomClustersLosesNothingThatTheFormatCanSayAndNamesTheRest) {
  const std::vector<KnownRule> rules = known_rules();
  int widened = 0, strays = 0;
  std::int64_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const bool is_table = seed % 2 == 0;
    std::map<std::string, RandomNode> nodes;
    std::string node_text;
    for (std::size_t i = 0; i < 3 + random.below(7); ++i) {
      RandomNode n{.name = fmt::format("n{}", i),
                   .partitions = {random.below(2) == 0 ? "batch" : "long"},
                   .size = 1 << random.below(2),
                   .is_closed = random.below(4) == 0};
      if (random.below(4) == 0) n.partitions = {"batch", "long"};
      for (const std::string feature : {"ib", "nvme"}) {
        if (random.below(2) == 0) n.features.insert(feature);
      }
      if (random.below(3) == 0) n.gpu = random.below(2) == 0 ? "a100" : "v100";
      node_text += node_line(n);
      nodes.emplace(n.name, n);
    }
    std::set<std::string> types;
    for (const auto& [name, n] : nodes) {
      if (!n.gpu.empty()) types.insert(n.gpu);
    }

    std::string text(is_table ? std::string(kRows) + "Constraints\n" : "");
    std::map<Key, std::int64_t> tasks, ahead;  // that fit on some node, and that wait for one
    std::map<std::pair<Key, std::string>, std::int64_t> running;  // on a node
    std::map<std::tuple<std::string, std::string, Where>, std::map<std::string, std::int64_t>> stray;
    std::map<std::string, int> lost;  // jobs, by the words
    std::int64_t nowhere = 0;         // tasks
    for (int id = 1; id <= 30; ++id) {
      const KnownRule& rule = rules[random.below(rules.size())];
      if (is_table && (rule.features.find('|') != std::string::npos || !rule.excluded.empty())) continue;
      Where allowed, open;
      bool may_start = false, is_had = false;  // on an open node, but for its GPUs; by any node
      for (const auto& [name, n] : nodes) {
        may_start = may_start || (rule.allows(n) && !n.is_closed);
        is_had = is_had || rule.is_had_by(n);
        if (!rule.allows(n) || !rule.is_had_by(n)) continue;
        allowed.insert(name);
        if (!n.is_closed) open.insert(name);
      }
      RandomJob job{.id = id, .team = fmt::format("team-{}", random.below(3)), .rule = &rule};
      const std::size_t kind = random.below(8);
      job.state = kind < 4 ? "RUNNING" : kind < 6 ? "PENDING" : kind == 6 ? "SUSPENDED" : "COMPLETED";
      if (allowed.empty() && job.state == "RUNNING") job.state = "PENDING";
      job.nodes = 1 + static_cast<std::int64_t>(random.below(3));
      if (job.state == "RUNNING") {
        job.hosts = {allowed.begin(), allowed.end()};
        while (job.hosts.size() > static_cast<std::size_t>(job.nodes))
          job.hosts.erase(job.hosts.begin() + static_cast<std::ptrdiff_t>(random.below(job.hosts.size())));
        job.nodes = static_cast<std::int64_t>(job.hosts.size());
      }
      job.cpus = job.nodes + static_cast<std::int64_t>(random.below(2));
      if (job.state == "PENDING" && random.below(3) == 0) job.array = 5;
      if (!is_table && random.below(6) == 0) job.lost = &kLost[random.below(kLost.size())];
      if (job.state == "RUNNING" && job.lost == &kLost.front()) job.lost = nullptr;  // it has started
      text += is_table ? job.row() : job.line();

      if (job.state == "COMPLETED") {
        ++lost["left out, done"];
        continue;
      }
      if (job.state == "SUSPENDED") ++lost["counted as waiting, suspended"];
      if (job.nodes > 1)
        lost["not kept, that the tasks of a job on several nodes start together"] +=
            static_cast<int>(job.array);
      if (job.cpus % job.nodes != 0)
        ++lost["divided equally over their nodes and rounded up, amounts that are no multiple of the nodes"];
      if (job.lost) ++lost["not kept, " + job.lost->words];
      const std::string demand = demand_of(job, types);
      const std::int64_t waiting = job.hosts.empty() ? job.nodes * job.array : 0;
      const Key key{job.team, demand, open};
      if (waiting > 0 && open.empty()) (may_start && is_had ? ahead[key] : nowhere) += waiting;
      if (waiting > 0 && !open.empty()) tasks[key] += waiting;
      for (const std::string& host : job.hosts) {
        if (nodes.at(host).is_closed) {
          ++stray[{job.team, demand, allowed}][host];
          continue;
        }
        ++tasks[key];
        ++running[{key, host}];
      }
    }
    for (const auto& [of, on] : stray) {  // may run where they do
      Where where;
      for (const auto& [host, count] : on) where.insert(host);
      const Key key{std::get<0>(of), std::get<1>(of), where};
      for (const auto& [host, count] : on) {
        tasks[key] += count;
        running[{key, host}] += count;
        ++strays;
      }
    }
    const Result<ClusterImport> import = try_import(node_text, text);
    if (tasks.empty()) {
      EXPECT_FALSE(import);
      continue;
    }
    ASSERT_TRUE(import) << describe(import.error()) << "\n" << node_text << text;
    const std::string yaml = write_cluster_yaml(import->cluster);
    const Result<Problem> problem = read_cluster_text(yaml, Syntax::yaml, "again");
    ASSERT_TRUE(problem) << describe(problem.error()) << "\n" << yaml;
    EXPECT_EQ(problem->cluster().running, import->cluster.running);
    EXPECT_EQ(problem->servers(), import->cluster.servers);
    EXPECT_EQ(problem->users(), import->cluster.users);

    for (const auto& [words, count] : lost)
      EXPECT_THAT(import->notices,
                  Contains(StartsWith(fmt::format("{}: {} job{}: ", words, count, count == 1 ? "" : "s"))));
    const auto expect_notice = [&](const std::string& words, std::int64_t count) {
      if (count == 0) return;
      EXPECT_THAT(import->notices,
                  Contains(StartsWith(fmt::format("{}: {} task{}: ", words, count, count == 1 ? "" : "s"))));
    };
    expect_notice("left out, allowed on no node", nowhere);
    std::int64_t waits = 0;
    for (const auto& [key, count] : ahead) waits += count;
    expect_notice("kept, although no node on which they may run has all that they ask for", waits);
    kept += waits;
    tasks.insert(ahead.begin(), ahead.end());

    std::map<std::string, std::size_t> entry_of;
    for (std::size_t i = 0; i < import->nodes.size(); ++i) {
      EXPECT_EQ(problem->servers()[i].count, static_cast<std::int64_t>(import->nodes[i].size()));
      for (const std::string& name : import->nodes[i]) {
        entry_of[name] = i;
        const RandomNode& n = nodes.at(name);
        if (n.is_closed) continue;
        ResourceVector capacity{Quantity(100 * n.size), Quantity((100 * n.size) << 20)};
        add_gpus(
            types, [&](const std::string& type) { return !n.gpu.empty() && n.gpu.ends_with(type) ? 40 : 0; },
            capacity);
        EXPECT_EQ(problem->servers()[i].capacity, capacity) << name;
      }
    }
    for (const auto& [name, n] : nodes) EXPECT_TRUE(n.is_closed || entry_of.contains(name)) << name;

    std::map<Key, std::int64_t> found;
    std::map<std::string, Key> key_of_user;
    for (std::size_t n = 0; n < problem->user_count(); ++n) {
      const User& user = problem->users()[n];
      Where where;
      for (std::size_t i = 0; i < problem->server_count(); ++i) {
        if (problem->eligible(n, i)) where.insert(import->nodes[i].begin(), import->nodes[i].end());
      }
      EXPECT_EQ(user.may_fit_nowhere, where.empty()) << user.name;
      const Key key{user.shape ? *user.group : user.name, demand_text(user.demand), where};
      found[key] += *count_units(*user.tasks, 0, Rounding::down);
      key_of_user.emplace(user.name, key);
    }
    EXPECT_EQ(found, tasks) << node_text << text << yaml;

    std::map<std::pair<Key, std::size_t>, std::int64_t> expected, placed;
    for (const auto& [where, count] : running) expected[{where.first, entry_of.at(where.second)}] += count;
    for (const Running& each : *problem->cluster().running) {
      const std::string name = each.shape ? each.user + "/" + *each.shape : each.user;
      std::size_t entry = 0;
      while (problem->servers()[entry].name != each.server) ++entry;
      placed[{key_of_user.at(name), entry}] += *count_units(each.tasks, 0, Rounding::down);
    }
    EXPECT_EQ(placed, expected) << node_text << text << yaml;

    std::map<std::pair<Key, std::size_t>, std::int64_t> given;
    if (!running.empty()) {
      const Result<Outcome> outcome = allocate(*problem, "given");
      ASSERT_TRUE(outcome) << describe(outcome.error());
      for (std::size_t n = 0; n < problem->user_count(); ++n) {
        for (const Grant& grant : outcome->allocation.grants.of(n))
          given[{key_of_user.at(problem->users()[n].name), grant.server}] += std::llround(grant.tasks);
      }
    }
    EXPECT_EQ(given, expected) << "`given` is what runs";
    widened += import->nodes.size() < nodes.size() ? 1 : 0;
  }
  EXPECT_GT(widened, 10) << "equal nodes were put together";
  EXPECT_GT(strays, 10) << "jobs ran on closed nodes";
  EXPECT_GT(kept, 10) << "jobs waited for GPUs of closed nodes";
}

}  // namespace
}  // namespace mirab::slurm
