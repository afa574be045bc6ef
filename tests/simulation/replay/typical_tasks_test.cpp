#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/simulation/replay/input.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

using testing::ElementsAre;

Result<ReplayInput> input_with(const std::vector<Request>& requests, const std::vector<std::int64_t>& tasks) {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = requests, .jobs = {}};
  for (std::uint32_t i = 0; i < tasks.size(); ++i)
    workload.jobs.push_back(job_of("j", at_second(0), 0, i, tasks[i], at_second(1)));
  workload.span = at_second(1);
  return replay_input(cluster_of({"cpu"}, {{.name = "s", .capacity = whole({8}), .labels = {{"zone", "a"}}},
                                           {.name = "t", .capacity = whole({8})}}),
                      workload, {}, 1);
}

TEST(TypicalTasks, AreAsPopularAsTheyAreSubmittedInTheOrderOfTheirSize) {
  const auto input = input_with({{whole({2})}, {whole({1})}, {whole({4})}}, {1, 6, 1});
  std::vector<std::int64_t> demands;
  std::vector<double> popularity;
  for (const TypicalTask& task : input->typical) {
    demands.push_back(task.demand[0]);
    popularity.push_back(task.popularity);
  }
  EXPECT_THAT(demands, ElementsAre(1, 2, 4));
  EXPECT_THAT(popularity, ElementsAre(0.75, 0.125, 0.125));
}

TEST(TypicalTasks, OfManyKindsAreAtMostSoManyAndStandForAll) {
  std::vector<Request> requests;
  for (std::int64_t thousandths = 1; thousandths <= 1000; ++thousandths)
    requests.push_back({{*Quantity::parse(std::to_string(thousandths) + "m")}});
  const auto input = input_with(requests, std::vector<std::int64_t>(requests.size(), 1));
  double all = 0;
  for (const TypicalTask& task : input->typical) all += task.popularity;
  EXPECT_EQ(input->typical.size(), kTypical);
  EXPECT_DOUBLE_EQ(all, 1);
  EXPECT_EQ(input->typical.front().demand[0], 8) << "the ⌈1000 / 128⌉-th smallest";
}

TEST(TypicalTasks, MayUseMachinesByNameAndLabel) {
  const auto input = input_with({{.demand = whole({1}), .servers = std::vector<std::string>{"t"}},
                                 {.demand = whole({2}), .select = {{"zone", {"b", "a"}}}}},
                                {1, 1});
  EXPECT_THAT(input->typical[0].may_use, ElementsAre(false, true));
  EXPECT_THAT(input->typical[1].may_use, ElementsAre(true, false));
}

TEST(TypicalTasks, AreThoseThatAreSubmittedAndFit) {
  const auto input = input_with({{whole({1})}, {whole({9})}}, {1, 5});
  EXPECT_EQ(input->typical.size(), 1U);
  EXPECT_DOUBLE_EQ(input->typical[0].popularity, 1);
}

}  // namespace
}  // namespace mirab::simulation
