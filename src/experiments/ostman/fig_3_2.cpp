// `ostman-fig-3.2`: the same four servers, sorted by share, are served as by DRF. Östman, 3.2: in increasing
// order every server asks the one before it, so A asks nobody; of equal shares the lower address comes first.
// With the ≤ of Algorithm 5 in the place of 3.8 B and D would both be served at 4, before A has caught up.
#include "experiments/ostman/four_servers.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

const Links kSorted{{{}, {2}, {0}, {1}}};  // A, then C → A, B → C, D → B

Reproduction run(const RunOptions& /*options*/) {
  return four_servers_under_ddrf(kSorted, {4.3, 4, 6, 4}, 21.8);
}

}  // namespace

Experiment ostman_fig_3_2_row() {
  return {.id = "ostman-fig-3.2",
          .paper = "Östman, figure 3.2",
          .title = "DDRF with servers sorted by share gives what DRF gives",
          .data = "stand-in: the chain A, C, B, D; the links of the figure are not in our text",
          .run = run};
}

}  // namespace mirab::experiments
