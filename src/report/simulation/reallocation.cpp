// A reallocation of divisible jobs as a table, JSON and CSV; first the sums that these forms share.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "lab/simulation/replay.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"
#include "report/simulation/runs.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

// What table, JSON and CSV of a reallocation all say.

#include <cstdint>
#include <string_view>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

#include "lab/simulation/reallocation.hpp"

namespace mirab::report {

/// What became of all jobs together.
struct JobTotals {
  std::int64_t completed = 0;
  double work = 0;                   ///< in seconds of one task
  double done = 0;                   ///< of it
  simulation::Quantiles completion;  ///< of completed jobs, from submission to end, seconds
};

JobTotals job_totals(const Workload& workload, const simulation::ReallocationOutcome& outcome);

/// Used over capacity of all servers together, mean over the span; 0 of a resource without any. [m]
std::vector<double> mean_utilization(const Problem& cluster, const simulation::ReallocationOutcome& outcome);

/// That of the worst division.
Status status_of(const simulation::ReallocationOutcome& outcome);

/// `job`, `user`.
std::string_view claimant_name(simulation::Claimant claimant);
/// `wait`, `reallocate`.
std::string_view new_jobs_name(simulation::NewJobs new_jobs);

JobTotals job_totals(const Workload& workload, const simulation::ReallocationOutcome& outcome) {
  JobTotals sums;
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

std::vector<double> mean_utilization(const Problem& cluster, const simulation::ReallocationOutcome& outcome) {
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

// The mechanisms side by side: what became of the jobs, how the solver fared, and how much of which servers
// was used.

namespace {

using simulation::ReallocationOutcome;

constexpr std::size_t kServersShown = 10;

std::string title(const ReallocationRun& run) {
  const simulation::ReallocationOptions& options = run.scenario.options;
  return printable(fmt::format("{}: {} on {}, divided every {} and at each job's end{}; a claimant is a {}",
                               run.title, run.scenario.workload, run.scenario.cluster,
                               duration(in_seconds(options.interval)),
                               options.new_jobs == simulation::NewJobs::reallocate ? " and beginning" : "",
                               claimant_name(options.claimant)));
}

template <class Text>
void add(SideBySide& table, const std::string& what, const ReallocationRun& run, const Text& text) {
  std::vector<std::string> values;
  for (const ReallocationOutcome& outcome : run.outcomes) values.push_back(text(outcome));
  table.add(what, std::move(values));
}

void add_jobs(SideBySide& table, const ReallocationRun& run) {
  std::vector<JobTotals> sums;
  for (const ReallocationOutcome& outcome : run.outcomes) sums.push_back(job_totals(run.workload, outcome));
  const auto row = [&](const std::string& what, const auto& text) {
    std::vector<std::string> values;
    for (const JobTotals& each : sums) values.push_back(text(each));
    table.add(what, std::move(values));
  };
  const auto time = [](double simulation::Quantiles::*part) {
    return
        [part](const JobTotals& each) { return each.completed == 0 ? "–" : duration(each.completion.*part); };
  };
  row(fmt::format("completed of {} jobs", run.workload.jobs.size()),
      [](const JobTotals& each) { return std::to_string(each.completed); });
  row("work done",
      [](const JobTotals& each) { return percent(each.work > 0 ? each.done / each.work : 0, 2); });
  row("completion, mean", time(&simulation::Quantiles::mean));
  row("completion, median", time(&simulation::Quantiles::p50));
  row("completion, 90 %", time(&simulation::Quantiles::p90));
}

void add_solver(SideBySide& table, const ReallocationRun& run) {
  add(table, fmt::format("active {}s, mean", claimant_name(run.scenario.options.claimant)), run,
      [](const auto& outcome) { return fixed(outcome.mean_active, 2); });
  add(table, "divisions", run, [](const auto& outcome) { return std::to_string(outcome.divisions); });
  add(table, "computed", run, [](const auto& outcome) { return std::to_string(outcome.solved); });
  add(table, "status", run, [](const auto& outcome) -> std::string {
    const Status status = status_of(outcome);
    return status == Status::not_converged ? "NOT CONVERGED" : std::string(status_name(status));
  });
  add(table, "worst certificate", run,
      [](const auto& outcome) { return outcome.worst.kind.empty() ? "–" : magnitude(outcome.worst.value); });
  add(table, "time", run, [](const auto& outcome) { return duration(outcome.solver_seconds); });
}

// All servers together, then each entry of the cluster when there are few.
void add_servers(SideBySide& table, const ReallocationRun& run) {
  const std::vector<std::string>& resources = run.cluster.resources();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    add(table, shorten(resources[r], kMediumNameWidth) + " used", run,
        [&](const auto& outcome) { return percent(mean_utilization(run.cluster, outcome)[r], 2); });
  }
  const auto& servers = run.outcomes.front().servers;
  if (servers.size() == 1 || servers.size() > kServersShown) return;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    for (std::size_t r = 0; r < resources.size(); ++r) {
      if (run.cluster.servers()[i].capacity[r].is_zero()) continue;
      add(table,
          fmt::format("  {} {}", shorten(servers[i].name, kMediumNameWidth),
                      shorten(resources[r], kMediumNameWidth)),
          run, [&](const auto& outcome) { return percent(outcome.servers[i].mean[r], 2); });
    }
  }
}

std::string notices(const ReallocationRun& run, std::size_t width) {
  std::string text;
  std::set<std::string> printed;  // a notice of several mechanisms is printed once
  for (const ReallocationOutcome& outcome : run.outcomes) {
    for (const std::string& notice : outcome.notices) {
      if (printed.insert(notice).second) text += broken("note: " + printable(notice), width, "      ");
    }
  }
  return text;
}

}  // namespace

std::string simulation_table(const ReallocationRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::vector<std::vector<std::string>> labels;
  for (const ReallocationOutcome& outcome : run.outcomes) labels.push_back(label_lines(outcome.mechanism));
  SideBySide table("all jobs", std::move(labels));
  add_jobs(table, run);
  table.add_rule();
  add_servers(table, run);
  table.add_rule();
  add_solver(table, run);
  return broken(title(run), page) + "\n" + table.text(width) +
         broken(
             "completion: from submission to end, of completed jobs; used: part of the capacity, mean over "
             "time",
             page) +
         notices(run, page);
}

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
  const JobTotals sums = job_totals(run.workload, outcome);
  Json servers = Json::array();
  for (const ClassUse& use : outcome.servers) servers.push_back(use_json(use, run.cluster.resources(), most));
  return {{"mechanism", outcome.mechanism},
          {"status", status_name(status_of(outcome))},
          {"certificate", certificate_json(outcome.worst)},
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
            {"utilization", by_resource(run.cluster.resources(), mean_utilization(run.cluster, outcome))},
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

std::string simulation_csv(const ReallocationRun& run) {
  const std::vector<std::string>& resources = run.cluster.resources();
  std::string csv = csv_record({"mechanism", "server", "count", "resource", "time", "used"});
  for (const simulation::ReallocationOutcome& outcome : run.outcomes) {
    for (const simulation::ClassUse& use : outcome.servers) {
      for (std::size_t r = 0; r < resources.size(); ++r) {
        for (std::size_t t = 0; t < outcome.times.size(); ++t) {
          csv += csv_record({outcome.mechanism, use.name, std::to_string(use.count), resources[r],
                             csv_number(outcome.times[t]), csv_number(use.moving[t][r])});
        }
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
