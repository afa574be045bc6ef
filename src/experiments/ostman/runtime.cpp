// How long the schedulers take until nothing more can be placed, in ticks of 100 ms, from the first tick to
// the last placement. Östman, 5.4.
//
// The thesis' clusters are not published: sentences are held to clusters drawn in the same way, and a printed
// ratio of run-times is held to a quarter.
#include "experiments/ostman/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <mirab/overlay/scheduler.hpp>

#include "experiments/means.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

using overlay::Scheduler;

constexpr std::size_t kQuickSeeds = 2;
constexpr double kAbout = 0.25;  // of a printed ratio

std::string_view name_of(Scheduler scheduler) { return overlay::row_of(scheduler).name; }

// A takes longer than B, both as the mean over the same numbers of neighbours.
Finding longer(const Solutions& solutions, Scheduler a, Scheduler b, double from = 2, double to = 10) {
  return more(fmt::format("ticks of {} less those of {}, mean over {} to {} neighbours (above 0)", name_of(a),
                          name_of(b), std::max(from, solutions.neighbours.front()),
                          std::min(to, solutions.neighbours.back())),
              differences(mean_over_neighbours(solutions, a, ticks_of, from, to),
                          mean_over_neighbours(solutions, b, ticks_of, from, to)));
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
    result.findings.push_back(more(
        fmt::format("ticks of {} with {} neighbours less those with 2 (above 0)", name_of(scheduler),
                    solutions.neighbours.back()),
        differences(measured(runs.back(), ticks_of), measured(runs.front(), ticks_of))));
  }
}

void hold_printed(const Solutions& solutions, const RuntimeClaims& claims, Reproduction& result) {
  const simulation::Interval ratio =
      over_seeds(ratios(solutions.of(Scheduler::pdgdrf).front(),
                        solutions.of(Scheduler::centralised_drf).front(), ticks_of));
  const double printed = claims.pdgdrf / claims.centralised;
  Finding finding = compared(
      fmt::format("ticks of PDGDRF with 2 neighbours over the centralised ones (printed: {} s over {} s; a "
                  "quarter more or less)",
                  claims.pdgdrf, claims.centralised),
      printed, ratio.mean, kAbout * printed);
  finding.interval = {{ratio.low, ratio.high}};
  result.findings.push_back(std::move(finding));
}

}  // namespace

Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  SolutionsPlan plan{.machines = claims.machines,
                     .users = claims.users,
                     .schedulers = {Scheduler::centralised_drf, Scheduler::probes, Scheduler::ddrf_random,
                                    Scheduler::ddrf_gradient, Scheduler::pdgdrf, Scheduler::dgdrf},
                     .neighbours = {2, 4, 6, 8, 10},
                     .seeds = quick ? kQuickSeeds : claims.seeds};
  if (quick) plan.neighbours = {2, 6};
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
