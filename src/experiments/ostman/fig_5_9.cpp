// `ostman-5.9`: how long the schedulers take to fill 200 machines for 40 users, by the number of neighbours.
// Östman, figures 5.9 and 5.10.
#include <limits>

#include "experiments/ostman/google_cluster.hpp"
#include "experiments/ostman/runtime.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

Reproduction run(const RunOptions& options) {
  return run_runtime({.machines = 200,
                      .users = 40,
                      .neighbours = {2, 6, 10},
                      .seeds = 3,
                      .centralised = 804,
                      .pdgdrf = 783,
                      .gradient_slower_from = std::numeric_limits<double>::infinity()},
                     options);
}

}  // namespace

Experiment ostman_5_9_row() {
  return {.id = "ostman-5.9",
          .paper = "Östman, figures 5.9 and 5.10",
          .title = "The same run-times on 200 machines with 40 users",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
