#include <algorithm>

#include <mirab/simulation/scenario.hpp>

namespace mirab::simulation {

Workload cut_off(Workload workload, Duration until) {
  std::erase_if(workload.jobs, [&](const Job& job) { return job.submitted >= until; });
  std::erase_if(workload.changes, [&](const ServerChange& change) { return change.at >= until; });
  workload.span = std::min(workload.span, until);
  return workload;
}

}  // namespace mirab::simulation
