// Asset fairness (Ghodsi et al. 2011): the same part of any resource is worth the same, and
// everybody spends the same. The key is
//
//   Σ_i x_{n,i} Σ_r d_{n,i,r} / C_r / φ_n,
//
// X_n Σ_r (d_{n,r}/C_r) / φ_n where a user's tasks are the same on every server. A user may end with less
// than an N-th of every resource: asset fairness gives no sharing incentive.
#include "scheduling/plain/disciplines.hpp"
#include "scheduling/plain/share.hpp"

namespace mirab::plain {

Key asset_key(const CountedProblem& cluster, std::size_t task) {
  mpq_class spent = 0;
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    if (cluster.pool(r) > 0) spent += part(cluster, task, r);
  }
  return {.start = 0, .step = spent / weight(cluster, cluster.user_of_task(task))};
}

}  // namespace mirab::plain
