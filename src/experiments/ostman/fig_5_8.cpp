// `ostman-5.8`: how long the schedulers take to fill 100 machines for 20 users, by the number of neighbours.
// Östman, figure 5.8.
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/ostman/runtime.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

Reproduction run(const RunOptions& options) {
  return run_runtime({.machines = 100,
                      .users = 20,
                      .neighbours = {2, 4, 6, 8, 10},
                      .seeds = 5,
                      .centralised = 398,
                      .pdgdrf = 794,
                      .gradient_slower_from = 6},
                     options);
}

}  // namespace

Experiment ostman_5_8_row() {
  return {.id = "ostman-5.8",
          .paper = "Östman, figure 5.8",
          .title = "Run-time of the schedulers on 100 machines with 20 users",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
