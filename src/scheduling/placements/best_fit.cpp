// Best-fit of DRFH (Wang, Li, Liang; Östman, section 2.1.4): of the servers where the task fits, the one with
// the smallest
//
//   H(n, i) = ‖d_n / Σ_r d_{n,r} − f_i / Σ_r f_{i,r}‖₁,
//
// the distance between the proportions of the task and those of what is free, all amounts as parts of the
// cluster's capacity so that units do not matter. Of several equal ones the first. H is a rule of thumb and
// is computed in doubles, always in the same order. O(K m), but 64 servers at once; the park keeps the
// proportions of what is free, from the first search on.
//
// As published the amounts are relative to the first resource instead: ‖d_n/d_{n,1} − f_i/f_{i,1}‖₁. That
// depends on which resource comes first and divides by zero where the task does not demand it or the server
// has none of it left: such an H ranks behind every finite one, and where no H is finite the first server is
// taken.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Nearest {
  std::uint32_t server = 0;
  double h = kInfinity;  // none is less: no H is finite, or no server has room
};

Nearest nearest(const Park& park, const Proportions& proportions, const Variant& variant) {
  std::vector<double> demand(park.resource_count());
  proportions.of(variant.demand, demand);
  Nearest best;
  Proportions::Distances h;
  park.for_each_block_with_room(variant, [&](const Columns::Block& block) {
    std::uint64_t rows = block.rows & proportions.nearer(block.index, demand, best.h, h);
    for (; rows != 0; rows &= rows - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rows));
      const auto server = static_cast<std::uint32_t>(block.index * Columns::kBlock + k);
      if (h[k] < best.h && park.has_room(server, variant.demand)) best = {.server = server, .h = h[k]};
    }
  });
  return best;
}

std::optional<std::uint32_t> nearest_in_proportion(const Search& search, Scale scale) {
  const Proportions& proportions = search.park.proportions(scale);
  Nearest best;
  for (const Variant& variant : search.variants) {
    const Nearest here = nearest(search.park, proportions, variant);
    if (here.h < best.h || (here.h == best.h && here.server < best.server)) best = here;
  }
  return best.h < kInfinity ? std::optional(best.server) : first_fit(search);
}

/// H, computed as the search does.
double distance(const Search& search, std::uint32_t server, Scale scale) {
  const Proportions& proportions = search.park.proportions(scale);
  std::vector<double> demand(search.park.resource_count());
  std::vector<double> free(search.park.resource_count());
  proportions.of(variant_on(search, server).demand, demand);
  proportions.of(search.park.free(server), free);
  double h = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) h += std::abs(demand[r] - free[r]);
  return h;
}

}  // namespace

std::optional<std::uint32_t> best_fit(const Search& search) {
  return nearest_in_proportion(search, Scale::sum);
}

std::optional<std::uint32_t> best_fit_as_published(const Search& search) {
  return nearest_in_proportion(search, Scale::first);
}

double best_fit_distance(const Search& search, std::uint32_t server) {
  return distance(search, server, Scale::sum);
}

double best_fit_as_published_distance(const Search& search, std::uint32_t server) {
  return distance(search, server, Scale::first);
}

}  // namespace mirab::scheduling
