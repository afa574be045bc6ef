// Least fragmentation: the server that stays most useful for the mix of tasks wanted at present. After
// Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent
// (FGD), USENIX ATC 2023, there for the GPUs of a node, here for m resources of which none is special.
//
// The fragmentation of a server with f free is the expected part of it that a task w, drawn from the mix with
// probability p_w, cannot use there:
//
//   F(f) = Σ_w p_w Σ_{r ∈ U_w(f)} f_r / C_r,   U_w(f) = every r             where w does not fit, d_w ≰ f,
//                                                       the r with d_{w,r} = 0   where it fits.
//
// Of the servers where the task fits, the one where F grows least, F(f − d) − F(f); of several equal ones the
// first. As in FGD a growth may be negative: the task cleans up what was of no use to others. A rule of
// thumb, computed in doubles, always in the same order; the popularities need not sum to 1, which scales
// every F alike.
//
// O(K' m W) for W tasks in the mix and K' servers with room. With an empty mix it is first-fit.
//
// Known failures: it is blind to how many tasks of a kind still fit, so a large server is no better than one
// with room for a single task, and the mix is what is wanted now, not what will be.
#include <limits>
#include <vector>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {
namespace {

/// Σ_{r ∈ U_w(f)} f_r / C_r
double unusable(std::span<const std::int64_t> wanted, std::span<const std::int64_t> free,
                std::span<const double> parts) {
  double everything = 0, not_demanded = 0;
  bool fits = true;
  for (std::size_t r = 0; r < free.size(); ++r) {
    everything += parts[r];
    if (wanted[r] == 0) not_demanded += parts[r];
    if (wanted[r] > free[r]) fits = false;
  }
  return fits ? not_demanded : everything;
}

/// F of what is free.
class Fragmentation {
 public:
  Fragmentation(std::span<const Wanted> mix, std::span<const std::int64_t> pool)
      : mix_(mix), per_unit_(pool.size(), 0.0), parts_(pool.size()) {
    for (std::size_t r = 0; r < pool.size(); ++r) {
      if (pool[r] > 0) per_unit_[r] = 1 / static_cast<double>(pool[r]);
    }
  }

  double operator()(std::span<const std::int64_t> free) {
    for (std::size_t r = 0; r < free.size(); ++r) parts_[r] = static_cast<double>(free[r]) * per_unit_[r];
    double sum = 0;
    for (const Wanted& wanted : mix_) sum += wanted.popularity * unusable(wanted.demand, free, parts_);
    return sum;
  }

 private:
  std::span<const Wanted> mix_;
  std::vector<double> per_unit_;  // 1 / C_r
  std::vector<double> parts_;     // f_r / C_r
};

/// F(f − d) − F(f); `after` is room for f − d.
double growth(Fragmentation& fragmentation, std::span<const std::int64_t> free,
              std::span<const std::int64_t> demand, std::vector<std::int64_t>& after) {
  for (std::size_t r = 0; r < after.size(); ++r) after[r] = free[r] - demand[r];
  return fragmentation(after) - fragmentation(free);
}

}  // namespace

double fragmentation_growth(const Search& search, std::uint32_t server) {
  Fragmentation fragmentation(search.mix, search.park.pool());
  std::vector<std::int64_t> after(search.park.resource_count());
  return growth(fragmentation, search.park.free(server), variant_on(search, server).demand, after);
}

std::optional<std::uint32_t> least_fragmentation(const Search& search) {
  Fragmentation fragmentation(search.mix, search.park.pool());
  std::vector<std::int64_t> after(search.park.resource_count());
  std::optional<std::uint32_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Variant& variant : search.variants) {
    search.park.any_with_room(variant, 0, [&](std::uint32_t server) {
      const double here = growth(fragmentation, search.park.free(server), variant.demand, after);
      if (here < least || (here == least && server < *best)) {
        least = here;
        best = server;
      }
      return false;
    });
  }
  return best;
}

}  // namespace mirab::scheduling
