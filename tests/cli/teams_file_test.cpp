// --teams: the groups of a cluster in a file of their own.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "cli/shell.hpp"
#include "support/files.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::HasSubstr;

const std::string kCluster = "examples/kubernetes/cluster.yaml";
const std::string kTeams = " --teams examples/kubernetes/teams.yaml ";

/// The cluster file with the same groups written into it.
std::string with_groups(const TemporaryFolder& folder) {
  const Ran ran =
      shell("mirab import kubernetes examples/kubernetes/nodes.json examples/kubernetes/pods.json" + kTeams);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return folder.write("grouped.yaml", ran.out);
}

TEST(TeamsFile, GivesWhatTheSameGroupsInTheClusterFileGive) {
  const TemporaryFolder folder;
  const std::string grouped = with_groups(folder);
  for (const std::string line :
       {"allocate CLUSTER -m hdrfh", "fill CLUSTER -d drf", "explain CLUSTER", "explain CLUSTER learning",
        "diff CLUSTER", "audit CLUSTER -m hdrfh --budget 50",
        "plan CLUSTER --user ml-inference --kind gpu=1"}) {
    const auto ran_with = [&](const std::string& cluster, const std::string& teams) {
      std::string command = "mirab " + line + " --format json" + teams;
      command.replace(command.find("CLUSTER"), 7, cluster);
      const Ran ran = shell(command);
      EXPECT_THAT(ran.status, ::testing::AnyOf(0, 1)) << command << "\n" << ran.err;  // 1: refuted
      json answer = json::parse(ran.out, nullptr, false);
      EXPECT_FALSE(answer.is_discarded()) << command << "\n" << ran.err;
      const std::regex its_own(R"("seconds":[^,}]*| --teams examples/kubernetes/teams.yaml)");
      std::string text = std::regex_replace(answer.dump(), its_own, "");
      for (std::size_t at; (at = text.find(cluster)) != std::string::npos;)
        text.replace(at, cluster.size(), "FILE");
      return text;
    };
    EXPECT_EQ(ran_with(kCluster, kTeams), ran_with(grouped, "")) << line;
  }
}

TEST(TeamsFile, ChangesWhoGetsWhat) {
  const std::string line = "mirab allocate " + kCluster + " -m hdrfh --format json";
  EXPECT_NE(json::parse(shell(line).out)["outcomes"][0]["users"],
            json::parse(shell(line + kTeams).out)["outcomes"][0]["users"]);
}

TEST(TeamsFile, NotesWhichOfItsNamesNoUserHas) {
  const Ran ran = shell("mirab allocate " + kCluster + kTeams);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(
      ran.err,
      "mirab: note: examples/kubernetes/teams.yaml: no user of examples/kubernetes/cluster.yaml has the name "
      "notebooks\n");
}

TEST(TeamsFile, AppearsInErrorsThatAMechanismHasOfItsGroups) {
  const TemporaryFolder folder;
  const std::string teams = folder.write(
      "teams.yaml", "groups:\n  - {name: a, users: [ci]}\n  - {name: b, weight: 0, users: [staging]}\n");
  const Ran ran = shell("mirab allocate " + kCluster + " -m drf --teams " + teams);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("teams.yaml:3: groups[1].weight: "));
  const Ran other = shell("mirab allocate examples/teams/two-teams-cluster.yaml --teams " + teams);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("teams.yaml: groups: name no user of the cluster: 'ci' is none"));
}

// What is wrong only together with the cluster file has its place too.
TEST(TeamsFile, AppearsInErrorsOfBothFilesTogether) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("c.yaml", R"(resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
users:
  - {name: a, guarantee: {cpu: 5}, shapes: [{name: x, demand: {cpu: 1}}]}
  - {name: b, demand: {cpu: 1}}
)");
  const std::string teams =
      folder.write("t.yaml", "groups:\n  - {name: g, guarantee: {cpu: 2}, users: [a, b]}\n");
  const Ran ran = shell("mirab allocate " + cluster + " --teams " + teams);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("t.yaml:2: groups[0].guarantee"));
}

TEST(TeamsFile, StandsInTheCommandThatComparesTheMechanisms) {
  EXPECT_THAT(shell("mirab allocate " + kCluster + kTeams).out,
              HasSubstr("--teams\n  examples/kubernetes/teams.yaml' compares"));
}

TEST(TeamsFile, IsReadFromStandardInputOnlyWhereNothingElseIs) {
  EXPECT_EQ(
      shell("mirab allocate " + kCluster + " --teams - --format csv <examples/kubernetes/teams.yaml").out,
      shell("mirab allocate " + kCluster + kTeams + "--format csv").out);
  const Ran both = shell("mirab allocate - --teams - <" + kCluster);
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--teams: only one file can be read from standard input"));
}

}  // namespace
}  // namespace mirab
