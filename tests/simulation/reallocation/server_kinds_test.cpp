#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/simulation/reallocation.hpp"
#include "lab/simulation/reallocation/division.hpp"

namespace mirab::simulation {
namespace {

Server server(std::string name, std::int64_t cpu, std::string platform, std::int64_t count = 1) {
  return {.name = std::move(name),
          .capacity = {Quantity(cpu)},
          .count = count,
          .labels = {{"platform", std::move(platform)}}};
}

Problem of(std::vector<Server> servers) {
  Result<Problem> problem = Problem::from({.resources = {"cpu"},
                                           .servers = std::move(servers),
                                           .users = {{.name = "nobody", .demand = {Quantity(1)}}}});
  return *std::move(problem);
}

Problem five() {
  return of({server("a", 2, "x"), server("b", 2, "y", 3), server("c", 2, "x"), server("d", 1, "x"),
             server("e", 2, "x")});
}

Workload wishing(std::vector<Request> requests) {
  return {.resources = {"cpu"}, .users = {{.name = "u"}}, .requests = std::move(requests), .jobs = {}};
}

TEST(ServerKinds, EqualServersThatNobodyTellsApartAreOne) {
  const Result<ServerKinds> kinds = server_kinds(five(), wishing({{.demand = {Quantity(1)}}}));
  ASSERT_TRUE(kinds);
  EXPECT_EQ(kinds->kind_of, (std::vector<std::size_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(kinds->servers[0].count, 6);
  EXPECT_EQ(kinds->servers[1].count, 1);
  EXPECT_FALSE(kinds->requests[0].servers);
}

TEST(ServerKinds, ARequestByLabelOrNameTellsEqualServersApart) {
  const Result<ServerKinds> kinds = server_kinds(
      five(), wishing({{.demand = {Quantity(1)}, .select = {{"platform", {"x"}}}},
                       {.demand = {Quantity(1)}, .servers = std::vector<std::string>{"c", "d", "e"}}}));
  ASSERT_TRUE(kinds);
  EXPECT_EQ(kinds->kind_of, (std::vector<std::size_t>{0, 1, 2, 3, 2}));
  EXPECT_EQ(kinds->requests[0].servers, (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_TRUE(kinds->requests[0].select.empty());
  EXPECT_EQ(kinds->requests[1].servers, (std::vector<std::string>{"c", "d"}));
}

TEST(ServerKinds, ARequestThatFitsNowhereIsAnErrorThatNamesIt) {
  const auto kinds = server_kinds(
      five(),
      wishing({{.demand = {Quantity(1)}}, {.demand = {Quantity(1)}, .select = {{"platform", {"z"}}}}}));
  ASSERT_FALSE(kinds);
  EXPECT_EQ(kinds.error().key.substr(0, 11), "requests[1]");
}

// It would never end, and the moments in which no other job is there could not be divided.
TEST(ServerKinds, ARequestForAResourceThatNoServerHasIsAnErrorBesideOneThatFits) {
  const Problem cluster =
      *Problem::from({.resources = {"cpu", "gpu"},
                      .servers = {{.name = "s", .capacity = {Quantity(2), Quantity(0)}}},
                      .users = {{.name = "nobody", .demand = {Quantity(1), Quantity(0)}}}});
  Workload workload =
      wishing({{.demand = {Quantity(1), Quantity(0)}}, {.demand = {Quantity(1), Quantity(1)}}});
  workload.resources = {"cpu", "gpu"};
  const auto kinds = server_kinds(cluster, workload);
  ASSERT_FALSE(kinds);
  EXPECT_EQ(kinds.error().key, "requests[1].demand");
  EXPECT_EQ(kinds.error().message, "a task of it fits nowhere: 1 without any gpu");
}

// One entry of six servers, and six entries, each of one.
TEST(ServerKinds, WhetherServersShareAnEntryChangesNoReallocation) {
  std::vector<Server> apart;
  for (int i = 0; i < 6; ++i) apart.push_back(server("s" + std::to_string(i), 2, "x"));
  Workload workload = wishing({{.demand = {Quantity(1)}}});
  for (int seconds = 3; seconds < 30; seconds += 4)
    workload.jobs.push_back({.name = "j", .user = 0, .request = 0, .runtime = std::chrono::seconds(seconds)});
  workload.span = std::chrono::seconds(10);
  for (const std::string_view mechanism : {"drfh", "ps-dsf", "drf"}) {
    const ReallocationOptions how{.mechanisms = {*choose_mechanism(mechanism)}};
    const auto one = reallocate(of({server("s", 2, "x", 6)}), workload, how, 1);
    const auto six = reallocate(of(apart), workload, how, 1);
    ASSERT_TRUE(one && six);
    ASSERT_EQ(six->front().servers.size(), 6U);
    for (const ClassUse& use : six->front().servers) EXPECT_EQ(use.mean, one->front().servers[0].mean);
    for (std::size_t j = 0; j < workload.jobs.size(); ++j)
      EXPECT_EQ(six->front().jobs[j].completed, one->front().jobs[j].completed);
  }
}

}  // namespace
}  // namespace mirab::simulation
