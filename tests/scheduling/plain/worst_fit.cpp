// Worst-fit, counted in tasks: the server with the largest min_r f_{i,r} / d_{n,r}, the number of this user's
// tasks that still fit there (not rounded to whole ones). Of several equal ones the first. It keeps the load
// even and large holes open. Exact: a ratio of two 63-bit numbers, compared by 126-bit cross products. O(K'
// m).
#include "scheduling/plain/placements.hpp"

namespace mirab::plain {
namespace {

__extension__ using Wide = __int128;

struct Ratio {
  std::int64_t numerator;
  std::int64_t denominator;  // > 0
};

bool operator<(const Ratio& a, const Ratio& b) {
  return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
}

/// min over the demanded resources of free / demand.
Ratio tasks_that_fit(std::span<const std::int64_t> free, std::span<const std::int64_t> demand) {
  Ratio least{.numerator = INT64_MAX, .denominator = 1};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > 0) least = std::min(least, Ratio{.numerator = free[r], .denominator = demand[r]});
  }
  return least;
}

}  // namespace

std::size_t worst_fit(const Search& search) {
  const Ledger& ledger = search.ledger;
  std::size_t best = search.first_fit;
  Ratio most{.numerator = 0, .denominator = 1};
  ledger.for_each_fit(search.user, search.first_fit, [&](std::size_t server) {
    const Ratio tasks = tasks_that_fit(ledger.free(server), ledger.demand(search.user, server));
    if (most < tasks) {
      most = tasks;
      best = server;
    }
  });
  return best;
}

}  // namespace mirab::plain
