// Machines and tasks as a cluster.
#include "inventory/inventory.hpp"

#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>

namespace mirab::inventory {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Machines with one resource, on all of which the first rule allows tasks.
Inventory inventory(const std::vector<std::int64_t>& capacities) {
  Inventory all{.resources = {"cpu"}, .machines = {}, .rules = {{.allowed = {}}}, .tasks = {}};
  for (const std::int64_t capacity : capacities) {
    all.machines.push_back(
        {.name = "m" + std::to_string(all.machines.size() + 1), .capacity = {Quantity(capacity)}});
    all.rules[0].allowed.push_back(true);
  }
  return all;
}

Tasks tasks(const std::string& team, std::int64_t demand, std::optional<std::size_t> machine = {}) {
  return {.team = team, .name = "t", .demand = {Quantity(demand)}, .machine = machine};
}

Description described(const Inventory& all) {
  Result<Description> description = describe(all);
  EXPECT_TRUE(description) << (description ? "" : ::mirab::describe(description.error()));
  return description ? *std::move(description) : Description{};
}

TEST(Inventory, WhatRunsTakesNoMoreThanItsMachineHas) {
  Inventory all = inventory({4, 4});
  for (int i = 0; i < 3; ++i) all.tasks.push_back(tasks("a", 2, 0));
  all.tasks.push_back(tasks("b", 4, 1));
  const Description found = described(all);
  EXPECT_EQ(found.cluster.users[0].tasks, Quantity(3));
  EXPECT_THAT(*found.cluster.running,
              ElementsAre(Running{"a", {}, "m", Quantity(2)}, Running{"b", {}, "m", Quantity(1)}));
  EXPECT_THAT(found.notices, ElementsAre("counted as waiting, more than their server has: 1 task: on m1"));
}

TEST(Inventory, ATaskWidensItsRuleByTheMachineOnWhichItRuns) {
  Inventory all = inventory({4, 4, 4});
  all.rules.push_back({.allowed = {true, false, false}});
  all.tasks = {tasks("a", 1, 1), tasks("b", 1)};
  all.tasks[0].rule = 1;
  const Description found = described(all);
  EXPECT_THAT(*found.cluster.users[0].servers, ElementsAre("m"));
  EXPECT_EQ(found.cluster.servers[0].count, 2);
  EXPECT_THAT(found.machines, ElementsAre(ElementsAre(0u, 1u), ElementsAre(2u)));
}

TEST(Inventory, EntriesAndShapesHaveNamesThatDiffer) {
  Inventory all = inventory({4, 4, 8, 8, 9});
  for (Machine& machine : all.machines) machine.kind = "m5";
  all.machines[4].kind = "";
  all.machines[4].name = "m5";
  for (const std::int64_t demand : {1, 2, 3}) all.tasks.push_back(tasks("a", demand));
  all.tasks.push_back(tasks("a", 3));
  all.tasks.back().name = "u";
  const Description found = described(all);
  std::vector<std::string> servers, users;
  for (const Server& server : found.cluster.servers) servers.push_back(server.name);
  for (const User& user : found.cluster.users) users.push_back(user.name);
  EXPECT_THAT(servers, ElementsAre("m5-2", "m5-3", "m5"));
  EXPECT_THAT(users, ElementsAre("a/t", "a/t-2", "a/t+1"));
}

TEST(Inventory, WithoutLimitAndWithoutKnownStateIsSaidByLeavingOut) {
  Inventory all = inventory({4});
  all.is_state_known = false;
  all.weights = {{"a", Quantity(3)}};
  all.tasks = {tasks("a", 1)};
  all.tasks[0].count = {};
  const Description found = described(all);
  EXPECT_EQ(
      write_cluster_yaml(found.cluster),
      "version: 1\nresources: [cpu]\nservers:\n  - {name: m1, capacity: {cpu: 4}}\nusers:\n  - {name: a, "
      "demand: {cpu: 1}, weight: 3}\n");
}

TEST(Inventory, WithoutATaskThatFitsIsAnError) {
  Inventory all = inventory({0});
  all.tasks = {tasks("a", 1)};
  const Result<Description> found = describe(all);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no task is left that a team could run");
}

}  // namespace
}  // namespace mirab::inventory
