// `pf-fig5b`: all jobs of class 1 claim more RAM than they need, under PF. No claim pays.
// Bonald and Roberts 2014, section 3.4, figure 5(b).
#include "experiments/pf_false_claims.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::string_view kTitle = "Service rate of class 1 when all its jobs claim too much, under PF";

Reproduction run(const RunOptions& options) { return reproduce_false_claims("pf", kTitle, options); }

}  // namespace

Experiment pf_fig5b_row() {
  return {.id = "pf-fig5b",
          .paper = "Bonald and Roberts 2014, figure 5(b)",
          .title = kTitle,
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
