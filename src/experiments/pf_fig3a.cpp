// `pf-fig3a`: four classes on two resources that are as loaded.
// Bonald and Roberts 2014, section 3.3, figure 3(a).
#include "experiments/pf_four_classes.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr FourClassPlot kPlot{.title = "Four classes, as many jobs of each", .arrivals = {1, 1, 1, 1}};

Reproduction run(const RunOptions& options) { return reproduce_four_classes(kPlot, options); }

}  // namespace

Experiment pf_fig3a_row() {
  return {.id = "pf-fig3a",
          .paper = "Bonald and Roberts 2014, figure 3(a)",
          .title = "Four classes, as many jobs of each",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
