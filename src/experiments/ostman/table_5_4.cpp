// `ostman-5.4`: how fair the seven schedulers are on 200 machines with 40 users, by the number of neighbours.
// Östman, table 5.4 and figures 5.4 and 5.5.
#include "experiments/ostman/fairness.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::size_t kSeeds = 3;
constexpr std::size_t kQuickSeeds = 2;

Reproduction run(const RunOptions& options) {
  const FairnessClaims claims{.machines = 200,
                              .users = 40,
                              .seeds = kSeeds,
                              .quick_seeds = kQuickSeeds,
                              .least_shares = {},
                              .wrong_parts = {{},
                                              {},
                                              {86.32, 82.66, 83.78, 84.35, 81.95, 79.21, 83.13, 81.86, 82.52},
                                              {95.57, 95.57, 94.86, 94.93, 94.83, 94.28, 88.23, 85.47, 81.94},
                                              {90.30, 89.46, 76.80, 69.85, 67.38, 64.96, 62.43, 57.21, 55.68},
                                              {0, 0, 0, 0, 0, 0, 0, 0, 0},
                                              {64.01, 48.35, 37.80, 30.14, 23.34, 17.65, 11.67, 5.69, 5.04}}};
  return run_fairness(claims, options);
}

}  // namespace

Experiment ostman_5_4_row() {
  return {.id = "ostman-5.4",
          .paper = "Östman, table 5.4, figures 5.4 and 5.5",
          .title = "The same on 200 machines with 40 users",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
