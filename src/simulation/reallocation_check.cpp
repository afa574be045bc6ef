// What must hold before jobs are divided: once, for all mechanisms.
#include <fmt/format.h>

#include "simulation/reallocation_report.hpp"

namespace mirab::simulation {
namespace {

Check check_jobs(const Workload& workload) {
  const std::vector<Job>& jobs = workload.jobs;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const auto wrong = [&](std::string_view part, std::string message) {
      return Error{.message = std::move(message), .key = fmt::format("jobs[{}].{}", j, part)};
    };
    if (jobs[j].user >= workload.users.size()) return wrong("user", "there is no such user");
    if (jobs[j].request >= workload.requests.size()) return wrong("request", "there is no such request");
    if (jobs[j].tasks < 1) return wrong("tasks", "must be at least 1");
    if (jobs[j].runtime <= Duration::zero()) return wrong("runtime", "must be greater than 0");
    if (j > 0 && jobs[j].submitted < jobs[j - 1].submitted)
      return wrong("submitted", "jobs must be in the order in which they were submitted");
  }
  return {};
}

}  // namespace

Check check_reallocation(const Problem& cluster, const Workload& workload,
                         const ReallocationOptions& options) {
  if (options.mechanisms.empty())
    return Error{.message = "there must be at least one mechanism", .key = "mechanisms"};
  if (options.interval <= Duration::zero())
    return Error{.message = "must be greater than 0", .key = "interval"};
  if (options.window <= Duration::zero()) return Error{.message = "must be greater than 0", .key = "window"};
  if (workload.span <= Duration::zero())
    return Error{.message = "the workload covers no time", .key = "span"};
  if (workload.resources != cluster.resources()) {
    return Error{
        .message = fmt::format("the workload's resources ({}) are not the cluster's ({})",
                               fmt::join(workload.resources, ", "), fmt::join(cluster.resources(), ", ")),
        .key = "resources"};
  }
  return check_jobs(workload);
}

}  // namespace mirab::simulation
