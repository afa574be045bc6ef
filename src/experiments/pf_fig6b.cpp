// `pf-fig6b`: DRF and PF task by task, with Erlang-20 task times, which are nearly all alike: much nearer to
// the fluid. Bonald and Roberts 2014, section 4.2, figure 6(b).
#include "experiments/pf_whole_tasks.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr WholeTaskPlot kPlot{.title = "Task by task, Erlang-20 task times, ρ1 = 3 ρ2",
                              .task_times = {.law = simulation::Sizes::Law::erlang, .stages = 20},
                              .zero_load_rate = 0};

Reproduction run(const RunOptions& options) { return reproduce_whole_tasks(kPlot, options); }

}  // namespace

Experiment pf_fig6b_row() {
  return {.id = "pf-fig6b",
          .paper = "Bonald and Roberts 2014, figure 6(b)",
          .title = kPlot.title,
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
