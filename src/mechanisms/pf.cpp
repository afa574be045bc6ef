// Proportional fairness, which is also the competitive equilibrium from equal incomes (CEEI): the largest Π
// x_n^φ_n.
//
// Source: Kelly, Maulloo and Tan 1998; Bonald and Roberts, section 2.4; slides, CEEI. α = 1; the yardstick
// cancels. Prices λ with φ_n / x_n = d_n·λ and λ·C = Φ (their equations 3 to 5). Example: C = (9, 18), d =
// (1, 4) and (3, 1): 45/11 and 18/11 tasks. Known failure: a user can gain by a false demand (Proposition 5).
// When the solver fails: when Newton's method fails from every start, after at most 200 steps of O(Nm²) for
// each, the tasks at the last prices are scaled down until they fit: the duality gap still bounds how far
// the objective is from the best, and the status is not_converged; at an α so small that amounts exceed a
// double, only their proportions are kept, with an infinite gap.
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr std::string_view kAliases[] = {"ceei"};

constexpr Claim kPfClaims[] = {
    {Property::sharing_incentive, true, kUncapped, "Bonald and Roberts, Proposition 4"},
    {Property::pareto_efficiency, true, kUncapped, "Bonald and Roberts, section 2.4"},
    {Property::envy_freeness, true, kUncapped, kSlidesTable},
    {Property::single_resource_fairness, true, kUncapped, "Bonald and Roberts, equation 5"},
    {Property::bottleneck_fairness, true, kUncapped, kSlidesTable},
    {Property::scale_invariance, true, kUncapped, "Bonald and Roberts, Proposition 6"},
    {Property::strategy_proofness, false, {}, "Bonald and Roberts, Proposition 5"},
    {Property::population_monotonicity, false, {}, "slides, CEEI violates population monotonicity"},
    {Property::resource_monotonicity, false, {}, kSlidesTable},
};

Result<Outcome> allocate_pf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, PoolRule{.yardstick = one_task, .alpha = 1});
}

}  // namespace

Mechanism pf_row() {
  return {.name = "pf",
          .aliases = kAliases,
          .scope = Scope::pool,
          .title = "Proportional fairness (competitive equilibrium from equal incomes)",
          .summary =
              "Maximises the product of the users' tasks: what a market with equal budgets would settle at.",
          .yardstick = "any (it cancels)",
          .alpha = "1",
          .source =
              "Kelly, Maulloo and Tan 1998; Bonald and Roberts, Enhanced Cluster Computing Performance "
              "through Proportional Fairness, 2014, section 2.4",
          .accepts = kPoolAccepts,
          .options = {},
          .claims = kPfClaims,
          .allocate = allocate_pf};
}

}  // namespace mirab
