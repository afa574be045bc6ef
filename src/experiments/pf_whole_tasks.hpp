#pragma once

#include <string_view>

#include <mirab/experiments/experiment.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::experiments {

/// A plot of figure 6 of Bonald and Roberts.
struct WholeTaskPlot {
  std::string_view title;
  simulation::Sizes task_times;
  double zero_load_rate;  ///< 0.54 as printed, or 0 where the paper gives none
};

/// Simulates DRF and PF task by task on the engine, beside the exact chains of the fluid, and holds them
/// against section 4.2.
Reproduction reproduce_whole_tasks(const WholeTaskPlot& plot, const RunOptions& options);

/// Lays the two ways to find PF's prices side by side: the gradient steps of equation 9 and Newton's method.
void compare_price_solvers(Reproduction& result);

}  // namespace mirab::experiments
