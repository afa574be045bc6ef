// A cluster file whose servers are alike, with these as one entry: who may run where, and what runs, stays.
#include "model/counted_together.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <mirab/model/cluster_file.hpp>

#include "model/alike_servers.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Problem problem_of(const std::string& text) {
  Result<Problem> problem = read_cluster_text(text, Syntax::yaml, "cluster.yaml");
  EXPECT_TRUE(problem) << problem.error().message;
  return *std::move(problem);
}

constexpr const char* kAlikeNodes = R"(
resources: [cpu, memory]
servers:
  - {name: node-1, capacity: {cpu: 16, memory: 64.1}, labels: {zone: a, host: one}}
  - {name: node-2, capacity: {cpu: 16, memory: 64}, count: 3, labels: {zone: a, host: two}}
  - {name: node-3, capacity: {cpu: 15.9, memory: 64}, labels: {zone: b, host: three}}
  - {name: tainted, capacity: {cpu: 16, memory: 64}, labels: {zone: a}, taints: [gpu]}
)";

TEST(CountedTogether, ServersThatDifferALittleAreOneEntryWithTheLeastOfEach) {
  const Problem problem =
      problem_of(std::string(kAlikeNodes) + "users: [{name: u, demand: {cpu: 1, memory: 2}}]\n");
  const Cluster cluster = counted_together(problem, kAlike).cluster;
  ASSERT_EQ(cluster.servers.size(), 2U);
  EXPECT_EQ(cluster.servers[0].name, "node");
  EXPECT_EQ(cluster.servers[0].count, 5);
  EXPECT_THAT(cluster.servers[0].capacity, ElementsAre(*Quantity::parse("15.9"), Quantity(64)));
  EXPECT_THAT(cluster.servers[0].labels, IsEmpty()) << "labels that differ are left out";
  EXPECT_EQ(cluster.servers[1].name, "tainted") << "the same users may run on those that count together";
  ASSERT_TRUE(cluster.merged);
  EXPECT_EQ(cluster.merged->nodes, 5);
  EXPECT_EQ(cluster.merged->classes, 1);
  EXPECT_DOUBLE_EQ(cluster.merged->largest_difference, 0.1 / 16);
}

TEST(CountedTogether, ALabelCountsWhereAUserSelectsByIt) {
  const Problem problem = problem_of(std::string(kAlikeNodes) + R"(users:
  - {name: u, demand: {cpu: 1}, select: {zone: a}}
)");
  const Cluster cluster = counted_together(problem, kAlike).cluster;
  ASSERT_EQ(cluster.servers.size(), 3U);
  EXPECT_EQ(cluster.servers[0].count, 4);
  EXPECT_EQ(cluster.servers[0].labels.at("zone"), "a");
  EXPECT_EQ(cluster.servers[1].name, "node-3");
}

TEST(CountedTogether, ListsOfUsersAndWhatRunsNameTheEntry) {
  const Problem problem = problem_of(std::string(kAlikeNodes) + R"(users:
  - {name: u, demand: {cpu: 1}, servers: [node-1, node-2]}
  - {name: v, demand: {cpu: 2}, servers: {not: [node-3]}, demand_on: {node-3: {cpu: 1}}, tolerates: [gpu]}
running:
  - {user: u, server: node-1, tasks: 3}
  - {user: u, server: node-2, tasks: 4}
)");
  const Cluster cluster = counted_together(problem, kAlike).cluster;
  ASSERT_EQ(cluster.servers.size(), 3U);
  EXPECT_THAT(*cluster.users[0].servers, ElementsAre("node"));
  EXPECT_THAT(cluster.users[1].not_servers, ElementsAre("node-3"));
  EXPECT_TRUE(cluster.users[1].demand_on.contains("node-3"));
  const Result<Problem> counted = Problem::from(cluster);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_THAT(*counted->running(), ElementsAre(PlacedTasks{.user = 0, .server = 0, .tasks = 7}));
}

TEST(CountedTogether, AServerWhoseUseWouldNotFitStaysAlone) {
  const Problem problem = problem_of(R"(
resources: [cpu]
servers:
  - {name: node-1, capacity: {cpu: 16}}
  - {name: node-2, capacity: {cpu: 15.9}}
  - {name: node-3, capacity: {cpu: 15.95}}
users: [{name: u, demand: {cpu: 1}}, {name: whole, demand: {cpu: 16}, servers: [node-1, node-2, node-3], may_fit_nowhere: true}]
running: [{user: whole, server: node-1, tasks: 1}]
)");
  const Cluster cluster = counted_together(problem, kAlike).cluster;
  ASSERT_EQ(cluster.servers.size(), 2U);
  EXPECT_EQ(cluster.servers[0].name, "node-1");
  EXPECT_TRUE(Problem::from(cluster));
}

TEST(CountedTogether, AToleranceOfNothingPutsEqualServersTogetherAndLeavesNothingOut) {
  const Problem problem = problem_of(R"(
resources: [cpu]
servers: [{name: a1, capacity: {cpu: 4}}, {name: a2, capacity: {cpu: 4}}, {name: b, capacity: {cpu: 4.001}}]
users: [{name: u, demand: {cpu: 1}}]
)");
  const Cluster cluster = counted_together(problem, 0).cluster;
  ASSERT_EQ(cluster.servers.size(), 2U);
  EXPECT_EQ(cluster.servers[0].name, "a");
  EXPECT_FALSE(cluster.merged) << "the division of these is exact";
}

TEST(CountedTogether, ACountThatNoNumberHoldsLeavesTheServersApart) {
  const Problem problem = problem_of(R"(
resources: [cpu]
servers:
  - {name: a, capacity: {cpu: 1}, count: 9223372036854775807}
  - {name: b, capacity: {cpu: 1}, count: 9223372036854775807}
users: [{name: u, demand: {cpu: 1}}]
)");
  EXPECT_EQ(counted_together(problem, kAlike).cluster.servers.size(), 2U);
}

TEST(CountedTogether, WhatWasDoneBeforeIsPartOfWhatIsSaid) {
  const Problem problem = problem_of(R"(
resources: [cpu]
servers: [{name: a, capacity: {cpu: 100}, count: 9}, {name: b, capacity: {cpu: 99.5}}]
merged: {nodes: 9, classes: 1, largest_difference: 0.01}
users: [{name: u, demand: {cpu: 1}}]
)");
  const Cluster cluster = counted_together(problem, kAlike).cluster;
  EXPECT_EQ(cluster.merged->nodes, 10);
  EXPECT_DOUBLE_EQ(cluster.merged->largest_difference, 1 - 0.995 * 0.99);
  const Cluster untouched = counted_together(problem, mpq_class(1, 1000)).cluster;
  EXPECT_EQ(untouched.merged, (Merged{.nodes = 9, .classes = 1, .largest_difference = 0.01}));
}

}  // namespace
}  // namespace mirab
