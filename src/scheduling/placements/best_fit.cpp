// Best-fit of DRFH (Wang, Li, Liang; Östman, section 2.1.4): of the servers where the task fits, the one with
// the smallest
//
//   H(n, i) = ‖d_n / Σ_r d_{n,r} − f_i / Σ_r f_{i,r}‖₁,
//
// the distance between the proportions of the task and those of what is free, all amounts as parts of the
// cluster's capacity so that units do not matter. Of several equal ones the first. H is a rule of thumb and
// is computed in doubles, always in the same order. O(K m).
//
// As published the amounts are relative to the first resource instead: ‖d_n/d_{n,1} − f_i/f_{i,1}‖₁. That
// depends on which resource comes first and divides by zero where the task does not demand it or the server
// has none of it left: such an H ranks behind every finite one, and where no H is finite the first server is
// taken.
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {
namespace {

double sum(std::span<const double> parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

double first(std::span<const double> parts) { return parts.front(); }

using Scale = double (*)(std::span<const double> parts);

/// v / scale(v), where v are the amounts as parts of the cluster's capacity, per_unit[r] = 1 / C_r. [m]
template <Scale scale>
void proportions(std::span<const std::int64_t> amounts, const std::vector<double>& per_unit,
                 std::vector<double>& result) {
  for (std::size_t r = 0; r < amounts.size(); ++r) result[r] = static_cast<double>(amounts[r]) * per_unit[r];
  const double per_whole = 1 / scale(result);
  for (double& part : result) part *= per_whole;
}

/// ‖a − b‖₁
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0;
  for (std::size_t r = 0; r < a.size(); ++r) distance += std::abs(a[r] - b[r]);
  return distance;
}

/// 1 / C_r; 0 for a resource that the cluster lacks. [m]
std::vector<double> parts_per_unit(const Park& park) {
  std::vector<double> per_unit(park.resource_count(), 0.0);
  for (std::size_t r = 0; r < per_unit.size(); ++r) {
    if (park.pool()[r] > 0) per_unit[r] = 1 / static_cast<double>(park.pool()[r]);
  }
  return per_unit;
}

template <Scale scale>
std::optional<std::uint32_t> nearest_in_proportion(const Search& search) {
  const std::vector<double> per_unit = parts_per_unit(search.park);
  std::vector<double> demand(per_unit.size());
  std::vector<double> free(per_unit.size());
  std::optional<std::uint32_t> best;
  double best_h = std::numeric_limits<double>::infinity();
  for (const Variant& variant : search.variants) {
    proportions<scale>(variant.demand, per_unit, demand);
    search.park.any_with_room(variant, 0, [&](std::uint32_t server) {
      proportions<scale>(search.park.free(server), per_unit, free);
      double h = distance(demand, free);
      if (!std::isfinite(h)) h = std::numeric_limits<double>::infinity();
      if (!best || h < best_h || (h == best_h && server < *best)) {
        best_h = h;
        best = server;
      }
      return false;
    });
  }
  return best;
}

}  // namespace

std::optional<std::uint32_t> best_fit(const Search& search) { return nearest_in_proportion<sum>(search); }

std::optional<std::uint32_t> best_fit_as_published(const Search& search) {
  return nearest_in_proportion<first>(search);
}

}  // namespace mirab::scheduling
