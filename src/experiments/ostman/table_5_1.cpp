// `ostman-5.1`: how fair the seven schedulers are on 100 machines with 20 users, by the number of neighbours.
// Östman, tables 5.1 to 5.3 and figures 5.1 to 5.3.
#include "experiments/ostman/fairness.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

constexpr std::size_t kSeeds = 5;
constexpr std::size_t kQuickSeeds = 2;

Reproduction run(const RunOptions& options) {
  const FairnessClaims claims{
      .machines = 100,
      .users = 20,
      .seeds = kSeeds,
      .quick_seeds = kQuickSeeds,
      .least_shares = {{0.0561, 0.0561, 0.0561, 0.0561, 0.0561, 0.0561, 0.0561, 0.0561, 0.0561},
                       {0.0059, 0.0059, 0.0059, 0.0059, 0.0059, 0.0059, 0.0059, 0.0059, 0.0059},
                       {0.0317, 0.0280, 0.0356, 0.0343, 0.0365, 0.0402, 0.0343, 0.0288, 0.0357},
                       {0.0122, 0.0100, 0.0224, 0.0122, 0.0104, 0.0098, 0.0113, 0.0354, 0.0506},
                       {0.0537, 0.0518, 0.0506, 0.0549, 0.0549, 0.0550, 0.0537, 0.0549, 0.0546},
                       {0.0549, 0.0549, 0.0549, 0.0549, 0.0549, 0.0549, 0.0554, 0.0549, 0.0549},
                       {0.0546, 0.0549, 0.0549, 0.0543, 0.0549, 0.0554, 0.0549, 0.0546, 0.0549}},
      .wrong_parts = {{},
                      {},
                      {83.53, 83.05, 79.64, 79.22, 75.89, 76.26, 80.00, 75.86, 75.28},
                      {86.71, 86.32, 85.91, 89.23, 88.42, 86.41, 88.89, 82.96, 74.51},
                      {79.00, 71.74, 61.35, 48.75, 23.92, 26.03, 15.17, 9.57, 10.19},
                      {0, 0, 0, 0, 0, 0, 0, 0, 0},
                      {38.45, 22.28, 15.73, 16.05, 17.56, 20.45, 20.45, 22.41, 23.30}}};
  return run_fairness(claims, options);
}

}  // namespace

Experiment ostman_5_1_row() {
  return {
      .id = "ostman-5.1",
      .paper = "Östman, tables 5.1 to 5.3, figures 5.1 to 5.3",
      .title =
          "Seven schedulers on 100 machines with 20 users: least share, Gini coefficient, wrong placements",
      .data = kDrawnFromTheTrace,
      .run = run};
}

}  // namespace mirab::experiments
