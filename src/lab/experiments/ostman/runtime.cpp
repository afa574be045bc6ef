// ostman-5.8 and ostman-5.9: ticks until nothing more can be placed, on two sizes of cluster.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

/// What 5.4 says of one size of cluster.
struct RuntimeClaims {
  std::size_t machines, users;
  std::vector<std::size_t> neighbours;
  std::size_t seeds;            ///< at full effort
  double centralised, pdgdrf;   ///< seconds; of PDGDRF with 2 neighbours
  double gradient_slower_from;  ///< neighbours from which DDRF gradient is slower than the centralised one;
                                ///< infinity: always faster
};

/// Ticks until nothing more can be placed, of the centralised scheduler, probes, DDRF, DGDRF and PDGDRF, by
/// the number of neighbours.
Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options);

// How long the schedulers take until nothing more can be placed, in ticks of 100 ms, from the first tick to
// the last placement. Östman, 5.4.
//
// The thesis' clusters are not published: sentences are held to clusters drawn in the same way, and a printed
// ratio of run-times is held to a quarter.

namespace {

using overlay::Scheduler;

constexpr std::size_t kRuntimeQuickSeeds = 1;
constexpr std::size_t kRuntimeQuickPart = 5;  // of the cluster
constexpr double kAbout = 0.25;               // of a printed ratio

std::string_view name_of(Scheduler scheduler) { return overlay::row_of(scheduler).name; }

// A takes longer than B, both as the mean over the same numbers of neighbours.
Finding longer(const Solutions& solutions, Scheduler a, Scheduler b, double from = 2, double to = 10) {
  std::vector<double> ratio = mean_over_neighbours(solutions, a, ticks_of, from, to);
  const std::vector<double> below = mean_over_neighbours(solutions, b, ticks_of, from, to);
  std::transform(ratio.begin(), ratio.end(), below.begin(), ratio.begin(), std::divides<>());
  return above_one(
      fmt::format("ticks of {} over those of {}, mean over the neighbours from {} to {} (above 1)",
                  name_of(a), name_of(b), from, to),
      ratio);
}

void runtime_check_order(const Solutions& solutions, Reproduction& result) {
  result.findings.push_back(longer(solutions, Scheduler::dgdrf, Scheduler::pdgdrf));
  for (const Scheduler other : {Scheduler::centralised_drf, Scheduler::probes, Scheduler::ddrf_random})
    result.findings.push_back(longer(solutions, Scheduler::dgdrf, other));
  for (const Scheduler quick : {Scheduler::probes, Scheduler::ddrf_random})
    result.findings.push_back(longer(solutions, Scheduler::centralised_drf, quick));
}

void check_gradient(const Solutions& solutions, double slower_from, Reproduction& result) {
  const double most = solutions.neighbours.back();
  const double faster_to = std::min(most, slower_from - 1);
  result.findings.push_back(
      longer(solutions, Scheduler::centralised_drf, Scheduler::ddrf_gradient, 2, faster_to));
  if (slower_from <= most)
    result.findings.push_back(
        longer(solutions, Scheduler::ddrf_gradient, Scheduler::centralised_drf, slower_from, most));
}

// "Both have a smaller run-time with fewer neighbors."
void check_growth(const Solutions& solutions, Reproduction& result) {
  for (const Scheduler scheduler : {Scheduler::dgdrf, Scheduler::pdgdrf}) {
    const std::vector<SeedRuns>& runs = solutions.of(scheduler);
    result.findings.push_back(
        above_one(fmt::format("ticks of {} with {} neighbours over those with 2 (above 1)",
                              name_of(scheduler), solutions.neighbours.back()),
                  ratios(runs.back(), runs.front(), ticks_of)));
  }
}

void check_printed(const Solutions& solutions, const RuntimeClaims& claims, Reproduction& result) {
  const double printed = claims.pdgdrf / claims.centralised;
  result.findings.push_back(
      about(fmt::format("ticks of PDGDRF with 2 neighbours over the centralised ones (printed: {} s over {} "
                        "s; a quarter more or less)",
                        claims.pdgdrf, claims.centralised),
            printed,
            ratios(solutions.of(Scheduler::pdgdrf).front(), solutions.of(Scheduler::centralised_drf).front(),
                   ticks_of),
            kAbout * printed));
}

}  // namespace

SolutionsPlan runtime_plan(const RuntimeClaims& claims, Effort effort) {
  const bool quick = effort == Effort::quick;
  SolutionsPlan plan{.machines = claims.machines,
                     .users = claims.users,
                     .schedulers = {Scheduler::centralised_drf, Scheduler::probes, Scheduler::ddrf_random,
                                    Scheduler::ddrf_gradient, Scheduler::pdgdrf, Scheduler::dgdrf},
                     .neighbours = claims.neighbours,
                     .seeds = quick ? kRuntimeQuickSeeds : claims.seeds};
  if (quick) {
    plan.machines /= kRuntimeQuickPart;
    plan.users /= kRuntimeQuickPart;
    plan.neighbours = {2, 6};
  }
  return plan;
}

Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options) {
  const Solutions solutions = run_solutions(runtime_plan(claims, options.effort), options);

  Reproduction result;
  runtime_check_order(solutions, result);
  check_gradient(solutions, claims.gradient_slower_from, result);
  check_growth(solutions, result);
  check_printed(solutions, claims, result);
  result.figures = {figure_of(solutions, "Run-time", "ticks of 100 ms", ticks_of)};
  result.tables = {table_of(solutions, "Ticks by neighbours", ticks_of, 0)};
  result.remarks.emplace_back(kOwnSettings);
  return result;
}

// `ostman-5.8`: how long the schedulers take to fill 100 machines for 20 users, by the number of neighbours.
// Östman, figure 5.8.

namespace {

RuntimeClaims claims_5_8() {
  return {.machines = 100,
          .users = 20,
          .neighbours = {2, 4, 6, 8, 10},
          .seeds = 5,
          .centralised = 398,
          .pdgdrf = 794,
          .gradient_slower_from = 6};
}

Reproduction run_figure_5_8(const RunOptions& options) { return run_runtime(claims_5_8(), options); }

OwnFiles files_5_8(const RunOptions& options) {
  return files_of("ostman-5.8", settings_of(runtime_plan(claims_5_8(), options.effort)), options);
}

}  // namespace

Experiment ostman_5_8_row() {
  return {.id = "ostman-5.8",
          .paper = "Östman, figure 5.8",
          .title = "Run-time of the schedulers on 100 machines with 20 users",
          .data = kDrawnFromTheTrace,
          .run = run_figure_5_8,
          .own_files = files_5_8};
}

// `ostman-5.9`: how long the schedulers take to fill 200 machines for 40 users, by the number of neighbours.
// Östman, figures 5.9 and 5.10.

namespace {

RuntimeClaims claims_5_9() {
  return {.machines = 200,
          .users = 40,
          .neighbours = {2, 6, 10},
          .seeds = 3,
          .centralised = 804,
          .pdgdrf = 783,
          .gradient_slower_from = std::numeric_limits<double>::infinity()};
}

Reproduction run_figure_5_9(const RunOptions& options) { return run_runtime(claims_5_9(), options); }

OwnFiles files_5_9(const RunOptions& options) {
  return files_of("ostman-5.9", settings_of(runtime_plan(claims_5_9(), options.effort)), options);
}

}  // namespace

Experiment ostman_5_9_row() {
  return {.id = "ostman-5.9",
          .paper = "Östman, figures 5.9 and 5.10",
          .title = "The same run-times on 200 machines with 40 users",
          .data = kDrawnFromTheTrace,
          .run = run_figure_5_9,
          .own_files = files_5_9};
}

}  // namespace mirab::experiments
