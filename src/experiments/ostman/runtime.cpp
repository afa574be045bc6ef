// How long the schedulers take until nothing more can be placed, in ticks of 100 ms, from the first tick to
// the last placement. Östman, 5.4.
//
// The thesis' clusters are not published: sentences are held to clusters drawn in the same way, and a printed
// ratio of run-times is held to a quarter.
#include "experiments/ostman/runtime.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>

#include <mirab/overlay/scheduler.hpp>

namespace mirab::experiments {
namespace {

using overlay::Scheduler;

constexpr std::size_t kQuickSeeds = 1;
constexpr std::size_t kQuickPart = 5;  // of the cluster
constexpr double kAbout = 0.25;        // of a printed ratio

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

void hold_order(const Solutions& solutions, Reproduction& result) {
  result.findings.push_back(longer(solutions, Scheduler::dgdrf, Scheduler::pdgdrf));
  for (const Scheduler other : {Scheduler::centralised_drf, Scheduler::probes, Scheduler::ddrf_random})
    result.findings.push_back(longer(solutions, Scheduler::dgdrf, other));
  for (const Scheduler quick : {Scheduler::probes, Scheduler::ddrf_random})
    result.findings.push_back(longer(solutions, Scheduler::centralised_drf, quick));
}

void hold_gradient(const Solutions& solutions, double slower_from, Reproduction& result) {
  const double most = solutions.neighbours.back();
  const double faster_to = std::min(most, slower_from - 1);
  result.findings.push_back(
      longer(solutions, Scheduler::centralised_drf, Scheduler::ddrf_gradient, 2, faster_to));
  if (slower_from <= most)
    result.findings.push_back(
        longer(solutions, Scheduler::ddrf_gradient, Scheduler::centralised_drf, slower_from, most));
}

// "Both have a smaller run-time with fewer neighbors."
void hold_growth(const Solutions& solutions, Reproduction& result) {
  for (const Scheduler scheduler : {Scheduler::dgdrf, Scheduler::pdgdrf}) {
    const std::vector<SeedRuns>& runs = solutions.of(scheduler);
    result.findings.push_back(
        above_one(fmt::format("ticks of {} with {} neighbours over those with 2 (above 1)",
                              name_of(scheduler), solutions.neighbours.back()),
                  ratios(runs.back(), runs.front(), ticks_of)));
  }
}

void hold_printed(const Solutions& solutions, const RuntimeClaims& claims, Reproduction& result) {
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

Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SolutionsPlan plan{.machines = claims.machines,
                     .users = claims.users,
                     .schedulers = {Scheduler::centralised_drf, Scheduler::probes, Scheduler::ddrf_random,
                                    Scheduler::ddrf_gradient, Scheduler::pdgdrf, Scheduler::dgdrf},
                     .neighbours = claims.neighbours,
                     .seeds = quick ? kQuickSeeds : claims.seeds};
  if (quick) {
    plan.machines /= kQuickPart;
    plan.users /= kQuickPart;
    plan.neighbours = {2, 6};
  }
  const Solutions solutions = run_solutions(plan, options);

  Reproduction result;
  hold_order(solutions, result);
  hold_gradient(solutions, claims.gradient_slower_from, result);
  hold_growth(solutions, result);
  hold_printed(solutions, claims, result);
  result.figures = {figure_of(solutions, "Run-time", "ticks of 100 ms", ticks_of)};
  result.tables = {table_of(solutions, "Ticks by neighbours", ticks_of, 0)};
  return result;
}

}  // namespace mirab::experiments
