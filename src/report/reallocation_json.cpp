#include "model/names.hpp"
#include "model/seconds.hpp"
#include "report/reallocation_words.hpp"
#include "report/series_json.hpp"
#include "report/simulation.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::ClassUse;
using simulation::ReallocationOutcome;

// The moving means of one server class: a series for each resource.
Json use_json(const ClassUse& use, const std::vector<std::string>& resources, std::size_t most) {
  std::vector<simulation::Series> series;
  for (std::size_t r = 0; r < resources.size(); ++r) {
    series.push_back({.name = resources[r], .values = {}});
    for (const std::vector<double>& at : use.moving) series.back().values.push_back(at[r]);
  }
  return {{"name", use.name},
          {"count", use.count},
          {"mean", by_resource(resources, use.mean)},
          {"series", series_json(series, most)}};
}

Json contender_json(const ReallocationRun& run, const ReallocationOutcome& outcome, std::size_t most) {
  const JobSums sums = job_sums(run.workload, outcome);
  Json servers = Json::array();
  for (const ClassUse& use : outcome.servers) servers.push_back(use_json(use, run.cluster.resources(), most));
  return {{"mechanism", outcome.mechanism},
          {"status", status_name(status_of(outcome))},
          {"certificate", {{"kind", outcome.worst.kind}, {"value", outcome.worst.value}}},
          {"not_converged", outcome.not_converged},
          {"divisions", outcome.divisions},
          {"solved", outcome.solved},
          {"seconds", outcome.solver_seconds},
          {"summary",
           {{"jobs", outcome.jobs.size()},
            {"completed", sums.completed},
            {"work", sums.work},
            {"done", sums.done},
            {"active", outcome.mean_active},
            {"utilization", by_resource(run.cluster.resources(), used_in_all(run.cluster, outcome))},
            {"completion", quantiles_json(sums.completion)}}},
          {"servers", std::move(servers)},
          {"times", thinned(outcome.times, most)},
          {"series", series_json({{.name = "active", .values = outcome.active}}, most)},
          {"notices", outcome.notices}};
}

}  // namespace

Json simulation_json(const ReallocationRun& run, std::size_t most_samples) {
  const simulation::ReallocationOptions& options = run.scenario.options;
  Json contenders = Json::array();
  for (const ReallocationOutcome& outcome : run.outcomes) {
    contenders.push_back(contender_json(run, outcome, most_samples));
  }
  return {{"version", 1},
          {"kind", "reallocation"},
          {"cluster", run.scenario.cluster},
          {"workload", run.scenario.workload},
          {"resources", run.cluster.resources()},
          {"interval", in_seconds(options.interval)},
          {"window", in_seconds(options.window)},
          {"claimant", claimant_name(options.claimant)},
          {"new_jobs", new_jobs_name(options.new_jobs)},
          {"contenders", std::move(contenders)}};
}

}  // namespace mirab::report
