// Looks for what breaks a promise: draws a trial from each seed and runs it under watch; the first that
// breaks one, which is the one of the lowest seed whatever the number of threads, is made small.
//
// Cost: about 5 messages a node and tick, so half a second for 100 nodes and 1,000 ticks; making small takes
// 500 runs at most, nearly all of them shorter.

#include <algorithm>
#include <atomic>
#include <utility>

#include <mirab/model/cluster_file.hpp>

#include "simulation/overlay/draw_faults.hpp"
#include "simulation/overlay/overlay_yaml.hpp"
#include "simulation/overlay/shrink_trial.hpp"
#include "simulation/sweep.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kTries = 500;
constexpr std::size_t kBatch = 1024;  // trials whose outcomes are kept until they are added up

std::uint64_t seed_of(const SearchOptions& options, std::size_t index) { return options.first_seed + index; }

/// Outcomes of `count` trials from the first on, up to the first that breaks a promise; those behind it may
/// not have run.
std::vector<TrialOutcome> run_batch(const SearchOptions& options, std::size_t first, std::size_t count,
                                    const Progress& progress) {
  std::vector<TrialOutcome> outcomes(count);
  std::atomic<std::size_t> broken = count;
  sweep(
      count, options.threads,
      [&](std::size_t index) {
        if (index > broken) return;
        outcomes[index] = run_trial(draw_trial(options, seed_of(options, first + index)));
        if (!outcomes[index].violation) return;
        for (std::size_t lowest = broken; index < lowest && !broken.compare_exchange_weak(lowest, index);) {
        }
      },
      progress);
  if (broken < count) outcomes.resize(broken + 1);
  return outcomes;
}

void add(const TrialOutcome& run, SearchOutcome& outcome) {
  ++outcome.tried;
  outcome.messages += run.messages;
  outcome.lost += run.lost;
  outcome.duplicated += run.duplicated;
  outcome.crashes += run.crashes;
  outcome.partitions += run.partitions;
  outcome.placements += run.placements;
  outcome.ends += run.ends;
  outcome.restarts += run.restarts;
  outcome.live += run.live ? 1 : 0;
}

SearchFind made_small(const SearchOptions& options, std::uint64_t seed, const Violation& violation) {
  const Trial drawn = draw_trial(options, seed);
  const auto breaks = [](const Trial& trial) { return run_trial(trial).violation; };
  const Shrunk small = shrink_trial(drawn, violation, breaks, kTries);
  return {.seed = seed,
          .violation = small.violation,
          .faults = drawn.scenario.faults,
          .shrunk = small.trial.scenario.faults,
          .latency = small.trial.scenario.latency,
          .wire = small.trial.scenario.wire,
          .nodes = small.trial.nodes(),
          .users = small.trial.users(),
          .ticks = small.trial.ticks(),
          .replay = write_overlay_yaml(small.trial, kReplayCluster,
                                       {small.violation.promise + ": " + small.violation.what}),
          .cluster = write_cluster_yaml(small.trial.cluster)};
}

}  // namespace

SearchOutcome search_overlay(const SearchOptions& options, const Progress& progress) {
  const auto seeds = static_cast<std::size_t>(options.seeds);
  SearchOutcome outcome;
  for (std::size_t first = 0; first < seeds && !outcome.find; first += kBatch) {
    const std::size_t count = std::min(kBatch, seeds - first);
    const auto told = [&](double part) {
      if (progress)
        progress((static_cast<double>(first) + part * static_cast<double>(count)) /
                 static_cast<double>(seeds));
    };
    const std::vector<TrialOutcome> runs = run_batch(options, first, count, told);
    for (const TrialOutcome& run : runs) add(run, outcome);
    if (runs.back().violation)
      outcome.find = made_small(options, seed_of(options, first + runs.size() - 1), *runs.back().violation);
  }
  if (progress) progress(1);
  return outcome;
}

}  // namespace mirab::simulation
