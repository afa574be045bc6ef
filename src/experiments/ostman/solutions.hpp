#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/ostman/runs.hpp"

namespace mirab::experiments {

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

/// A line for each scheduler over the neighbours, with intervals.
Figure figure_of(const Solutions& solutions, std::string_view title, std::string_view label, Measure measure);

/// The mean over the seeds, a row for each scheduler; beside it what is printed, where something is:
/// [scheduler] [neighbours].
Table table_of(const Solutions& solutions, std::string_view title, Measure measure, int decimals,
               std::span<const std::vector<double>> printed = {});

}  // namespace mirab::experiments
