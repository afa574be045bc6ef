#include "lab/simulation/base/workload_check.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

Workload sound() {
  return {.resources = {"memory", "cpu"},
          .users = {{"a"}},
          .requests = {{whole({1, 2})}},
          .jobs = {job_of("j", at_second(0), 0, 0, 1, at_second(1)),
                   job_of("k", at_second(0), 0, 0, 1, at_second(1))},
          .span = at_second(10)};
}

std::string key_of_error(const std::function<void(Workload&)>& change) {
  const Problem cluster = cluster_of({"cpu", "memory"}, {{.name = "s", .capacity = whole({2, 2})}});
  Workload workload = sound();
  change(workload);
  const Check wrong = check_workload(cluster, workload);
  return wrong ? wrong->key : "";
}

TEST(CheckWorkload, TheOrderOfResourcesDoesNotMatter) {
  EXPECT_EQ(key_of_error([](Workload&) {}), "");
  EXPECT_EQ(key_of_error([](Workload& w) { w.resources = {"memory", "gpu"}; }), "resources");
}

// What would run there, tasks do not say.
TEST(CheckWorkload, ATaintThatKeepsUsersOffIsRefused) {
  const auto error_with = [](const char* effect) {
    const ResourceVector capacity = whole({2, 2});
    const Problem cluster = cluster_of(
        {"cpu", "memory"},
        {{.name = "s", .capacity = capacity},
         {.name = "t", .capacity = capacity, .taints = {{.key = "gpu", .value = "true", .effect = effect}}}});
    const Check wrong = check_workload(cluster, sound());
    return wrong ? describe(*wrong) : "";
  };
  EXPECT_EQ(error_with("PreferNoSchedule"), "");
  EXPECT_EQ(error_with("NoSchedule").find("servers[1].taints: the tasks of a workload do not say"), 0u);
}

TEST(CheckWorkload, TasksAreBoundedInAllJobsTogether) {
  EXPECT_EQ(key_of_error([](Workload& w) { w.jobs[0].tasks = kMostWorkloadTasks - 1; }), "");
  EXPECT_EQ(key_of_error([](Workload& w) { w.jobs[0].tasks = kMostWorkloadTasks; }), "jobs[1].tasks");
  EXPECT_EQ(key_of_error([](Workload& w) { w.jobs[0].tasks = INT64_MAX; }), "jobs[0].tasks");
}

TEST(CheckWorkload, TimesAreWithinAHundredYears) {
  const Duration beyond = kLongestWorkload + Duration(1);
  EXPECT_EQ(key_of_error([](Workload& w) { w.span = w.jobs[0].runtime = kLongestWorkload; }), "");
  EXPECT_EQ(key_of_error([&](Workload& w) { w.span = beyond; }), "span");
  EXPECT_EQ(key_of_error([&](Workload& w) { w.jobs[0].runtime = beyond; }), "jobs[0].runtime");
  EXPECT_EQ(key_of_error([&](Workload& w) { w.jobs[1].submitted = beyond; }), "jobs[1].submitted");
}

}  // namespace
}  // namespace mirab::simulation
