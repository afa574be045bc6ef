// Dominant Resource Fairness by progressive filling (Ghodsi et al. 2011, algorithm 1): the key is the
// weighted global dominant share
//
//   G_n / φ_n,  G_n = Σ_i x_{n,i} max_r d_{n,i,r} / C_r        (Östman, eq. 3.3),
//
// which is X_n max_r (d_{n,r}/C_r) / φ_n where a user's tasks are the same on every server. On many servers
// this is the task-by-task form of DRFH. Whole tasks make the shares equal only up to one task; with
// blocking=skip the users that still fit somewhere pass those that do not.
//
// Example (the slides' table 1): C = (9, 18), tasks (1, 4) and (3, 1) raise the shares by 2/9 and 1/3;
// starting with B the order is B A A B A.
#include "scheduling/plain/disciplines.hpp"
#include "scheduling/plain/share.hpp"

namespace mirab::plain {

Key drf_key(const CountedProblem& cluster, std::size_t task) {
  return {.start = 0, .step = dominant_share(cluster, task) / weight(cluster, cluster.user_of_task(task))};
}

}  // namespace mirab::plain
