// A teams file beside a cluster file.
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <mirab/model/cluster_file.hpp>

#include "support/files.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kCluster = R"(resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 100, gpu: 10}}]
users:
  - name: search
    shapes: [{name: train, demand: {cpu: 4, gpu: 1}}, {name: serve, demand: {cpu: 1}}]
  - {name: billing, weight: 3, demand: {cpu: 1}}
  - {name: crawl-1, demand: {cpu: 1}}
  - {name: guest, demand: {cpu: 1}}
)";

constexpr std::string_view kTeams = R"(groups:
  - name: product
    weight: 2
    guarantee: {cpu: 25%}
    groups:
      - {name: web, namespaces: [search, gone]}
      - {name: closed, namespaces: [left-*]}
    namespaces: [billing]
  - {name: research, limit: {gpu: 4}, namespaces: ["crawl-*"]}
  - {name: idle, guarantee: {cpu: 10}, namespaces: [asleep]}
)";

Result<Problem> with(const std::string& teams, std::vector<std::string>& absent,
                     std::string_view cluster = kCluster) {
  const TemporaryFolder folder;
  return with_teams_file(*read_cluster_text(cluster, Syntax::yaml, "c.yaml"),
                         folder.write("teams.yaml", teams), absent);
}

TEST(TeamsOfACluster, PutItsUsersIntoGroups) {
  std::vector<std::string> absent;
  const Problem problem = *with(std::string(kTeams), absent);
  const auto cluster = read_cluster_text(R"(resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 100, gpu: 10}}]
groups:
  - name: product
    weight: 2
    guarantee: {cpu: 25}
    groups: [{name: web}]
  - {name: research, limit: {gpu: 4}}
users:
  - name: search
    group: web
    shapes: [{name: train, demand: {cpu: 4, gpu: 1}}, {name: serve, demand: {cpu: 1}}]
  - {name: billing, group: product, weight: 3, demand: {cpu: 1}}
  - {name: crawl-1, group: research, demand: {cpu: 1}}
  - {name: guest, demand: {cpu: 1}}
)",
                                         Syntax::yaml, "c.yaml");
  EXPECT_EQ(problem.groups(), cluster->groups());
  EXPECT_EQ(problem.users(), cluster->users());
  EXPECT_THAT(absent, ElementsAre("gone", "asleep", "left-*"));
}

TEST(TeamsOfACluster, KeepWhatRuns) {
  std::vector<std::string> absent;
  const std::string running = std::string(kCluster) + "running: [{user: billing, server: s, tasks: 7}]\n";
  const Problem problem = *with(std::string(kTeams), absent, running);
  ASSERT_TRUE(problem.running());
  EXPECT_EQ(problem.running()->size(), 1U);
}

TEST(TeamsOfACluster, AreRefusedWithFileLineAndKey) {
  std::vector<std::string> absent;
  const auto refusal = [&](const std::string& teams, std::string_view cluster = kCluster) {
    const Result<Problem> problem = with(teams, absent, cluster);
    return problem ? std::string() : describe(problem.error());
  };
  EXPECT_THAT(
      refusal(
          "groups:\n  - {name: a, users: [gone]}\n  - {name: b, guarantee: {cpu: 200}, users: [guest]}\n"),
      HasSubstr("teams.yaml:3: groups[1]"));
  EXPECT_THAT(refusal("groups:\n  - {name: a, users: [guest]}\n  - {name: b, users: [guest]}\n"),
              HasSubstr("teams.yaml:3: groups[1].users[0]: the user 'guest' is already in the group 'a'"));
  EXPECT_THAT(refusal("groups: [{name: a, guarantee: {tpu: 1}, users: [guest]}]"),
              HasSubstr("teams.yaml:1: groups[0].guarantee.tpu: "));
  EXPECT_THAT(refusal("users: []"), HasSubstr("teams.yaml: groups: no teams file"));
  EXPECT_THAT(refusal(std::string(kTeams), R"(resources: [cpu]
servers: [{name: s, capacity: {cpu: 1}}]
groups: [{name: own}]
users: [{name: u, group: own, demand: {cpu: 1}}]
)"),
              HasSubstr("teams.yaml: groups: the cluster file has groups of its own, such as 'own'"));
}

}  // namespace
}  // namespace mirab
