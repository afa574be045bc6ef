// Dominant Resource Fairness by progressive filling (Ghodsi et al. 2011, algorithm 1): the key is the
// weighted global dominant share
//
//   max_r s_r (Σ_i a_{n,i,r} / C_r) / φ_n,
//
// which is X_n max_r (d_{n,r}/C_r) / φ_n where a user's tasks are all the same. On many servers this is the
// task-by-task form of DRFH. Whole tasks make the shares equal only up to one task; with blocking=skip the
// users that still fit somewhere pass those that do not.
//
// Example (the slides' table 1): C = (9, 18), tasks (1, 4) and (3, 1) raise the shares by 2/9 and 1/3;
// starting with B the order is B A A B A.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {
namespace {

Part share(const Standing& standing, Entry entry) {
  return exact_dominant_part(standing.accounts.used(standing.queue(entry).user),
                             standing.accounts.park.pool(), standing.scale);
}

}  // namespace

double drf_share(const Standing& standing, std::uint32_t user) {
  return dominant_part(standing.accounts.used(user), standing.accounts.park.pool(), standing.scale);
}

double drf_key(const Standing& standing, Entry entry) {
  return drf_share(standing, standing.queue(entry).user) / standing.user(entry).weight.value();
}

std::weak_ordering drf_compare(const Standing& standing, Entry a, Entry b) {
  return compare_per_weight(share(standing, a), standing.user(a).weight, share(standing, b),
                            standing.user(b).weight);
}

}  // namespace mirab::scheduling
