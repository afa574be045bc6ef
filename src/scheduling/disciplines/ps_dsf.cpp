// PS-DSF, task by task (docs/mathematics.md, sections 5 and 8): of all users n and kinds of servers i the
// pair with the lowest virtual dominant share
//
//   max_r s_r (a_{n,r} / c_{i,r}) / φ_n,   over the resources that the task to be placed demands,
//
// is served, on a server of that kind; X_n / (γ_{n,i} φ_n) where a user's tasks are all the same. a_n is what
// n uses on all servers together.
#include <algorithm>

#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {
namespace {

/// What the user uses of the resources that the task demands; of the others nothing.
class UsedOfDemanded {
 public:
  UsedOfDemanded(const Standing& standing, Entry entry) : scale_(standing.scale) {
    const QueueRow& queue = standing.queue(entry);
    used_ = standing.accounts.used(queue.user);
    capacity_ = standing.kinds.capacities()[entry.lane];
    demand_ = standing.accounts.shapes.ways(queue.shape).front().demand;
  }

  double part() const {
    double part = 0;
    for (std::size_t r = 0; r < used_.size(); ++r) {
      if (!counts(r)) continue;
      part = std::max(
          part, scale_.rounded[r] * (static_cast<double>(used_[r]) / static_cast<double>(capacity_[r])));
    }
    return part;
  }

  Part exact() const {
    Amounts used;
    for (std::size_t r = 0; r < used_.size(); ++r) used.push_back(counts(r) ? used_[r] : 0);
    return exact_dominant_part(used, capacity_, scale_);
  }

 private:
  bool counts(std::size_t r) const { return demand_[r] > 0 && capacity_[r] > 0; }

  const ShareScale& scale_;
  std::span<const std::int64_t> used_;
  std::span<const std::int64_t> capacity_;
  std::span<const std::int64_t> demand_;
};

}  // namespace

double ps_dsf_key(const Standing& standing, Entry entry) {
  return UsedOfDemanded(standing, entry).part() / standing.user(entry).weight.value();
}

std::weak_ordering ps_dsf_compare(const Standing& standing, Entry a, Entry b) {
  return compare_per_weight(UsedOfDemanded(standing, a).exact(), standing.user(a).weight,
                            UsedOfDemanded(standing, b).exact(), standing.user(b).weight);
}

}  // namespace mirab::scheduling
