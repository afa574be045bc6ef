// Asset fairness: one percent of any resource is worth the same, and everybody gets resources of the same
// worth.
//
// Source: Ghodsi et al., NSDI 2011; slides, Asset Fairness. u_n = 1 / Σ_r (d_{n,r}/C_r), α =
// ∞. Example: C = (9, 18), d = (1, 4) and (3, 1): 2.52 and 2.16 tasks. Known failure: a user can get less
// than from an equal part of every machine (slides).
// When the solver fails: water-filling is a direct method, O(Nm) for each resource that fills up, so
// nothing has to converge; should rounding leave more than 1e-9 of a resource that stopped users, the
// division still fits and its status is not_converged.
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kAssetClaims[] = {
    {Property::strategy_proofness, true, kUncappedPositive, kSlidesTable},
    {Property::pareto_efficiency, true, kUncapped, kSlidesTable},
    {Property::envy_freeness, true, kUncapped, kSlidesTable},
    {Property::single_resource_fairness, true, kUncapped, kSlidesTable},
    {Property::population_monotonicity, true, kUncappedPositive, kSlidesTable},
    {Property::sharing_incentive,
     false,
     {},
     "slides, Asset Fairness violates the sharing incentive property"},
    {Property::bottleneck_fairness,
     false,
     {},
     "slides, Asset Fairness violates the bottleneck fairness property"},
    {Property::resource_monotonicity,
     false,
     {},
     "slides, Asset Fairness does not satisfy resource monotonicity"},
};

void even_asset_share_of_one(const Eigen::Ref<const Eigen::ArrayXXd>& demand, const Eigen::ArrayXd& capacity,
                             Eigen::Ref<Eigen::ArrayXd> u) {
  u = (demand.matrix() * capacity.inverse().matrix()).array().inverse();
}

Result<Outcome> allocate_asset(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, PoolRule{.yardstick = even_asset_share_of_one});
}

}  // namespace

Mechanism asset_row() {
  return {.name = "asset",
          .aliases = {},
          .scope = Scope::pool,
          .title = "Asset fairness",
          .summary = "Equalises the sum over resources of the parts that a user holds.",
          .yardstick = "1 / Σ_r (d_{n,r} / C_r)",
          .alpha = "∞",
          .source = "Ghodsi et al., Dominant Resource Fairness, 2011",
          .accepts = kPoolAccepts,
          .options = {},
          .claims = kAssetClaims,
          .allocate = allocate_asset};
}

}  // namespace mirab
