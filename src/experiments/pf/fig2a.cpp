// `pf-fig2a`: class 2 needs half a CPU. PF serves it faster than DRF, at low load too, and class 1 slightly
// more slowly. Bonald and Roberts 2014, section 3.3, figure 2(a).
#include "experiments/pf/two_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr TwoClassPlot kPlot{.title = "Profiles (1, 1/10) and (1/2, 1), as many jobs of each",
                             .profiles = {.alpha = 0.1, .beta = 0.5},
                             .arrivals = {1, 1},
                             .class_one = ClassOne::slightly_lower};

Reproduction run(const RunOptions& options) { return reproduce_two_classes(kPlot, options); }

}  // namespace

Experiment pf_fig2a_row() {
  return {.id = "pf-fig2a",
          .paper = "Bonald and Roberts 2014, figure 2(a)",
          .title = "Profiles (1, 1/10) and (1/2, 1), as many jobs of each",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
