// Max-min fairness in tasks: every user gets the same number of tasks, for its weight, until something it
// needs is full.
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance
// through Proportional Fairness, 2014, section 2.3. u_n = 1, α = ∞.
// Known failure: a user with large tasks takes more of everything; on one resource shares go with demands
// (Remark 1).
// When the solver fails: water-filling is a direct method, O(Nm) for each resource that fills up, so
// nothing has to converge; should rounding leave more than 1e-9 of a resource that stopped users, the
// division still fits and its status is not_converged.
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr std::string_view kRemark = "Bonald and Roberts, section 2.3 and Remark 1";

constexpr Claim kMaxMinClaims[] = {
    {Property::pareto_efficiency, true, kUncapped, "Bonald and Roberts, section 2.3"},
    {Property::sharing_incentive, false, {}, kRemark},
    {Property::strategy_proofness, false, {}, kRemark},
    {Property::single_resource_fairness, false, {}, kRemark},
    {Property::scale_invariance, false, {}, kRemark},
};

Result<Outcome> allocate_max_min(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, PoolRule{.yardstick = one_task});
}

}  // namespace

Mechanism max_min_row() {
  return {.name = "max-min",
          .aliases = {},
          .scope = Scope::pool,
          .title = "Max-min fairness in tasks",
          .summary = "Every user gets equally many tasks per weight, until a resource it needs is full.",
          .yardstick = "1",
          .alpha = "∞",
          .source =
              "Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, "
              "2014, section 2.3",
          .accepts = kPoolAccepts,
          .options = {},
          .claims = kMaxMinClaims,
          .allocate = allocate_max_min};
}

}  // namespace mirab
