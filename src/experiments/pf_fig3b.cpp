// `pf-fig3b`: four classes; the RAM, which classes 3 and 4 need, is less loaded than the CPU.
// Bonald and Roberts 2014, section 3.3, figure 3(b).
#include "experiments/pf_four_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr FourClassPlot kPlot{.title = "Four classes, three times as many jobs that need mostly the CPU",
                              .arrivals = {3, 3, 1, 1}};

Reproduction run(const RunOptions& options) { return reproduce_four_classes(kPlot, options); }

}  // namespace

Experiment pf_fig3b_row() {
  return {.id = "pf-fig3b",
          .paper = "Bonald and Roberts 2014, figure 3(b)",
          .title = "Four classes, three times as many jobs that need mostly the CPU",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
