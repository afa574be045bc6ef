#include "scheduling/ledger/demands_seen.hpp"

#include <algorithm>

namespace mirab::scheduling {

bool DemandsSeen::add(std::span<const std::int64_t> demand) {
  const auto is_this = [&](const Amounts& kind) {
    return std::equal(kind.begin(), kind.end(), demand.begin());
  };
  if (std::any_of(kinds_.begin(), kinds_.end(), is_this)) return false;
  if (kinds_.size() <= kMost) {
    kinds_.emplace_back(demand.begin(), demand.end());
    return true;
  }
  Amounts& others = kinds_.back();
  bool is_larger = false;
  for (std::size_t r = 0; r < others.size(); ++r) {
    is_larger = is_larger || demand[r] > others[r];
    others[r] = std::max(others[r], demand[r]);
  }
  return is_larger;
}

bool DemandsSeen::add(const DemandsSeen& others) {
  bool is_new = false;
  for (const Amounts& kind : others.kinds_) is_new = add(kind) || is_new;
  return is_new;
}

}  // namespace mirab::scheduling
