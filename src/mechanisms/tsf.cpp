// Task Share Fairness: a user's tasks over those that it could run if it had the whole cluster for itself and
// no constraints, made lexicographically max-min.
//
// Source: Wang, Li, Liang and Li, Multi-Resource Fair Sharing for Datacenter Jobs with Placement Constraints,
// 2016. u_n = Σ_i γ_{n,i}, placement constraints ignored, α = ∞. Solved in rounds (numerics/lexmaxmin).
// Example: PS-DSF's figure 1: 5/3, 5, 25/3 and 25/3 tasks. Known failure: sharing incentive, which holds
// without constraints, fails with them: servers (2, 2), (2, 6), tasks (1, 2), (1, 1), both only on the first:
// 0.6 and 0.8 tasks, yet half of that server holds one task of the second.
// When the solver fails: when doubles miss a bound of 1e-8, all rounds are repeated with 192 digits, in
// which scaling does no harm, 20 to 100 times as slow; when that takes more than about ten seconds it is
// given up, or not tried, and the division in doubles is returned: it fits, the level bound still says by
// which part any user's tasks may be off, and the status is not_converged.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"

namespace mirab {
namespace {

constexpr Claim kTsfClaims[] = {
    {Property::sharing_incentive, true, kUncappedAnywhere, "docs/reference/mechanisms/tsf.md"},
    {Property::envy_freeness, true, kUncappedPositiveSameDemandAnywhere, kRaviKiranTable},
    {Property::pareto_efficiency, true, kUncapped, kRaviKiranTable},
    {Property::strategy_proofness, true, kUncappedPositiveSameDemandAnywhere, "Hamzeh, table 2.1"},
    {Property::single_resource_fairness, true, kUncappedAnywhere, "by definition: the share of it"},
    {Property::scale_invariance, true, kUncappedSameDemand,
     "by definition: a share does not depend on a task's size"},
    {Property::bottleneck_fairness, false, {}, kRaviKiranTable},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

Result<Outcome> allocate_tsf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    const auto unit = [](const auto& servers) { return (servers.weight * servers.alone_everywhere).eval(); };
    return share_by_levels(problem, merged, unit);
  });
}

}  // namespace

Mechanism tsf_row() {
  return {
      .name = "tsf",
      .aliases = {},
      .scope = Scope::servers,
      .title = "Task Share Fairness",
      .summary =
          "Equalises the part of the tasks that a user could run on the whole cluster without constraints.",
      .yardstick = "Σ_i γ_{n,i}, constraints ignored",
      .alpha = "∞",
      .source =
          "Wang, Li, Liang and Li, Multi-Resource Fair Sharing for Datacenter Jobs with Placement "
          "Constraints, 2016",
      .accepts = kServersAccept,
      .options = {},
      .claims = kTsfClaims,
      .allocate = allocate_tsf};
}

}  // namespace mirab
