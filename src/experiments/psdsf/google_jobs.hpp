#pragma once

#include <cstddef>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::experiments {

/// The jobs of the trace that run in one of its 18 whole intervals of five minutes.
inline constexpr std::size_t kGoogleJobs = 4685;

/// 120 servers of the four commonest capacities of the Google machines, in their proportions; CPU and memory.
Problem google_servers();

/// So many of these jobs drawn at random, each a user with a divisible job for every interval in which it
/// runs: a task of d_n / max_r d_{n,r} that takes 300 · max_r d_{n,r} seconds, where d_n is what its tasks
/// request, mean over the interval. Each class of servers is eligible for it with this probability > 0, drawn
/// anew until one is.
Workload google_jobs(std::size_t count, double class_is_eligible, Random& random);

}  // namespace mirab::experiments
