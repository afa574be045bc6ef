// Constrained max-min fairness: the numbers of tasks made lexicographically max-min under placement
// constraints.
//
// Source: Ghodsi, Zaharia, Shenker and Stoica, Choosy: Max-Min Fair Sharing for Datacenter Jobs with
// Constraints, 2013. u_n = 1, α = ∞. The paper has one resource, machines, and tasks of equal size; with
// several resources this is max-min fairness of tasks. Solved in rounds (numerics/lexmaxmin). Example: two
// servers of one slot, one user on both, two on the first: 1, 1/2 and 1/2 tasks. Known failure: a task is a
// task, however large: a user that cuts its tasks into halves gets more.
// When the solver fails: when doubles miss a bound of 1e-8, all rounds are repeated with 192 digits, in
// which scaling does no harm, 20 to 100 times as slow; when that takes more than about ten seconds it is
// given up, or not tried, and the division in doubles is returned: it fits, the level bound still says by
// which part any user's tasks may be off, and the status is not_converged.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"

namespace mirab {
namespace {

constexpr Claim kCmmfClaims[] = {
    {Property::pareto_efficiency, true, kUncapped, "by definition: no user's tasks can grow alone"},
    {Property::sharing_incentive, false, {}, "shown by example: it ignores the size of tasks"},
    {Property::strategy_proofness, false, {}, "shown by example: splitting tasks pays"},
    {Property::single_resource_fairness, false, {}, "shown by example: it ignores the size of tasks"},
    {Property::scale_invariance, false, {}, "shown by example: it counts tasks"},
};

constexpr std::string_view kCmmfAliases[] = {"choosy"};

Result<Outcome> allocate_cmmf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::equal, [&](const MergedServers& merged) {
    return share_by_levels(problem, merged, [](const auto& servers) { return servers.weight; });
  });
}

}  // namespace

Mechanism cmmf_row() {
  return {.name = "cmmf",
          .aliases = kCmmfAliases,
          .scope = Scope::servers,
          .title = "Constrained max-min fairness (Choosy)",
          .summary = "Equalises numbers of tasks under placement constraints.",
          .yardstick = "1",
          .alpha = "∞",
          .source = "Ghodsi, Zaharia, Shenker and Stoica, Choosy, 2013",
          .accepts = kServersAccept,
          .options = {},
          .claims = kCmmfClaims,
          .allocate = allocate_cmmf};
}

}  // namespace mirab
