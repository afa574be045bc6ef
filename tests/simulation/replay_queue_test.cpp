// Poisson arrivals of exponential tasks on c servers are the M/M/c queue, whose mean waiting is Erlang's
// (Kleinrock, Queueing Systems I, section 3.5): W = P / (c μ − λ), P the probability to wait.
#include <cmath>
#include <gtest/gtest.h>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

/// Erlang's C, by the recursion of Erlang's B.
double probability_to_wait(int servers, double offered) {
  double blocked = 1;
  for (int k = 1; k <= servers; ++k) blocked = offered * blocked / (k + offered * blocked);
  return blocked / (1 - offered / servers * (1 - blocked));
}

Duration exponential(Random& random, double mean) {
  return Duration(std::llround(draw_exponential(random) * mean * 1e9) + 1);
}

double mean_waiting(std::uint64_t replication, int servers, double arrivals) {
  Workload workload{.resources = {"cpu"}, .users = {{"a"}}, .requests = {{whole({1})}}, .jobs = {}};
  Random arrival = stream(11, "arrivals", {replication});
  Random runtime = stream(11, "runtimes", {replication});
  Duration now{};
  for (int j = 0; j < 4000; ++j) {
    now += exponential(arrival, 1 / arrivals);
    workload.jobs.push_back(job_of("j", now, 0, 0, 1, exponential(runtime, 1)));
  }
  workload.span = now;
  const auto outcomes =
      replay(cluster_of({"cpu"}, {{.name = "s", .capacity = whole({1}), .count = servers}}), workload,
             {.contenders = {contender("fifo", "first-fit")}, .until = ReplayUntil::drained, .samples = 1},
             replication, 1);
  EXPECT_TRUE(outcomes);
  EXPECT_EQ(outcomes->front().finished, 4000);
  return outcomes->front().waiting.mean;
}

TEST(ReplayQueue, WaitsAsLongAsErlangSays) {
  constexpr int kServers = 3;
  constexpr double kArrivals = 2.1;
  std::vector<double> means;
  for (std::uint64_t replication = 0; replication < 30; ++replication)
    means.push_back(mean_waiting(replication, kServers, kArrivals));
  const Interval interval = mean_interval(means, 0.99);
  const double erlang = probability_to_wait(kServers, kArrivals) / (kServers - kArrivals);
  EXPECT_LT(interval.low, erlang);
  EXPECT_GT(interval.high, erlang);
  EXPECT_LT(interval.high - interval.low, 0.2 * erlang) << "too wide to tell";
}

}  // namespace
}  // namespace mirab::simulation
