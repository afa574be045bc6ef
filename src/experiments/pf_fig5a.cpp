// `pf-fig5a`: all jobs of class 1 claim more RAM than they need, under DRF. No claim pays.
// Bonald and Roberts 2014, section 3.4, figure 5(a).
#include "experiments/pf_false_claims.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::string_view kTitle = "Service rate of class 1 when all its jobs claim too much, under DRF";

Reproduction run(const RunOptions& options) { return reproduce_false_claims("drf", kTitle, options); }

}  // namespace

Experiment pf_fig5a_row() {
  return {.id = "pf-fig5a",
          .paper = "Bonald and Roberts 2014, figure 5(a)",
          .title = kTitle,
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
