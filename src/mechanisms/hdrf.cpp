// Hierarchical DRF: dominant shares are raised down a tree of groups, with guarantees that come first.
//
// Sources: Bhattacharya, Culler, Friedman, Ghodsi, Shenker and Stoica, Hierarchical Scheduling for Diverse
// Datacenter Workloads, SoCC 2013, whose static rule this is, made unique where that is not;
// docs/explanation/teams.md. A node is compared with its siblings by κ_v = max(0, max_r (u_{v,r} - ĝ_{v,r}) /
// C_r) / φ_v, its dominant share beyond its guarantee per weight (numerics/hierarchy). Example: 10 CPUs and
// 10 GPUs; n1 takes GPUs, in group n2 n21 takes CPUs and n22 GPUs: 5 GPUs for n1 and for n22, 10 CPUs for
// n21. Known failures: a group may get less of a resource than half of the pool would give it; who leaves a
// group can make a sibling lose; with three resources a lie can pay (docs/reference/mechanisms/hdrf.md). When
// the solver fails: filling down a tree is a direct method, so nothing has to converge; should rounding leave
// more than 1e-9 of a bound that stopped users, or of a group's level, or should a hundred steps for each
// user, and for each group and resource, not do, the division still fits and its status is not_converged.
#include <numeric>
#include <utility>

#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kHdrfClaims[] = {
    {Property::pareto_efficiency, true, kUncappedUnlimited, kTeams},
    {Property::scale_invariance, true, kUncapped, kTeams},
    {Property::hierarchical_sharing_incentive, true, kTopGuaranteesUnreserved, kTeams},
    {Property::guarantee, true, kTopGuarantees, kTeams},
    {Property::guarantee, true, kOneResource, kTeams},
    {Property::group_envy_freeness, true, {}, kTeams},
    {Property::sharing_incentive, true, kFlat, "as DRF, which it is without groups"},
    {Property::envy_freeness, true, kFlat, "as DRF, which it is without groups"},
    {Property::strategy_proofness, false, {}, kTeams},
    {Property::group_strategy_proofness, false, {}, kTeams},
    {Property::own_part, false, {}, kTeams},
    {Property::population_monotonicity, false, {}, kTeams},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is without groups"},
};

constexpr Accepts hdrf_accepted() {
  Accepts accepts = kPoolAccepts;
  accepts.groups = true;
  return accepts;
}

PoolShares fill_down(const Problem& problem, const Pool& pool) {
  std::vector<std::size_t> users(problem.user_count());
  std::iota(users.begin(), users.end(), 0);
  numerics::RowTree tree = groups_above(problem, users, pool.resources);
  // Users without weight are alone in their nodes.
  tree.weight = (pool.weight > 0).select(pool.weight, 1);
  tree.cap = pool.cap;
  numerics::TreeLevels levels = numerics::fill_tree(tree, pool.demand, pool.capacity);
  return {.tasks = std::move(levels.amount),
          .used = std::move(levels.used),
          .prices = {},
          .status = status_of(levels.report, Status::exact),
          .certificate = {.kind = "saturation-residual", .value = levels.report.error},
          .notice = {}};
}

Result<Outcome> allocate_hdrf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, [&](const Pool& pool) { return fill_down(problem, pool); });
}

}  // namespace

Mechanism hdrf_row() {
  return {
      .name = "hdrf",
      .aliases = {},
      .scope = Scope::pool,
      .title = "Hierarchical Dominant Resource Fairness",
      .summary = "Equalises dominant shares beyond guarantees, group by group down a tree, after guarantees.",
      .yardstick = "1 / max_r (d_{n,r} / C_r)",
      .alpha = "∞",
      .source =
          "Bhattacharya et al., Hierarchical Scheduling for Diverse Datacenter Workloads, 2013, made "
          "unique",
      .accepts = hdrf_accepted(),
      .options = {},
      .claims = kHdrfClaims,
      .objective = kTreeObjective,
      .allocate = allocate_hdrf};
}

}  // namespace mirab
