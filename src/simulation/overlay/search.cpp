// Looks for what breaks a promise: draws a trial from each seed and runs it under watch; the first that
// breaks one, which is the one of the lowest seed whatever the number of threads, is made small.
//
// Cost: about 5 messages a node and tick, so half a second for 100 nodes and 1,000 ticks; making small takes
// 500 runs at most, nearly all of them shorter.

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

std::uint64_t seed_of(const SearchOptions& options, std::size_t index) { return options.first_seed + index; }

/// Outcomes up to the first that breaks a promise; those behind it may not have run.
std::vector<TrialOutcome> run_all(const SearchOptions& options, const Progress& progress) {
  std::vector<TrialOutcome> outcomes(static_cast<std::size_t>(options.seeds));
  std::atomic<std::size_t> broken = outcomes.size();
  sweep(
      outcomes.size(), options.threads,
      [&](std::size_t index) {
        if (index > broken) return;
        outcomes[index] = run_trial(draw_trial(options, seed_of(options, index)));
        if (!outcomes[index].violation) return;
        for (std::size_t lowest = broken; index < lowest && !broken.compare_exchange_weak(lowest, index);) {
        }
      },
      progress);
  if (broken < outcomes.size()) outcomes.resize(broken + 1);
  return outcomes;
}

SearchFind made_small(const SearchOptions& options, std::uint64_t seed, const Violation& violation) {
  const Trial drawn = draw_trial(options, seed);
  const auto breaks = [](const Trial& trial) { return run_trial(trial).violation; };
  const Shrunk small = shrink_trial(drawn, violation, breaks, kTries);
  return {.seed = seed,
          .violation = small.violation,
          .faults = drawn.scenario.faults,
          .shrunk = small.trial.scenario.faults,
          .nodes = small.trial.nodes(),
          .users = small.trial.users(),
          .ticks = small.trial.ticks(),
          .replay = write_overlay_yaml(small.trial, kReplayCluster,
                                       {small.violation.promise + ": " + small.violation.what}),
          .cluster = write_cluster_yaml(small.trial.cluster)};
}

}  // namespace

SearchOutcome search_overlay(const SearchOptions& options, const Progress& progress) {
  const std::vector<TrialOutcome> outcomes = run_all(options, progress);
  SearchOutcome outcome;
  for (std::size_t index = 0; index < outcomes.size(); ++index) {
    const TrialOutcome& run = outcomes[index];
    const Faults faults = draw_trial(options, seed_of(options, index)).scenario.faults;
    ++outcome.tried;
    outcome.messages += run.messages;
    outcome.lost += run.lost;
    outcome.duplicated += run.duplicated;
    outcome.placements += run.placements;
    outcome.ends += run.ends;
    outcome.restarts += run.restarts;
    outcome.live += run.live ? 1 : 0;
    outcome.crashes += std::ssize(faults.crashes);
    outcome.partitions += std::ssize(faults.partitions);
  }
  if (!outcomes.empty() && outcomes.back().violation)
    outcome.find = made_small(options, seed_of(options, outcomes.size() - 1), *outcomes.back().violation);
  return outcome;
}

}  // namespace mirab::simulation
