// Asset fairness (Ghodsi et al. 2011): the same part of any resource is worth the same, and everybody spends
// the same. The key is
//
//   Σ_r s_r (Σ_i a_{n,i,r} / C_r) / φ_n,
//
// X_n Σ_r (d_{n,r}/C_r) / φ_n where a user's tasks are all the same. A user may end with less than an N-th of
// every resource: asset fairness gives no sharing incentive.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {
namespace {

mpq_class spent(const Standing& standing, Entry entry) {
  const std::span<const std::int64_t> used = standing.accounts.used(standing.queue(entry).user);
  const std::span<const std::int64_t> pool = standing.accounts.park.pool();
  mpq_class spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] == 0) continue;
    mpq_class part(used[r], pool[r]);
    part.canonicalize();
    spent += part * mpq_class(standing.scale.whole[r]);
  }
  const Weight& weight = standing.user(entry).weight;
  return spent * mpq_class(weight.denominator, weight.numerator);
}

}  // namespace

double asset_share(const Standing& standing, std::uint32_t user) {
  const std::span<const std::int64_t> used = standing.accounts.used(user);
  const std::span<const std::int64_t> pool = standing.accounts.park.pool();
  double spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0)
      spent += standing.scale.rounded[r] * (static_cast<double>(used[r]) / static_cast<double>(pool[r]));
  }
  return spent;
}

double asset_key(const Standing& standing, Entry entry) {
  return asset_share(standing, standing.queue(entry).user) / standing.user(entry).weight.value();
}

std::weak_ordering asset_compare(const Standing& standing, Entry a, Entry b) {
  return cmp(spent(standing, a), spent(standing, b)) <=> 0;
}

}  // namespace mirab::scheduling
