// Task Share Fairness: a user's tasks over those that it could run if it had the whole cluster for itself and
// no constraints, made lexicographically max-min.
//
// Source: Wang, Li, Liang and Li, Multi-Resource Fair Sharing for Datacenter Jobs with Placement Constraints,
// 2016. u_n = Σ_i γ_{n,i}, placement constraints ignored, α = ∞. Solved in rounds (levels.hpp). Example:
// PS-DSF's figure 1: 5/3, 5, 25/3 and 25/3 tasks. Known failure: sharing incentive, which holds without
// constraints, fails with them: servers (2, 2), (2, 6), tasks (1, 2), (1, 1), both only on the first: 0.6 and
// 0.8 tasks, yet half of that server holds one task of the second.
#include "mechanisms/levels.hpp"
#include "mechanisms/rows.hpp"

namespace mirab {
namespace {

constexpr std::string_view kTable = "Ravi Kiran and Srinuvas, Table 1";

constexpr Claim kClaims[] = {
    {Property::sharing_incentive, true, kEndlessDemandAnywhere, "docs/mechanisms/tsf.md"},
    {Property::envy_freeness, true, kEndlessPositiveSameDemandAnywhere, kTable},
    {Property::pareto_efficiency, true, kEndlessDemand, kTable},
    {Property::strategy_proofness, true, kEndlessPositiveSameDemandAnywhere, "Hamzeh, table 2.1"},
    {Property::single_resource_fairness, true, kEndlessDemandAnywhere, "by definition: the share of it"},
    {Property::scale_invariance, true, kEndlessSameDemand,
     "by definition: a share does not depend on a task's size"},
    {Property::bottleneck_fairness, false, {}, kTable},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

Result<Outcome> allocate_tsf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    return raise_levels(merged, merged.weight * merged.alone_everywhere).shares;
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
      .claims = kClaims,
      .allocate = allocate_tsf};
}

}  // namespace mirab
