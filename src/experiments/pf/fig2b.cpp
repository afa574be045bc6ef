// `pf-fig2b`: class 2 needs half a CPU, and its jobs are fewer. PF serves it faster than DRF, and class 1
// slightly more slowly. Bonald and Roberts 2014, section 3.3, figure 2(b).
#include "experiments/pf/two_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr TwoClassPlot kPlot{.title = "Profiles (1, 1/10) and (1/2, 1), three times as many jobs of class 1",
                             .profiles = {.alpha = 0.1, .beta = 0.5},
                             .arrivals = {3, 1},
                             .class_one = ClassOne::slightly_lower};

Reproduction run(const RunOptions& options) { return reproduce_two_classes(kPlot, options); }

}  // namespace

Experiment pf_fig2b_row() {
  return {.id = "pf-fig2b",
          .paper = "Bonald and Roberts 2014, figure 2(b)",
          .title = "Profiles (1, 1/10) and (1/2, 1), three times as many jobs of class 1",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
