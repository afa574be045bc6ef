#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mirab/experiments/experiment.hpp>
#include <mirab/simulation/overlay.hpp>

#include "simulation/interval.hpp"

namespace mirab::experiments {

/// What chapter 5 of the thesis varies.
struct OverlaySetting {
  std::size_t machines = 100;
  std::size_t users = 20;
  overlay::Scheduler scheduler = overlay::Scheduler::dgdrf;
  std::size_t neighbours = 2;  ///< P; what the centralised ones have makes no difference
  double shuffles_per_tick = 1;
};

/// The runs of one setting, one for each seed.
using SeedRuns = std::vector<simulation::OverlayRun>;

/// Each setting from each of the seeds options.seed, options.seed + 1, …: the cluster and all else is drawn
/// from it, so settings with the same machines and users share it. Ticks of 100 ms, as the thesis has them,
/// and its options. Order the settings so that the long runs come first.
std::vector<SeedRuns> overlay_runs(std::span<const OverlaySetting> settings, std::size_t seeds,
                                   const RunOptions& options);

/// One number of each run.
using Measure = double (*)(const simulation::OverlayRun& run);
double least_share(const simulation::OverlayRun& run);
double gini_of(const simulation::OverlayRun& run);
double deviation_of(const simulation::OverlayRun& run);
double wrong_part(const simulation::OverlayRun& run);  ///< of the placements
double ticks_of(const simulation::OverlayRun& run);

std::vector<double> measured(const SeedRuns& runs, Measure measure);
/// The same over that of other runs, seed by seed.
std::vector<double> ratios(const SeedRuns& runs, const SeedRuns& to, Measure measure);

/// With its 95 % interval where there are several seeds.
simulation::Interval over_seeds(std::span<const double> values);

}  // namespace mirab::experiments
