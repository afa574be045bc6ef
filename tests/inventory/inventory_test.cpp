// Machines and tasks as a cluster.
#include "inventory/inventory.hpp"

#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>

namespace mirab::inventory {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

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

TEST(Inventory, AMachineThatHasLessThanRunsThereKeepsItAndHasNoRoom) {
  Inventory all = inventory({4, 4});
  for (int i = 0; i < 3; ++i) all.tasks.push_back(tasks("a", 2, 0));
  all.tasks.push_back(tasks("b", 4, 1));
  const Description found = described(all);
  EXPECT_EQ(found.cluster.users[0].tasks, Quantity(3));
  EXPECT_THAT(*found.cluster.running,
              ElementsAre(Running{"a", {}, "m1", Quantity(3)}, Running{"b", {}, "m2", Quantity(1)}));
  EXPECT_EQ(found.cluster.servers[0].capacity[0], Quantity(6));
  EXPECT_EQ(found.cluster.servers[1].capacity[0], Quantity(4));
  EXPECT_TRUE(found.cluster.servers[0].is_overfull);
  EXPECT_FALSE(found.cluster.servers[1].is_overfull) << "full to the last, and no more";
  EXPECT_THAT(found.notices, ElementsAre("counted with what runs there, which is more than they have: 1 "
                                         "server: m1 (cpu 6 instead of 4)"));
}

// A copy of the first would have 8 CPUs, which machines of its kind have not; the third really has them.
TEST(Inventory, AnOverfullMachineIsNoEntryWithOneThatReallyHasAsMuch) {
  Inventory all = inventory({4, 4, 8});
  for (int i = 0; i < 4; ++i) all.tasks.push_back(tasks("a", 2, 0));
  const Description found = described(all);
  ASSERT_EQ(found.cluster.servers.size(), 3u);
  for (const Server& server : found.cluster.servers) EXPECT_EQ(server.is_overfull, server.name == "m1");
}

// Of the first two one runs 6,000 of 4,000, one 5,000; the third one has room, and the fourth another size.
TEST(Inventory, OverfullMachinesThatAreAlikeCountWithTheMeanOfWhatRunsThere) {
  Inventory all = inventory({4'000, 4'000, 4'000, 8'000});
  all.tasks = {tasks("a", 3'000, 0), tasks("a", 3'000, 0), tasks("a", 5'000, 1), tasks("b", 1'000, 2),
               tasks("b", 9'000, 3)};
  EXPECT_EQ(described(all).cluster.servers.size(), 4U) << "no machine counts as alike";
  all.tolerance = mpq_class(1, 100);
  const Description found = described(all);
  ASSERT_EQ(found.machines, (std::vector<std::vector<std::size_t>>{{0, 1}, {2}, {3}}));
  EXPECT_EQ(found.cluster.servers[0].capacity[0], Quantity(5'500));
  EXPECT_TRUE(found.cluster.servers[0].is_overfull);
  EXPECT_EQ(found.cluster.servers[1].capacity[0], Quantity(4'000));
  EXPECT_EQ(found.cluster.servers[2].capacity[0], Quantity(9'000));
  EXPECT_FALSE(found.cluster.merged);
  EXPECT_THAT(found.notices, Contains("servers that run more than they have, and are alike, count with the "
                                      "mean of what runs on them: 2 servers"));
}

// 7 and 8 of 4 devices: with 7.5 each, two servers would hold 14 of the 15 tasks.
TEST(Inventory, OverfullMachinesCountTogetherOnlyWithAsManyWholeDevices) {
  Inventory all = inventory({4, 4, 4});
  for (int n = 0; n < 22; ++n) all.tasks.push_back(tasks("a", 1, n < 7 ? 0U : n < 15 ? 1U : 2U));
  all.tolerance = mpq_class(1, 100);
  const Description found = described(all);
  EXPECT_EQ(found.machines, (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
  EXPECT_EQ(found.cluster.servers[0].capacity[0], Quantity(7));
}

// The means, 5,500 and 5,520, differ by less than 1 %, what the machines have by more.
TEST(Inventory, OverfullMachinesThatDifferStayApartThoughTheirMeansAreAlike) {
  Inventory all = inventory({4'000, 4'000, 5'000, 5'000});
  all.tasks = {tasks("a", 2'700, 0), tasks("a", 2'700, 0), tasks("b", 2'000, 1), tasks("b", 3'600, 1),
               tasks("a", 2'700, 2), tasks("a", 2'700, 2), tasks("b", 2'000, 3), tasks("b", 3'640, 3)};
  all.tolerance = mpq_class(1, 100);
  const Description found = described(all);
  EXPECT_EQ(found.machines, (std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}}));
  EXPECT_TRUE(Problem::from(found.cluster)) << "all that runs has room";
}

// One runs 6,000 of 4,000 in one task, which no server with the mean of 5,500 could hold.
TEST(Inventory, AnOverfullMachineWithATaskThatIsLargerThanTheMeanStaysAsItIs) {
  Inventory all = inventory({4'000, 4'000});
  all.tasks = {tasks("a", 6'000, 0), tasks("b", 5'000, 1)};
  all.tolerance = mpq_class(1, 100);
  EXPECT_EQ(described(all).machines, (std::vector<std::vector<std::size_t>>{{0}, {1}}));
}

TEST(Inventory, TheSumOfWhatSeveralMachinesLackIsNoted) {
  Inventory all = inventory({4, 4, 4});
  all.tasks = {tasks("a", 3, 0), tasks("a", 3, 0), tasks("a", 5, 1), tasks("b", 1, 2)};
  EXPECT_THAT(
      described(all).notices,
      ElementsAre(
          "counted with what runs there, which is more than they have, in all by cpu 3: 2 servers: m1 "
          "(cpu 6 instead of 4), m2 (cpu 5 instead of 4)"));
}

TEST(Inventory, AResourceThatAMachineLostStaysWithWhatRunsThereAndTheOthersStayFree) {
  Inventory all = inventory({64});
  all.resources.emplace_back("gpu");
  all.machines[0].capacity.emplace_back(0);
  all.tasks = {tasks("a", 60, 0), tasks("b", 32)};
  all.tasks[0].demand.emplace_back(2);
  all.tasks[1].demand.emplace_back(0);
  const Description found = described(all);
  EXPECT_THAT(found.cluster.servers[0].capacity, ElementsAre(Quantity(64), Quantity(2)));
  EXPECT_THAT(*found.cluster.running, ElementsAre(Running{"a", {}, "m1", Quantity(1)}));
  EXPECT_THAT(found.notices, ElementsAre("counted with what runs there, which is more than they have: 1 "
                                         "server: m1 (gpu 2 instead of 0)"));
}

TEST(Inventory, EqualMachinesThatHaveLessThanRunsThereShareIt) {
  Inventory all = inventory({4});
  all.machines[0].count = 3;
  for (int i = 0; i < 8; ++i) all.tasks.push_back(tasks("a", 2, 0));
  const Description found = described(all);
  EXPECT_EQ(found.cluster.servers[0].capacity[0].text(), "5.33333333333333333");
  EXPECT_THAT(*found.cluster.running, ElementsAre(Running{"a", {}, "m1", Quantity(8)}));
}

TEST(Inventory, UseBeyondAllAmountsIsAnError) {
  Inventory all = inventory({4});
  for (int i = 0; i < 3; ++i) all.tasks.push_back(tasks("a", std::int64_t{1} << 62, 0));
  const Result<Description> found = describe(all);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "more cpu than can be counted is in use on the server 'm1'");
}

TEST(Inventory, ATaskWhereItsRuleAllowsNoneIsAShapeOfItsOwn) {
  Inventory all = inventory({4, 4, 4});
  all.rules.push_back({.allowed = {true, false, false}});
  all.tasks = {tasks("a", 1, 1), tasks("a", 1), tasks("b", 1)};
  all.tasks[0].rule = 1;
  all.tasks[1].rule = 1;
  const Description found = described(all);
  ASSERT_EQ(found.cluster.users.size(), 3u);
  EXPECT_EQ(found.cluster.users[0].name, "a/t-stray");
  EXPECT_THAT(*found.cluster.users[0].servers, ElementsAre("m2"));
  EXPECT_EQ(found.cluster.users[0].tasks, Quantity(1));
  EXPECT_EQ(found.cluster.users[1].name, "a/t");
  EXPECT_THAT(*found.cluster.users[1].servers, ElementsAre("m1"));
  EXPECT_EQ(found.cluster.users[1].tasks, Quantity(1));
  EXPECT_FALSE(found.cluster.users[2].servers);
  EXPECT_THAT(*found.cluster.running, ElementsAre(Running{"a", "t-stray", "m2", Quantity(1)}));
  EXPECT_EQ(found.cluster.servers[1].capacity[0], Quantity(4)) << "open to those whose rule allows it";
}

TEST(Inventory, AClosedMachineHasRoomForWhatRunsThereAndForNoMore) {
  Inventory all = inventory({8, 8});
  all.machines[1].is_closed = true;
  all.machines[1].labels = {{"zone", "a"}};
  all.machines[0].labels = {{"zone", "a"}};
  all.rules[0].select = {{{"zone", {"a"}}}};
  for (int i = 0; i < 3; ++i) all.tasks.push_back(tasks("a", 3, 1));
  all.tasks.push_back(tasks("b", 1));
  const Description found = described(all);
  ASSERT_EQ(found.cluster.servers.size(), 2u);
  EXPECT_EQ(found.cluster.servers[1].capacity[0], Quantity(9)) << "also where it has less";
  ASSERT_EQ(found.cluster.users.size(), 2u);
  EXPECT_THAT(*found.cluster.users[0].servers, ElementsAre("m2"));
  EXPECT_EQ(found.cluster.users[0].tasks, Quantity(3));
  const Problem problem = *Problem::from(found.cluster);
  EXPECT_TRUE(problem.eligible(1, 0));
  EXPECT_FALSE(problem.eligible(1, 1));
  EXPECT_THAT(found.notices,
              Contains("kept where they run, although no new ones may start there: 3 tasks: on m2"));
  EXPECT_THAT(found.notices,
              Contains("closed to new tasks, counted with what runs there and no free room: 1 server: m2"));
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

TEST(Inventory, TasksThatWaitForAResourceWhichNoMachineHasYetStay) {
  Inventory all = inventory({4, 4});
  all.resources.emplace_back("gpu");
  for (Machine& machine : all.machines) machine.capacity.emplace_back(0);
  all.rules.push_back({.allowed = {true, false}});
  all.rules.push_back({.allowed = {false, false}});
  all.tasks = {tasks("a", 1, 0), tasks("b", 1), tasks("c", 1)};
  all.tasks[1].rule = 1;
  all.tasks[2].rule = 2;
  for (Tasks& each : all.tasks) each.demand.emplace_back(each.team == "a" ? 0 : 2);
  const Description found = described(all);
  ASSERT_EQ(found.cluster.users.size(), 2u);
  EXPECT_FALSE(found.cluster.users[0].may_fit_nowhere);
  EXPECT_EQ(found.cluster.users[1].name, "b");
  EXPECT_TRUE(found.cluster.users[1].may_fit_nowhere);
  EXPECT_FALSE(found.cluster.users[1].servers) << "a machine that is bought may run it";
  EXPECT_THAT(found.notices,
              ElementsAre("kept, although no server on which they may run has all that they ask for: "
                          "1 task: b/t",
                          "left out, allowed on no server: 1 task: c/t"));
  // Another machine has it.
  all.machines[1].capacity[1] = Quantity(8);
  const Description elsewhere = described(all);
  EXPECT_THAT(*elsewhere.cluster.users[1].servers, ElementsAre("m1"));
  EXPECT_TRUE(elsewhere.cluster.users[1].may_fit_nowhere);
  // Its own has it.
  all.machines[0].capacity[1] = Quantity(8);
  EXPECT_FALSE(described(all).cluster.users[1].may_fit_nowhere);
}

// What is bought may have the label.
TEST(Inventory, TasksThatWaitForAResourceKeepTheirSelect) {
  Inventory all = inventory({4, 4});
  all.resources.emplace_back("gpu");
  for (Machine& machine : all.machines) machine.capacity.emplace_back(0);
  all.machines[0].labels = {{"zone", "a"}};
  all.rules.push_back({.allowed = {true, false}, .select = {{{"zone", {"a"}}}}});
  all.tasks = {tasks("a", 1, 0), tasks("b", 1)};
  for (Tasks& each : all.tasks) each.demand.emplace_back(each.team == "a" ? 0 : 2);
  all.tasks[1].rule = 1;
  const Description found = described(all);
  EXPECT_FALSE(found.cluster.users[1].servers);
  EXPECT_THAT(found.cluster.users[1].select, ElementsAre(Pair("zone", LabelCondition{"a"})));
}

TEST(Inventory, WithoutATaskThatFitsIsAnError) {
  Inventory all = inventory({0});
  all.tasks = {tasks("a", 1)};
  const Result<Description> found = describe(all);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "no task is left that a team could run; left out, allowed on no server: 1 task: a/t");
}

// Machines that are alike.

TEST(Inventory, MachinesOfOneKindThatAreAlikeAreOneEntryWithTheLeastOfThem) {
  Inventory all = inventory({1004, 1000, 1010, 1020});
  for (Machine& machine : all.machines) machine.kind = "large";
  all.tolerance = mpq_class(1, 100);
  all.tasks = {tasks("a", 10, 0), tasks("a", 10, 2)};
  const Description found = described(all);
  ASSERT_EQ(found.cluster.servers.size(), 2U);
  EXPECT_EQ(found.cluster.servers[0].name, "large");
  EXPECT_EQ(found.cluster.servers[0].capacity[0], Quantity(1000));
  EXPECT_EQ(found.cluster.servers[0].count, 3);
  EXPECT_THAT(*found.cluster.running, ElementsAre(Running{"a", {}, "large", Quantity(2)}));
  EXPECT_EQ(found.cluster.servers[1].name, "m4");
  EXPECT_THAT(found.notices,
              ElementsAre("counted with the least that servers like them have: 3 servers in 1 "
                          "entry, of which at most 1 % of a resource of a server is left out"));
}

TEST(Inventory, MachinesOfTwoKindsThatCountWithTheSameAreNotedAsOneEntry) {
  Inventory all = inventory({1000, 1005, 1000, 1008});
  all.machines[0].kind = all.machines[1].kind = "old";
  all.machines[2].kind = all.machines[3].kind = "new";
  all.tolerance = mpq_class(1, 100);
  all.tasks = {tasks("a", 10)};
  const Description found = described(all);
  ASSERT_EQ(found.cluster.servers.size(), 1U);
  EXPECT_THAT(found.notices,
              ElementsAre("counted with the least that servers like them have: 4 servers in 1 "
                          "entry, of which at most 0.8 % of a resource of a server is left out"));
}

TEST(Inventory, MachinesThatAreAlikeStayApartWhereTheirKindsOrTheirTasksDiffer) {
  Inventory all = inventory({1000, 1001, 1002});
  all.machines[0].kind = "old";
  all.tolerance = mpq_class(1, 100);
  all.rules.push_back({.allowed = {true, true, false}});
  all.tasks = {tasks("a", 10), tasks("b", 10)};
  all.tasks[1].rule = 1;
  EXPECT_EQ(described(all).cluster.servers.size(), 3U);
  all.tasks.pop_back();
  EXPECT_EQ(described(all).cluster.servers.size(), 2U) << "the old one apart";
}

TEST(Inventory, AMachineOfWhichMoreIsInUseThanTheLeastHaveStaysItsOwn) {
  Inventory all = inventory({1000, 1005});
  all.tolerance = mpq_class(1, 100);
  all.tasks = {tasks("a", 1003, 1), tasks("b", 1, 0)};
  const Description found = described(all);
  ASSERT_EQ(found.cluster.servers.size(), 2U);
  EXPECT_EQ(found.cluster.servers[1].capacity[0], Quantity(1005));
  EXPECT_THAT(found.notices, IsEmpty());
}

}  // namespace
}  // namespace mirab::inventory
