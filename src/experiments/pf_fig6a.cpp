// `pf-fig6a`: DRF and PF task by task, with exponential task times. The prices of PF by Newton's method and
// by the paper's gradient steps are laid side by side. Bonald and Roberts 2014, section 4.2, figure 6(a).
#include "experiments/pf_whole_tasks.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr WholeTaskPlot kPlot{.title = "Task by task, exponential task times, ρ1 = 3 ρ2",
                              .task_times = {.law = simulation::Sizes::Law::exponential},
                              .zero_load_rate = 0.54};

Reproduction run(const RunOptions& options) {
  Reproduction result = reproduce_whole_tasks(kPlot, options);
  compare_price_solvers(result);
  return result;
}

}  // namespace

Experiment pf_fig6a_row() {
  return {.id = "pf-fig6a",
          .paper = "Bonald and Roberts 2014, figure 6(a)",
          .title = kPlot.title,
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
