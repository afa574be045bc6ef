#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/base/statistics.hpp"
#include "lab/simulation/overlay.hpp"

namespace mirab::experiments {

/// Experiment.data of what runs on such clusters: the thesis' own draws are not published.
inline constexpr std::string_view kDrawnFromTheTrace =
    "stand-in: machines and users drawn from part 0 of the Google trace";

/// A cluster as the thesis draws them (Östman, 5.1): machines of the Google trace, drawn without
/// replacement among the 12,477 that are there at time 0; some of its 505 users, likewise; each asks
/// endlessly for what one of its tasks, drawn at random, requests of CPU and memory. The machines do not
/// depend on the number of users, and the first users of a larger number are those of a smaller.
Problem google_cluster(std::size_t machines, std::size_t users, std::uint64_t seed);

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

/// What these runs have that a scenario of mirab simulate has not by itself.
inline constexpr std::string_view kOwnSettings =
    "The runs have oldest: 12, where a scenario of simulate has 50, and introduce: last-asker and confirm: "
    "all, which "
    "a scenario has by itself and the thesis has not. mirab reproduce with --scenario writes them as files.";

/// The files of those settings that share cluster and shuffles with the first of them, from the first seed.
OwnFiles files_of(std::string_view id, std::span<const OverlaySetting> settings, const RunOptions& options);

/// Of the centralised lowest share, by Östman, 5.2: "nearly achieving similar results".
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

/// The mean of the parts with its interval, held to a bound. Parts may be 0, as a lowest share may: so it is
/// the arithmetic mean.
Finding at_least(std::string what, std::span<const double> parts, double bound);
Finding at_most(std::string what, std::span<const double> parts, double bound);

void add_point(Curve& curve, double x, const simulation::Interval& y);

/// The schedulers side by side, each with 2 … 10 neighbours, as tables 5.1 to 5.4 have them.
struct Solutions {
  std::vector<overlay::Scheduler> schedulers;
  std::vector<double> neighbours;
  /// By scheduler and number of neighbours; the centralised ones have none, and are the same under each.
  std::vector<std::vector<SeedRuns>> runs;

  /// Of one scheduler. [neighbours]
  const std::vector<SeedRuns>& of(overlay::Scheduler scheduler) const;
};

/// What is run.
struct SolutionsPlan {
  std::size_t machines, users;
  std::vector<overlay::Scheduler> schedulers;
  std::vector<std::size_t> neighbours;
  std::size_t seeds;
};
Solutions run_solutions(const SolutionsPlan& plan, const RunOptions& options);

/// Its settings; the centralised schedulers have one for all numbers of neighbours.
std::vector<OverlaySetting> settings_of(const SolutionsPlan& plan);

/// Seed by seed the mean over the numbers of neighbours from `from` to `to`; there is one at least.
std::vector<double> mean_over_neighbours(const Solutions& solutions, overlay::Scheduler scheduler,
                                         Measure measure, double from = 2, double to = 10);

/// A line for each scheduler over the neighbours, with intervals; next to it what is printed, as below.
Figure figure_of(const Solutions& solutions, std::string_view title, std::string_view label, Measure measure,
                 std::span<const std::vector<double>> printed = {});

/// The mean over the seeds, a row for each scheduler; next to it what is printed, where something is:
/// [scheduler] [neighbours].
Table table_of(const Solutions& solutions, std::string_view title, Measure measure, int decimals,
               std::span<const std::vector<double>> printed = {});

/// The lowest shares of serial DRF that gives each task to a random server where it fits, over the
/// centralised ones: what the random choice of servers alone loses.
struct Yardstick {
  std::vector<double> means;  ///< of the draws of each seed. [seed]
  std::vector<double> draws;  ///< of all seeds
};

/// On the clusters of these runs of the centralised scheduler, whose seeds count from `first_seed`.
Yardstick yardstick_of(std::size_t machines, std::size_t users, const SeedRuns& centralised,
                       std::uint64_t first_seed);

/// `nearly`: so much of the centralised lowest share is nearly as good.
std::string in_words(const Yardstick& yardstick, double nearly);

/// Ratios to the centralised lowest share, seed by seed, as ratios to the yardstick.
std::vector<double> over_yardstick(std::vector<double> ratios, const Yardstick& yardstick);

}  // namespace mirab::experiments
