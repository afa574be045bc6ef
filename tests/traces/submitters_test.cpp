#include <gmock/gmock.h>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {
namespace {

using ::testing::ElementsAre;

Request cpus(std::int64_t amount) { return {.demand = {Quantity(amount)}}; }

Job job(std::uint32_t user, std::uint32_t request, std::int64_t tasks = 1) {
  return {.name = "j", .user = user, .request = request, .tasks = tasks, .runtime = std::chrono::seconds(1)};
}

TEST(Requests, AreKeptOnceEach) {
  Requests requests;
  const Request in_a{.demand = {Quantity(1)}, .select = {{"zone", {"a"}}}};
  const Request on_a{.demand = {Quantity(1)}, .servers = std::vector<std::string>{"a"}};
  const Request on_none{.demand = {Quantity(1)}, .servers = std::vector<std::string>{}};
  EXPECT_EQ(requests.number(cpus(1)), 0u);
  EXPECT_EQ(requests.number(cpus(2)), 1u);
  EXPECT_EQ(requests.number(in_a), 2u);
  EXPECT_EQ(requests.number(on_a), 3u);
  EXPECT_EQ(requests.number(on_none), 4u);
  EXPECT_EQ(requests.number(in_a), 2u);
  EXPECT_EQ(requests.number(cpus(1)), 0u);
  EXPECT_THAT(requests.take(), ElementsAre(cpus(1), cpus(2), in_a, on_a, on_none));
}

TEST(Submitters, AUserAsksForWhatMostOfItsTasksAskFor) {
  const Workload workload{.resources = {"cpu"},
                          .users = {{"ann"}, {"bob", Quantity(3)}},
                          .requests = {cpus(1), cpus(2)},
                          .jobs = {job(0, 0), job(0, 1, 2), job(1, 1), job(1, 0)}};
  const std::vector<User> users = users_of(workload);
  ASSERT_EQ(users.size(), 2u);
  EXPECT_EQ(users[0].demand, cpus(2).demand) << "two tasks to one";
  EXPECT_EQ(users[1].demand, cpus(1).demand) << "the first request, in a tie";
  EXPECT_EQ(users[1].weight, Quantity(3));
  EXPECT_FALSE(users[0].tasks);
}

TEST(Submitters, WhatHasNoJobIsForgotten) {
  Workload workload{.resources = {"cpu"},
                    .users = {{"ann"}, {"bob"}, {"eve"}},
                    .requests = {cpus(1), cpus(2), cpus(3)},
                    .jobs = {job(2, 1), job(0, 2)}};
  forget_unused(workload);
  EXPECT_THAT(workload.users, ElementsAre(Submitter{"ann"}, Submitter{"eve"}));
  EXPECT_THAT(workload.requests, ElementsAre(cpus(2), cpus(3)));
  EXPECT_THAT(workload.jobs, ElementsAre(job(1, 0), job(0, 1)));
}

TEST(Submitters, ARequestFitsWhereItIsAllowedAndThereIsRoom) {
  const std::vector<Server> servers{{.name = "a", .capacity = {Quantity(2)}, .labels = {{"zone", "x"}}},
                                    {.name = "b", .capacity = {Quantity(4)}}};
  EXPECT_TRUE(fits_somewhere(cpus(4), servers));
  EXPECT_FALSE(fits_somewhere(cpus(5), servers));
  EXPECT_TRUE(fits_somewhere({.demand = {Quantity(2)}, .select = {{"zone", {"y", "x"}}}}, servers));
  EXPECT_FALSE(fits_somewhere({.demand = {Quantity(3)}, .select = {{"zone", {"x"}}}}, servers));
  EXPECT_FALSE(fits_somewhere({.demand = {Quantity(1)}, .select = {{"rack", {"x"}}}}, servers));
  EXPECT_FALSE(fits_somewhere({.demand = {Quantity(3)}, .servers = std::vector<std::string>{"a"}}, servers));
}

}  // namespace
}  // namespace mirab::traces
