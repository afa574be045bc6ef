#include "model/unit_quotas.hpp"

#include <algorithm>

namespace mirab {
namespace {

/// Products and sums of amounts, which may not fit 64 bits.
__extension__ using Signed = __int128;

/// Of one resource.
bool cut_resource(std::span<UnitQuota> quotas, std::int64_t pool, std::size_t r) {
  std::vector<Signed> below(quotas.size(), 0);  // of a group, what its members are promised
  std::vector<std::int64_t> wanted(quotas.size(), 0);
  Signed in_all = 0;
  // Bottom up what is promised.
  for (std::size_t n = quotas.size(); n-- > 0;) {
    const UnitQuota& quota = quotas[n];
    const Signed promised = std::max<Signed>(quota.guarantee ? (*quota.guarantee)[r] : 0, below[n]);
    wanted[n] =
        static_cast<std::int64_t>(std::min<Signed>(promised, quota.limit ? (*quota.limit)[r] : INT64_MAX));
    (quota.parent == UnitQuota::kTop ? in_all : below[quota.parent]) += wanted[n];
  }
  // Top down what there is of it.
  bool is_cut = false;
  std::vector<std::int64_t> got(quotas.size(), 0);
  for (std::size_t n = 0; n < quotas.size(); ++n) {
    UnitQuota& quota = quotas[n];
    const bool is_top = quota.parent == UnitQuota::kTop;
    const Signed together = is_top ? in_all : below[quota.parent];
    const std::int64_t there = is_top ? pool : got[quota.parent];
    got[n] = together <= there ? wanted[n] : static_cast<std::int64_t>(Signed{wanted[n]} * there / together);
    if (!quota.guarantee) continue;
    is_cut = is_cut || got[n] < (*quota.guarantee)[r];
    (*quota.guarantee)[r] = got[n];
  }
  // What a group without a guarantee of its own has is what its members have.
  std::vector<std::int64_t> held(quotas.size(), 0);
  for (std::size_t n = quotas.size(); n-- > 0;) {
    UnitQuota& quota = quotas[n];
    if (quota.guarantee) held[n] = got[n];
    if (quota.reserved) (*quota.reserved)[r] = std::min((*quota.reserved)[r], held[n]);
    if (quota.parent != UnitQuota::kTop) held[quota.parent] += held[n];
  }
  return is_cut;
}

}  // namespace

bool cut_guarantees(std::span<UnitQuota> quotas, std::span<const std::int64_t> pool) {
  bool is_cut = false;
  for (std::size_t r = 0; r < pool.size(); ++r) is_cut = cut_resource(quotas, pool[r], r) || is_cut;
  return is_cut;
}

}  // namespace mirab
