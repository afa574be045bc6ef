// `ostman-fig-3.1`: an unfair allocation by DDRF. Östman, 3.2: four servers with least shares A = 0.1, B = 4,
// C = 3, D = 4, the demand of each next task as large, 18.3 in all. Who asks whom is drawn in the figure,
// which is not in our text; the ring A → B → C → D → A ends as described, with about 1.6 % of the cluster for
// the poorest.
#include "experiments/ostman/four_servers.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

const Links kRing{{{1}, {2}, {3}, {0}}};

Reproduction run(const RunOptions& /*options*/) {
  return four_servers_under_ddrf(kRing, {0.3, 8, 6, 4}, 1.6);
}

}  // namespace

Experiment ostman_fig_3_1_row() {
  return {.id = "ostman-fig-3.1",
          .paper = "Östman, figure 3.1",
          .title = "DDRF with links in a ring is unfair to the poorest",
          .data = "stand-in: the ring A, B, C, D; the links of the figure are not in our text",
          .run = run};
}

}  // namespace mirab::experiments
