// How a task that its home cannot host finds a server (Östman, 4.3: a random walk; 2.1.4: best fit, after
// Wang, Li and Liang's DRFH; chapter 6: left open). Known failure: a random walk of h hops misses the only
// server with room among K with probability about (1 − 1/K)^h.
#include "overlay/walk.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <mirab/model/assert.hpp>

#include "fairness/fit_distance.hpp"

namespace mirab::overlay {
namespace {

double part(std::span<const std::int64_t> amounts, std::span<const double> total, std::size_t r) {
  const auto amount = static_cast<double>(amounts[r]);
  return total.empty() || total[r] <= 0 ? amount : amount / total[r];
}

Step one_hop(const HopContext& here, Walk& walk) {
  if (walk.hops_left == 0 || !here.peer) return {.what = Step::What::no_room};
  --walk.hops_left;
  return {.what = Step::What::pass, .to = *here.peer};
}

Step best_fit_step(const HopContext& here, std::uint32_t best_of, Walk& walk) {
  if (here.fits && here.distance < walk.score) {
    walk.score = here.distance;
    walk.best = here.self;
  }
  const bool leg_ends = walk.hops_left % std::max(best_of, 1U) == 0 || !here.peer;
  if (leg_ends && std::isfinite(walk.score)) {
    if (walk.best != here.self) return {.what = Step::What::pass, .to = walk.best};
    if (here.fits) return {.what = Step::What::propose};
    walk.score = std::numeric_limits<double>::infinity();  // it was taken meanwhile: a new leg
  }
  return one_hop(here, walk);
}

Step directed_step(const HopContext& here, Walk& walk) {
  if (here.fits) return {.what = Step::What::propose};
  const auto top = std::ranges::min_element(here.freer, ranks_before);
  const double seen = std::isfinite(walk.score) ? walk.score : here.room;
  if (walk.hops_left == 0 || top == here.freer.end() || top->utility <= seen) return one_hop(here, walk);
  --walk.hops_left;
  walk.score = top->utility;
  return {.what = Step::What::pass, .to = top->node};
}

}  // namespace

bool fits_in(std::span<const std::int64_t> demand, std::span<const std::int64_t> free) {
  return std::ranges::equal(demand, free, std::less_equal<>{});
}

double drfh_distance(std::span<const std::int64_t> demand, std::span<const std::int64_t> free,
                     std::span<const double> total) {
  MIRAB_ASSERT(
      std::ranges::any_of(demand, [](std::int64_t amount) { return amount > 0; }) && fits_in(demand, free),
      "a task demands something, and it fits");
  constexpr auto kDistance = fairness::FitDistance::to_first_demanded;
  return fairness::fit_distance(
      kDistance, [&](std::size_t r) { return part(demand, total, r); },
      [&](std::size_t r) { return part(free, total, r); }, demand.size(),
      fairness::reference_resource(kDistance, demand, demand.size()));
}

double room(std::span<const std::int64_t> free, std::span<const double> total) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < free.size(); ++r) {
    if (total[r] > 0) least = std::min(least, static_cast<double>(free[r]) / total[r]);
  }
  return least;
}

std::uint32_t hops_of(const OverlayOptions& options) {
  if (options.search != Search::best_fit) return options.hops;
  const std::uint32_t leg = std::max(options.best_of, 1U);
  if (options.hops < leg) return options.hops;
  return options.hops - (options.hops - (leg - 1)) % leg;
}

Step walk_step(Search search, const HopContext& here, std::uint32_t best_of, Walk& walk) {
  switch (search) {
    case Search::best_fit:
      return best_fit_step(here, best_of, walk);
    case Search::directed:
      return directed_step(here, walk);
    case Search::walk:
      break;
  }
  return here.fits ? Step{.what = Step::What::propose} : one_hop(here, walk);
}

}  // namespace mirab::overlay
