// Imports of the queues of other schedulers, from the command line, and the teams files that they become
// beside a cluster.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/shell.hpp"
#include "support/files.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// 30 CPUs. The queue a has 10, and 5 more at most; b has 10 and a share of 2 to 1 in what is left; c is held.
TEST(ImportTeams, OfKueueDivideASmallCluster) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("c.yaml", R"(resources: [cpu]
servers: [{name: s, capacity: {cpu: 30}}]
users: [{name: na, demand: {cpu: 1}}, {name: nb, demand: {cpu: 1}}, {name: nc, demand: {cpu: 1}}]
)");
  std::string queues;
  for (const auto& [name, spec] :
       {std::pair("a", "nominalQuota: 10, borrowingLimit: 5}]}]}], fairSharing: {weight: 2}"),
        std::pair("b", "nominalQuota: 20}]}]}]"),
        std::pair("c", "nominalQuota: 0}]}]}], stopPolicy: Hold")}) {
    queues += fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {0}}}\nspec: "
        "{{cohortName: all, "
        "resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, {1}}}\n---\napiVersion: "
        "kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {{namespace: n{0}, name: l}}\nspec: "
        "{{clusterQueue: "
        "{0}}}\n---\n",
        name, spec);
  }
  const std::string teams = folder.path("teams.yaml");
  const Ran imported =
      shell(fmt::format("mirab import kueue {} -o {}", folder.write("q.yaml", queues), teams));
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.out, IsEmpty());
  const Ran ran = shell(fmt::format("mirab allocate {} --teams {} -m hdrf --format json", cluster, teams));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json users = json::parse(ran.out)["outcomes"][0]["users"];
  EXPECT_NEAR(users[0]["tasks"].get<double>(), 10, 1e-9);
  EXPECT_NEAR(users[1]["tasks"].get<double>(), 20, 1e-9);
  EXPECT_NEAR(users[2]["tasks"].get<double>(), 0, 1e-9);
}

// Weights 3 and 1 among accounts, 2 and 1 in science: of 24 CPUs 18 and 6, and of these 12 and 6.
TEST(ImportTeams, OfSlurmDivideASmallCluster) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("c.yaml", R"(resources: [cpu, memory, gpu]
servers: [{name: s, capacity: {cpu: 24, memory: 10Ti, gpu: 8}}]
users: [{name: bio, demand: {cpu: 1}}, {name: speech, demand: {cpu: 1}}, {name: vision, demand: {cpu: 1}}]
)");
  const std::string teams = folder.path("teams.yaml");
  ASSERT_EQ(shell("mirab import slurm-accounts examples/queues/associations.txt -o " + teams).status, 0);
  const Ran ran = shell(fmt::format("mirab allocate {} --teams {} -m hdrf --format json", cluster, teams));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json users = json::parse(ran.out)["outcomes"][0]["users"];
  EXPECT_NEAR(users[0]["tasks"].get<double>(), 12, 1e-9);
  EXPECT_NEAR(users[1]["tasks"].get<double>(), 6, 1e-9);
  EXPECT_NEAR(users[2]["tasks"].get<double>(), 6, 1e-9);
}

// Each example is read, and what comes out is a teams file that validate takes.
TEST(ImportTeams, OfEachFormatValidate) {
  const TemporaryFolder folder;
  for (const auto& [format, file] :
       {std::pair("kueue", "kueue.yaml"), std::pair("volcano", "volcano.yaml"),
        std::pair("yunikorn", "yunikorn.yaml"), std::pair("slurm-accounts", "associations.txt"),
        std::pair("slurm-accounts --team user", "associations.txt"),
        std::pair("yarn", "capacity-scheduler.xml")}) {
    const std::string teams = folder.path("teams.yaml");
    const Ran ran = shell(fmt::format("mirab import {} - -o {} <examples/queues/{}", format, teams, file));
    EXPECT_EQ(ran.status, 0) << format << ran.err;
    EXPECT_THAT(read_text(teams), HasSubstr(fmt::format("# Made by: mirab import {}", format)));
    const Ran valid = shell("mirab validate " + teams);
    EXPECT_EQ(valid.status, 0) << format << valid.err;
  }
}

TEST(ImportTeams, WhatIsNotKeptStandsInTheFileToo) {
  const Ran ran = shell("mirab import volcano examples/queues/volcano.yaml");
  EXPECT_EQ(ran.err, "mirab: note: not kept, reclaimable: 1 queue: training\n");
  EXPECT_THAT(ran.out, HasSubstr("# Note: not kept, reclaimable: 1 queue: training\n"));
}

TEST(ImportTeams, OfAnotherKindOfFileWriteNothingAndSayWhatItIs) {
  const TemporaryFolder folder;
  const std::string kept = folder.write("teams.yaml", "as it was");
  const std::string deployment =
      folder.write("d.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n");
  for (const auto& [command, message] :
       {std::pair(fmt::format("kueue {}", deployment),
                  "this is a Deployment of apps; `kubectl get clusterqueues"),
        std::pair(fmt::format("volcano {}", deployment),
                  "this is a Deployment of apps; `kubectl get queues."),
        std::pair(fmt::format("yunikorn {}", deployment), "this is a Deployment of apps; a queues.yaml has"),
        std::pair(fmt::format("slurm-accounts {}", deployment), "this is Kubernetes objects"),
        std::pair(fmt::format("yarn {}", deployment), "this is Kubernetes objects"),
        std::pair(std::string("kueue examples/textbook.yaml"),
                  "this is a cluster file, which needs no import"),
        std::pair(std::string("slurm-accounts examples/slurm/nodes.txt"),
                  "is no table with | between its columns"),
        std::pair(std::string("yarn examples/README.md"), "is no XML")}) {
    const Ran ran = shell(fmt::format("mirab import {} -o {}", command, kept));
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.err, StartsWith("mirab: "));
    EXPECT_THAT(ran.err, HasSubstr(message)) << command;
    EXPECT_EQ(read_text(kept), "as it was");
  }
  const Ran over_itself = shell(fmt::format("mirab import kueue {} -o {}", kept, kept));
  EXPECT_EQ(over_itself.status, 2);
  EXPECT_EQ(read_text(kept), "as it was");
}

TEST(ImportTeams, NameTheImporterOfWhatAnotherOneIsGiven) {
  const std::vector<std::pair<std::string, std::string>> all = {{"kueue", "kueue.yaml"},
                                                                {"volcano", "volcano.yaml"},
                                                                {"yunikorn", "yunikorn.yaml"},
                                                                {"slurm-accounts", "associations.txt"},
                                                                {"yarn", "capacity-scheduler.xml"}};
  for (const auto& [importer, own] : all) {
    for (const auto& [other, file] : all) {
      if (other == importer) continue;
      const Ran ran = shell(fmt::format("mirab import {} examples/queues/{}", importer, file));
      EXPECT_EQ(ran.status, 2) << importer << file;
      EXPECT_THAT(ran.err, StartsWith(fmt::format("mirab: examples/queues/{}: this is a file with ", file)));
      EXPECT_THAT(ran.err, HasSubstr(fmt::format("; `mirab import {}` makes a teams file of it\n", other)));
    }
  }
  EXPECT_THAT(shell("mirab import kubernetes examples/queues/kueue.yaml").err,
              HasSubstr("`mirab import kueue`"));
  EXPECT_THAT(shell("mirab validate examples/queues/associations.txt").err,
              HasSubstr("`mirab import slurm-accounts`"));
}

TEST(ImportTeams, TellTheFormatOfWhatPeopleType) {
  EXPECT_THAT(shell("mirab import sacctmgr x").err, HasSubstr("did you mean slurm-accounts?"));
  EXPECT_THAT(shell("mirab import hadoop x").err, HasSubstr("did you mean yarn?"));
}

}  // namespace
}  // namespace mirab
