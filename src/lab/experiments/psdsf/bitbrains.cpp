// `psdsf-bitbrains`: how much of a data centre is used when the active Bitbrains machines share it, under
// αPF-VDS with α = 1, 3, ∞ (PS-DSF), DRFH and TSF. Paper 001 (Ravi Kiran and Srinuvas), figures 4 and 5.
//
// Printed: use falls as α grows; PS-DSF uses no less of any resource than DRFH and TSF, up to 20 % more. The
// bars' heights are not in our text. 100 runs, each on the machines that are active at an instant drawn at
// random, with 95 % intervals.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/psdsf/clusters.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {
namespace {

constexpr std::size_t kRuns = 100;
constexpr std::size_t kQuickRuns = 8;
constexpr double kMostMore = 0.2;        // printed: "up to 20%", read as points of the capacity
constexpr double kMoreTolerance = 0.05;  // other servers and other instants than the paper's
constexpr std::size_t kMemory = 1;       // full under every mechanism: nothing can be held of it

constexpr const char* kLeftOpen =
    "DRFH and TSF do not say on which servers a user's tasks run, so that a mean over servers depends on a "
    "choice that they leave open";

// Used over capacity of all servers together, or the mean of the same over servers. [resource]
struct Parts {
  std::vector<double> of_all, of_each;
};

Parts parts_of(const Problem& problem, const Allocation& allocation) {
  const std::size_t m = problem.resource_count();
  Parts parts{.of_all = std::vector<double>(m), .of_each = std::vector<double>(m)};
  double servers = 0;
  for (const ServerUse& server : allocation.servers) servers += static_cast<double>(server.count);
  for (const ServerUse& server : allocation.servers) {
    for (std::size_t r = 0; r < m; ++r) {
      parts.of_all[r] += server.used[r] / problem.pool()[r];
      parts.of_each[r] += static_cast<double>(server.count) / servers * server.used[r] / server.capacity[r];
    }
  }
  return parts;
}

struct Run {
  std::size_t instant = 0;
  std::vector<Parts> parts = {};  // [contender]
  std::int64_t not_converged = 0;
};

Run run_at(std::size_t instant) {
  const Result<Problem> problem = Problem::from({.resources = bitbrains_resources(),
                                                 .servers = bitbrains_servers(1),
                                                 .users = bitbrains_users(instant)});
  MIRAB_ASSERT(static_cast<bool>(problem), "active machines are users");
  Run run{.instant = instant};
  for (const std::string_view mechanism : kContenders) {
    const Result<Outcome> outcome = allocate(*problem, mechanism);
    MIRAB_ASSERT(static_cast<bool>(outcome), "these mechanisms take every problem");
    run.parts.push_back(parts_of(*problem, outcome->allocation));
    run.not_converged += outcome->status == Status::not_converged ? 1 : 0;
  }
  return run;
}

std::vector<Run> runs_of(const RunOptions& options) {
  std::vector<Run> runs(options.effort == Effort::quick ? kQuickRuns : kRuns);
  const auto task = [&](std::size_t index) {
    Random random = simulation::stream(options.seed, "psdsf-bitbrains", {index});
    runs[index] = run_at(random.below(kBitbrainsInstants));
  };
  simulation::sweep(runs.size(), options.threads, task, options.progress);
  return runs;
}

// [resource]
std::vector<Use> use_of(const std::vector<Run>& runs, std::vector<double> Parts::*of) {
  std::vector<Use> use(bitbrains_resources().size());
  for (std::size_t r = 0; r < use.size(); ++r) {
    for (std::size_t m = 0; m < kContenders.size(); ++m) {
      for (const Run& run : runs) use[r][m].push_back((run.parts[m].*of)[r]);
    }
  }
  return use;
}

// Of PS-DSF over DRFH and TSF.
Finding largest_gain(std::string_view measure, const std::vector<Use>& use) {
  simulation::Interval most;
  double of = 1;  // what the other one uses
  for (const Use& of_resource : use) {
    for (const std::size_t other : {kDrfh, kTsf}) {
      const simulation::Interval gain = simulation::mean_interval(gains(of_resource, kPsDsf, other));
      if (gain.mean <= most.mean) continue;
      most = gain;
      of = mean(of_resource[other]);
    }
  }
  Finding finding = compared(
      fmt::format(
          "the most that ps-dsf uses beyond drfh or tsf, of any resource, {}, in parts of the capacity "
          "(up to 0.2, give or take {})",
          measure, kMoreTolerance),
      kMostMore, most.mean, kMoreTolerance);
  finding.interval = {{most.low, most.high}};
  finding.note = fmt::format("{:.1f} % more than the other one uses", 100 * most.mean / of);
  decide_near(finding, kMostMore, kMoreTolerance);
  return finding;
}

// The paper's sentences by one measure of use. What is contradicted by a mean over servers gets its reason.
void check_measure(std::string_view measure, const std::vector<Use>& use, std::string_view reason,
                   Reproduction& result) {
  const std::size_t first = result.findings.size();
  const std::vector<std::string> resources = bitbrains_resources();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (r != kMemory) check_use(fmt::format("{}, {}", resources[r], measure), use[r], result);
  }
  result.findings.push_back(largest_gain(measure, use));
  for (std::size_t f = first; f < result.findings.size(); ++f) {
    Finding& finding = result.findings[f];
    if (!finding.holds && !reason.empty())
      finding.note += (finding.note.empty() ? "" : "; ") + std::string(reason);
  }
}

// Use of the processors at each instant that was drawn.
Figure figure_of(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.instant < b.instant; });
  const auto again = std::unique(runs.begin(), runs.end(),
                                 [](const Run& a, const Run& b) { return a.instant == b.instant; });
  runs.erase(again, runs.end());
  Figure figure{
      .title = "Use of the processors", .x_label = "hour of the day", .y_label = "part used", .curves = {}};
  for (std::size_t m = 0; m < kContenders.size(); ++m) {
    Curve curve{.name = std::string(kContenders[m]), .x = {}, .y = {}};
    for (const Run& run : runs) {
      curve.x.push_back(static_cast<double>(run.instant) / 2);
      curve.y.push_back(run.parts[m].of_all[0]);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Reproduction run(const RunOptions& options) {
  const std::vector<Run> runs = runs_of(options);
  const std::vector<std::string> resources = bitbrains_resources();
  const std::vector<Use> of_all = use_of(runs, &Parts::of_all), of_each = use_of(runs, &Parts::of_each);
  Reproduction result;
  check_measure("mean over servers", of_each, kLeftOpen, result);
  check_measure("all servers together", of_all, "", result);
  std::int64_t not_converged = 0;
  for (const Run& one : runs) not_converged += one.not_converged;
  result.findings.push_back(required("allocations without their certificate, 0",
                                     static_cast<double>(not_converged), not_converged == 0));
  result.tables = {use_table("Part that is used of all servers together, mean over runs, with 95 % intervals",
                             resources, of_all),
                   use_table("The same of each server, mean over servers and runs", resources, of_each)};
  result.figures = {figure_of(runs)};
  result.remarks = {
      fmt::format(
          "The paper averages over servers (second table). {}: by this measure its statement is not "
          "found. What is used of all servers together (first table) the mechanisms determine: by that "
          "it is.",
          kLeftOpen),
      "Memory is full under every mechanism, so that nothing is held of it."};
  return result;
}

}  // namespace

Experiment psdsf_bitbrains_row() {
  return {
      .id = "psdsf-bitbrains",
      .paper = "Ravi Kiran and Srinuvas, figures 4 and 5",
      .title = "Use of a data centre by Bitbrains machines under αPF-VDS, PS-DSF, DRFH and TSF",
      .data =
          "stand-in: the first day of the Bitbrains trace Rnd, 48 instants half an hour apart, all machines "
          "that then use CPU and memory, may run anywhere and take what they use; 120 servers, 40 at each "
          "place, with the slow network at the first two places and the fast one at the last",
      .run = run};
}

}  // namespace mirab::experiments
