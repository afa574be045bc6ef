#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/simulation/reallocation.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::seconds;

Problem one_server() {
  Result<Problem> problem = Problem::from({.resources = {"cpu"},
                                           .servers = {{.name = "s", .capacity = {Quantity(1)}}},
                                           .users = {{.name = "nobody", .demand = {Quantity(1)}}}});
  return *std::move(problem);
}

Workload one_job() {
  return {.resources = {"cpu"},
          .users = {{.name = "u"}},
          .requests = {{.demand = {Quantity(1)}}},
          .jobs = {{.name = "j", .user = 0, .request = 0, .runtime = seconds(1)}},
          .span = seconds(10)};
}

ReallocationOptions options() { return {.mechanisms = {*choose_mechanism("drfh")}}; }

std::string key_of_error(const Workload& workload, const ReallocationOptions& how) {
  const auto outcomes = reallocate(one_server(), workload, how, 1);
  return outcomes ? "no error" : outcomes.error().key;
}

TEST(CheckReallocation, AGoodWorkloadIsPlayed) { EXPECT_EQ(key_of_error(one_job(), options()), "no error"); }

TEST(CheckReallocation, OptionsWithoutMeaningAreErrorsThatNameTheirKey) {
  ReallocationOptions how = options();
  how.mechanisms.clear();
  EXPECT_EQ(key_of_error(one_job(), how), "mechanisms");
  how = options();
  how.interval = Duration::zero();
  EXPECT_EQ(key_of_error(one_job(), how), "interval");
  how = options();
  how.window = seconds(-1);
  EXPECT_EQ(key_of_error(one_job(), how), "window");
  how = options();
  how.interval = std::chrono::microseconds(10);
  EXPECT_EQ(key_of_error(one_job(), how), "interval") << "a million of them";
}

TEST(CheckReallocation, ResourcesStandInAnyOrder) {
  Result<Problem> cluster =
      Problem::from({.resources = {"cpu", "memory"},
                     .servers = {{.name = "s", .capacity = {Quantity(1), Quantity(6)}}},
                     .users = {{.name = "nobody", .demand = {Quantity(1), Quantity(1)}}}});
  Workload workload = one_job();
  workload.resources = {"memory", "cpu"};
  workload.requests = {{.demand = {Quantity(3), Quantity(1)}}};
  const auto outcomes = reallocate(*cluster, workload, options(), 1);
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(outcomes->front().jobs[0].completed, seconds(1)) << "one task fits; two in the other order";
}

TEST(CheckReallocation, AWorkloadThatCannotBePlayedIsAnErrorThatNamesItsKey) {
  Workload workload = one_job();
  workload.span = Duration::zero();
  EXPECT_EQ(key_of_error(workload, options()), "span");
  workload.span = kLongestWorkload + seconds(1);
  EXPECT_EQ(key_of_error(workload, options()), "span") << "as for a replay";
  workload = one_job();
  workload.users[0].weight = Quantity(0);
  EXPECT_EQ(key_of_error(workload, options()), "users[0].weight");
  workload = one_job();
  workload.requests[0].demand = {Quantity(1), Quantity(1)};
  EXPECT_EQ(key_of_error(workload, options()), "requests[0].demand");
  workload = one_job();
  workload.resources = {"memory"};
  EXPECT_EQ(key_of_error(workload, options()), "resources");
  workload = one_job();
  workload.jobs[0].user = 1;
  EXPECT_EQ(key_of_error(workload, options()), "jobs[0].user");
  workload = one_job();
  workload.jobs[0].request = 1;
  EXPECT_EQ(key_of_error(workload, options()), "jobs[0].request");
  workload = one_job();
  workload.jobs[0].tasks = 0;
  EXPECT_EQ(key_of_error(workload, options()), "jobs[0].tasks");
  workload = one_job();
  workload.jobs[0].runtime = Duration::zero();
  EXPECT_EQ(key_of_error(workload, options()), "jobs[0].runtime");
  workload = one_job();
  workload.jobs.push_back(workload.jobs[0]);
  workload.jobs[0].submitted = seconds(1);
  EXPECT_EQ(key_of_error(workload, options()), "jobs[1].submitted");
  workload = one_job();
  workload.requests[0].servers = {{"another"}};
  EXPECT_EQ(key_of_error(workload, options()).substr(0, 11), "requests[0]");
}

}  // namespace
}  // namespace mirab::simulation
