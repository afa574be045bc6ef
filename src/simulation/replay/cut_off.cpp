#include <algorithm>

#include <mirab/simulation/scenario.hpp>

namespace mirab::simulation {

Workload cut_off(Workload workload, Duration end) {
  std::erase_if(workload.jobs, [&](const Job& job) { return job.submitted >= end; });
  std::erase_if(workload.changes, [&](const ServerChange& change) { return change.at >= end; });
  workload.span = std::min(workload.span, end);
  return workload;
}

}  // namespace mirab::simulation
