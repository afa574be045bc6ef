#pragma once

#include <compare>
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
  overlay::Confirm confirm = overlay::Confirm::all;

  friend auto operator<=>(const OverlaySetting&, const OverlaySetting&) = default;
};

/// The runs of one setting, one for each seed.
using SeedRuns = std::vector<simulation::OverlayRun>;

/// Each setting from each of the seeds options.seed, options.seed + 1, …: the cluster and all else is drawn
/// from it, so settings with the same machines and users share it. Ticks of 100 ms, as the thesis has them,
/// and its options, but that DGDRF asks all its neighbours (OverlaySetting::confirm) and that last askers are
/// introduced; news is dropped after 12 shuffles, of which the thesis says nothing. Order the settings
/// so that the long runs come first. What options.shared has of them is not run again.
std::vector<SeedRuns> overlay_runs(std::span<const OverlaySetting> settings, std::size_t seeds,
                                   const RunOptions& options);

/// Of the centralised least share, by Östman, 5.2: "nearly achieving similar results".
inline constexpr double kNearly = 0.95;

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

/// The geometric mean of ratios > 0 (of a single one: itself, whatever its sign), with the 95 % interval of
/// the mean of their logarithms: so a ratio and its inverse are told alike.
simulation::Interval ratio_over_seeds(std::span<const double> ratios);

/// "Longer", "slower": the mean of these ratios over the seeds is above 1, with its whole interval; "faster":
/// below. Means and intervals of ratios are ratio_over_seeds.
Finding above_one(std::string what, std::span<const double> ratios);
Finding below_one(std::string what, std::span<const double> ratios);

/// "Equal", or a printed ratio: the mean of these differs by `tolerance` at most.
Finding about(std::string what, double printed, std::span<const double> ratios, double tolerance);

/// The mean of the parts with its interval, held to a bound. Parts may be 0, as a least share may: so it is
/// the arithmetic mean.
Finding at_least(std::string what, std::span<const double> parts, double bound);
Finding at_most(std::string what, std::span<const double> parts, double bound);

void add_point(Curve& curve, double x, const simulation::Interval& y);

}  // namespace mirab::experiments
