// `pf-fig1a`: two symmetric classes with as many jobs each. PF serves both faster than DRF, above all at high
// load. Bonald and Roberts 2014, section 3.3, figure 1(a).
#include "experiments/pf/two_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr TwoClassPlot kPlot{.title = "Profiles (1, 1/10) and (1/10, 1), balanced load",
                             .profiles = {.alpha = 0.1, .beta = 0.1},
                             .arrivals = {1, 1},
                             .class_one = ClassOne::higher};

Reproduction run(const RunOptions& options) { return reproduce_two_classes(kPlot, options); }

}  // namespace

Experiment pf_fig1a_row() {
  return {.id = "pf-fig1a",
          .paper = "Bonald and Roberts 2014, figure 1(a)",
          .title = "Profiles (1, 1/10) and (1/10, 1), balanced load",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
