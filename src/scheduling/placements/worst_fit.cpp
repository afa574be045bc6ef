// Worst-fit, counted in tasks: the server with the largest
//
//   ρ(i) = min_r f_{i,r} / d_{n,r}   over the demanded resources,
//
// the number of such tasks that still fit there, not rounded to whole ones. Of several equal ones the first.
// It keeps the load even and large holes open. Exact: ratios of two 63-bit numbers.
//
// A later server i is better than one with ρ where f_{i,r} > ρ d_{n,r}, so f_{i,r} ≥ ⌊ρ d_{n,r}⌋ + 1, for
// every demanded r: it has room for a larger demand. So the search is first-fit over and over, each from
// behind the last server found. O(K m) in all, and as fast as one first-fit; a park in no particular order
// improves O(log K) times. It is slow where thousands of servers are equally good, as on an empty park of
// equal machines: each of them is looked at exactly.
#include <algorithm>
#include <vector>

#include "scheduling/placements.hpp"

namespace mirab::scheduling {
namespace {

__extension__ using Wide = __int128;

struct Ratio {
  std::int64_t numerator;
  std::int64_t denominator;  // > 0
};

bool operator<(const Ratio& a, const Ratio& b) {
  return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
}

struct Roomiest {
  std::uint32_t server;
  Ratio tasks;  // ρ
};

/// ρ; INT64_MAX for a task that demands nothing.
Ratio tasks_that_fit(std::span<const std::int64_t> free, std::span<const std::int64_t> demand) {
  Ratio least{.numerator = INT64_MAX, .denominator = 1};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) least = std::min(least, Ratio{.numerator = free[r], .denominator = demand[r]});
  }
  return least;
}

/// Raises `room` to the least for which ρ is larger. False when there can be none.
bool raise(std::vector<std::int64_t>& room, std::span<const std::int64_t> demand, Ratio tasks) {
  bool raised = false;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const Wide most = Wide{tasks.numerator} * demand[r] / tasks.denominator;
    if (most >= INT64_MAX) return false;
    room[r] = static_cast<std::int64_t>(most) + 1;
    raised = true;
  }
  return raised;
}

std::optional<Roomiest> roomiest(const Park& park, const Variant& variant) {
  std::optional<Roomiest> best;
  std::vector<std::int64_t> room(variant.demand.begin(), variant.demand.end());
  std::optional<std::uint32_t> server = park.first_with_room(variant, 0);
  while (server) {
    best = {.server = *server, .tasks = tasks_that_fit(park.free(*server), variant.demand)};
    if (!raise(room, variant.demand, best->tasks)) break;
    server = park.first_with_room({.demand = room, .among = variant.among}, *server + 1);
  }
  return best;
}

bool is_better(const Roomiest& a, const Roomiest& b) {
  if (b.tasks < a.tasks) return true;
  return !(a.tasks < b.tasks) && a.server < b.server;
}

}  // namespace

std::optional<std::uint32_t> worst_fit(const Search& search) {
  std::optional<Roomiest> best;
  for (const Variant& variant : search.variants) {
    const std::optional<Roomiest> here = roomiest(search.park, variant);
    if (here && (!best || is_better(*here, *best))) best = here;
  }
  if (!best) return std::nullopt;
  return best->server;
}

double worst_fit_tasks(const Search& search, std::uint32_t server) {
  const Ratio tasks = tasks_that_fit(search.park.free(server), variant_on(search, server).demand);
  return static_cast<double>(tasks.numerator) / static_cast<double>(tasks.denominator);
}

}  // namespace mirab::scheduling
