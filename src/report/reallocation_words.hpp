#pragma once

// What table, JSON and CSV of a reallocation all say.

#include <cstdint>
#include <string_view>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>
#include <mirab/simulation/reallocation.hpp>
#include <mirab/simulation/replay.hpp>

namespace mirab::report {

/// What became of all jobs together.
struct JobSums {
  std::int64_t completed = 0;
  double work = 0;                   ///< in seconds of one task
  double done = 0;                   ///< of it
  simulation::Quantiles completion;  ///< of completed jobs, from submission to end, seconds
};

JobSums job_sums(const Workload& workload, const simulation::ReallocationOutcome& outcome);

/// Used over capacity of all servers together, mean over the span; 0 of a resource without any. [m]
std::vector<double> used_in_all(const Problem& cluster, const simulation::ReallocationOutcome& outcome);

/// That of the worst division.
Status status_of(const simulation::ReallocationOutcome& outcome);

/// `job`, `user`.
std::string_view claimant_name(simulation::Claimant claimant);
/// `wait`, `reallocate`.
std::string_view new_jobs_name(simulation::NewJobs new_jobs);

}  // namespace mirab::report
