#include "report/reallocation_words.hpp"

#include "model/seconds.hpp"
#include "report/series_json.hpp"
#include "simulation/quantiles.hpp"

namespace mirab::report {

JobSums job_sums(const Workload& workload, const simulation::ReallocationOutcome& outcome) {
  JobSums sums;
  std::vector<double> times;
  for (std::size_t n = 0; n < outcome.jobs.size(); ++n) {
    const simulation::ReallocatedJob& job = outcome.jobs[n];
    sums.work += job.work;
    sums.done += job.done;
    if (job.completed) times.push_back(in_seconds(*job.completed - workload.jobs[n].submitted));
  }
  sums.completed = static_cast<std::int64_t>(times.size());
  sums.completion = simulation::quantiles_of(std::move(times));
  return sums;
}

std::vector<double> used_in_all(const Problem& cluster, const simulation::ReallocationOutcome& outcome) {
  std::vector<double> used(cluster.resource_count());
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (cluster.pool()[r] == 0) continue;
    for (std::size_t i = 0; i < outcome.servers.size(); ++i) {
      const Server& server = cluster.servers()[i];
      used[r] += outcome.servers[i].mean[r] * static_cast<double>(server.count) * server.capacity[r].value() /
                 cluster.pool()[r];
    }
  }
  return used;
}

Status status_of(const simulation::ReallocationOutcome& outcome) {
  if (outcome.not_converged > 0) return Status::not_converged;
  return outcome.worst.kind.empty() ? Status::exact : Status::converged;
}

std::string_view claimant_name(simulation::Claimant claimant) {
  return claimant == simulation::Claimant::job ? "job" : "user";
}

std::string_view new_jobs_name(simulation::NewJobs new_jobs) {
  return new_jobs == simulation::NewJobs::wait ? "wait" : "reallocate";
}

}  // namespace mirab::report
