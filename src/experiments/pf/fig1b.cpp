// `pf-fig1b`: the CPU is the bottleneck. PF serves class 2, which hardly needs it, much faster than DRF, and
// class 1 practically as fast. Bonald and Roberts 2014, section 3.3, figure 1(b).
#include "experiments/pf/two_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr TwoClassPlot kPlot{.title = "Profiles (1, 1/10) and (1/10, 1), three times as many jobs of class 1",
                             .profiles = {.alpha = 0.1, .beta = 0.1},
                             .arrivals = {3, 1},
                             .class_one = ClassOne::equal};

Reproduction run(const RunOptions& options) { return reproduce_two_classes(kPlot, options); }

}  // namespace

Experiment pf_fig1b_row() {
  return {.id = "pf-fig1b",
          .paper = "Bonald and Roberts 2014, figure 1(b)",
          .title = "Profiles (1, 1/10) and (1/10, 1), three times as many jobs of class 1",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
