// Dominant Resource Fairness: the largest part of any resource that a user holds is raised for all users
// together.
//
// Source: Ghodsi et al., NSDI 2011; the slides' table of properties; Bonald and Roberts, section 2.3.
// u_n = 1 / max_r (d_{n,r}/C_r), α = ∞.
// Example: C = (9, 18), d = (1, 4) and (3, 1): 3 and 2 tasks, two thirds of memory and two thirds of CPU.
// Known failure: it depends on demands for resources that are not full (Remark 2); more of a resource can
// hurt a user.
// When the solver fails: water-filling is a direct method, O(Nm) for each resource that fills up, so
// nothing has to converge; should rounding leave more than 1e-9 of a resource that stopped users, the
// division still fits and its status is not_converged.
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kDrfClaims[] = {
    {Property::sharing_incentive, true, kUncapped, "Bonald and Roberts, Proposition 1"},
    {Property::strategy_proofness, true, kUncapped, "Bonald and Roberts, Proposition 2"},
    {Property::pareto_efficiency, true, kUncapped, kSlidesTable},
    {Property::envy_freeness, true, kUncapped, kSlidesTable},
    {Property::single_resource_fairness, true, kUncapped, kSlidesTable},
    {Property::bottleneck_fairness, true, kUncapped, kSlidesTable},
    {Property::population_monotonicity, true, kUncappedPositive, kSlidesTable},
    {Property::scale_invariance, true, kUncapped, "Bonald and Roberts, Proposition 3"},
    {Property::resource_monotonicity, false, {}, kSlidesTable},
};

Result<Outcome> allocate_drf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, PoolRule{.yardstick = dominant_share_of_one});
}

}  // namespace

Mechanism drf_row() {
  return {.name = "drf",
          .aliases = {},
          .scope = Scope::pool,
          .title = "Dominant Resource Fairness",
          .summary = "Equalises dominant shares: the largest part of any resource that a user holds.",
          .yardstick = "1 / max_r (d_{n,r} / C_r)",
          .alpha = "∞",
          .source = "Ghodsi et al., Dominant Resource Fairness, 2011",
          .accepts = kPoolAccepts,
          .options = {},
          .claims = kDrfClaims,
          .allocate = allocate_drf};
}

}  // namespace mirab
