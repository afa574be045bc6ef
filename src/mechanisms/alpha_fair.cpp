// α-fairness: max Σ_n φ_n g_α(x_n / (φ_n u_n)) with g_α'(s) = s^(-α), for any α > 0.
//
// Source: Mo and Walrand 2000; Bonald and Roberts, section 2.5. α = 1 is proportional fairness; α → ∞ is
// max-min (or DRF, with the dominant yardstick). Known failure: with tasks as yardstick and α ≠ 1 it is not
// locally fair, nor anything that follows (Proposition 7).
// When the solver fails: when Newton's method fails from every start, after at most 200 steps of O(Nm²) for
// each, the tasks at the last prices are scaled down until they fit: the duality gap still bounds how far
// the objective is from the best, and the status is not_converged; at an α so small that amounts exceed a
// double, only their proportions are kept, with an infinite gap.
#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr OptionInfo kOptions[] = {
    {"alpha", "", "how much fairness counts against efficiency, a number > 0"},
    {"yardstick", "tasks", "what is compared: tasks, or dominant for dominant shares"},
};

constexpr std::string_view kProposition =
    "Bonald and Roberts, Proposition 7 and Remark 1, for α ≠ 1 and yardstick=tasks";

constexpr Claim kClaims[] = {
    {Property::pareto_efficiency, true, kUncapped, "Bonald and Roberts, section 2.5"},
    {Property::sharing_incentive, false, {}, kProposition},
    {Property::strategy_proofness, false, {}, kProposition},
    {Property::single_resource_fairness, false, {}, kProposition},
    {Property::scale_invariance, false, {}, kProposition},
};

Result<PoolRule> rule_of(const Choice& choice) {
  constexpr std::string_view yardsticks[] = {"tasks", "dominant"};
  const Result<double> alpha = number_option(choice, "alpha", 0);
  if (!alpha) return alpha.error();
  if (*alpha <= 0)
    return Error{.message = "option 'alpha' of 'alpha-fair' must be given as a number greater than 0"};
  const Result<std::size_t> yardstick = word_option(choice, "yardstick", yardsticks);
  if (!yardstick) return yardstick.error();
  return PoolRule{.yardstick = *yardstick == 0 ? one_task : dominant_share_of_one, .alpha = *alpha};
}

Check check_alpha_fair(const Choice& choice) {
  const Result<PoolRule> rule = rule_of(choice);
  return rule ? Check{} : rule.error();
}

Result<Outcome> allocate_alpha_fair(const Problem& problem, const Choice& choice, const Execution&) {
  const Result<PoolRule> rule = rule_of(choice);
  if (!rule) return rule.error();
  return share_pool(problem, choice, *rule);
}

}  // namespace

Mechanism alpha_fair_row() {
  return {
      .name = "alpha-fair",
      .aliases = {},
      .scope = Scope::pool,
      .title = "α-fairness",
      .summary = "Between efficiency (small α), proportional fairness (1) and max-min fairness (large α).",
      .yardstick = "1, or 1 / max_r (d_{n,r} / C_r) with yardstick=dominant",
      .alpha = "α > 0",
      .source =
          "Mo and Walrand 2000; Bonald and Roberts, Enhanced Cluster Computing Performance through "
          "Proportional Fairness, 2014, section 2.5",
      .accepts = kPoolAccepts,
      .options = kOptions,
      .claims = kClaims,
      .check_options = check_alpha_fair,
      .allocate = allocate_alpha_fair};
}

}  // namespace mirab
