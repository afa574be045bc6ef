// The mechanisms side by side: what became of the jobs, how the solver fared, and how much of which servers
// was used.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "model/names.hpp"
#include "model/seconds.hpp"
#include "report/figures.hpp"
#include "report/reallocation_words.hpp"
#include "report/series_json.hpp"
#include "report/side_by_side.hpp"
#include "report/simulation.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using simulation::ReallocationOutcome;

constexpr std::size_t kNameWidth = 20;
constexpr std::size_t kServersShown = 10;
const std::string kIndent = "  ";

std::string title(const ReallocationRun& run) {
  const simulation::ReallocationOptions& options = run.scenario.options;
  return printable(fmt::format("{}: {} on {}, divided every {} and at each job's end{}; a claimant is a {}",
                               run.title, run.scenario.workload, run.scenario.cluster,
                               span_text(in_seconds(options.interval)),
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
  std::vector<JobSums> sums;
  for (const ReallocationOutcome& outcome : run.outcomes) sums.push_back(job_sums(run.workload, outcome));
  const auto row = [&](const std::string& what, const auto& text) {
    std::vector<std::string> values;
    for (const JobSums& each : sums) values.push_back(text(each));
    table.add(what, std::move(values));
  };
  const auto time = [](double simulation::Quantiles::*part) {
    return
        [part](const JobSums& each) { return each.completed == 0 ? "–" : span_text(each.completion.*part); };
  };
  row(fmt::format("completed of {} jobs", run.workload.jobs.size()),
      [](const JobSums& each) { return std::to_string(each.completed); });
  row("work done", [](const JobSums& each) { return percent(each.work > 0 ? each.done / each.work : 0, 2); });
  row("completion, mean", time(&simulation::Quantiles::mean));
  row("completion, median", time(&simulation::Quantiles::p50));
  row("completion, 90 %", time(&simulation::Quantiles::p90));
}

void add_solver(SideBySide& table, const ReallocationRun& run) {
  add(table, fmt::format("active {}s, mean", claimant_name(run.scenario.options.claimant)), run,
      [](const auto& outcome) { return fixed(outcome.mean_active, 2); });
  add(table, "divisions", run, [](const auto& outcome) { return std::to_string(outcome.divisions); });
  add(table, "solved anew", run, [](const auto& outcome) { return std::to_string(outcome.solved); });
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
    add(table, shorten(resources[r], kNameWidth) + " used", run,
        [&](const auto& outcome) { return percent(used_in_all(run.cluster, outcome)[r], 2); });
  }
  const auto& servers = run.outcomes.front().servers;
  if (servers.size() == 1 || servers.size() > kServersShown) return;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    for (std::size_t r = 0; r < resources.size(); ++r) {
      if (run.cluster.servers()[i].capacity[r].is_zero()) continue;
      add(table,
          fmt::format("  {} {}", shorten(servers[i].name, kNameWidth), shorten(resources[r], kNameWidth)),
          run, [&](const auto& outcome) { return percent(outcome.servers[i].mean[r], 2); });
    }
  }
}

std::string notices(const ReallocationRun& run, std::size_t width) {
  std::string text;
  std::set<std::string> said;  // what is true of several mechanisms is said once
  for (const ReallocationOutcome& outcome : run.outcomes) {
    for (const std::string& notice : outcome.notices) {
      if (said.insert(notice).second) text += broken("note: " + printable(notice), width, "      ");
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
  return broken(title(run), page, kIndent) + "\n" + table.text(page) +
         broken(
             "completion: from submission to end, of completed jobs; used: part of the capacity, mean over "
             "time",
             page, kIndent) +
         notices(run, page);
}

}  // namespace mirab::report
