// DRF over heterogeneous servers: DRF's dominant shares, taken of the whole cluster, made lexicographically
// max-min under every server's own capacity.
//
// Source: Wang, Li and Liang, Dominant Resource Fairness in Cloud Computing Systems with Heterogeneous
// Servers, 2013. u_n = 1 / max_r (d_{n,r}/C_r) with C = Σ_i c_i, α = ∞. Solved in rounds
// (numerics/lexmaxmin). Example: servers (2, 12), (12, 2), tasks (0.2, 1), (1, 0.2): 10 tasks each, each on
// its own server, where DRF server by server gives 6 each. Known failures: no sharing incentive (servers (10,
// 10) and (0, 90), tasks (1, 1) and (1, 10): 10/11 tasks each, where half of the first server holds 5 of the
// first user); no bottleneck fairness (docs/reference/mechanisms/drfh.md). A dominant share is not defined
// when a task takes different amounts on different servers.
// When the solver fails: when doubles miss a bound of 1e-8, all rounds are repeated with 192 digits, in
// which scaling does no harm, 20 to 100 times as slow; when that takes more than about ten seconds it is
// given up, or not tried, and the division in doubles is returned: it fits, the level bound still says by
// which part any user's tasks may be off, and the status is not_converged.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"

namespace mirab {
namespace {

constexpr std::string_view kThesis = "Östman, section 2.1.5, of Wang, Li and Liang";

constexpr Claim kDrfhClaims[] = {
    {Property::envy_freeness, true, kUncappedPositiveAnywhere, kThesis},
    {Property::pareto_efficiency, true, kUncapped, kThesis},
    {Property::strategy_proofness, true, kUncappedPositiveAnywhere, kThesis},
    {Property::single_resource_fairness, true, kUncappedAnywhere, "by definition: the share of it"},
    {Property::scale_invariance, true, kUncapped, "by definition: a share does not depend on a task's size"},
    {Property::sharing_incentive, false, {}, kRaviKiranTable},
    {Property::bottleneck_fairness, false, {}, kRaviKiranTable},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

constexpr Accepts accepted() {
  Accepts accepts = kServersAccept;
  accepts.demand_on = false;
  return accepts;
}

// φ_n u_n. Resources that the cluster lacks are left out: no user who can run anywhere demands them.
template <class Number>
numerics::ArrayOf<Number> tasks_for_a_level_of_one(const ServerArraysOf<Number>& servers) {
  const numerics::TableOf<Number>& demand = servers.rows.demand[0];
  const numerics::ArrayOf<Number> pool = servers.rows.capacity.colwise().sum().transpose();
  numerics::ArrayOf<Number> share = numerics::ArrayOf<Number>::Zero(demand.rows());
  for (Eigen::Index r = 0; r < demand.cols(); ++r) {
    if (pool[r] > 0) share = share.max(demand.col(r) / pool[r]);
  }
  return servers.weight / share;
}

Result<Outcome> allocate_drfh(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    const auto unit = []<class Number>(const ServerArraysOf<Number>& servers) {
      return tasks_for_a_level_of_one(servers);
    };
    return share_by_levels(problem, merged, unit);
  });
}

}  // namespace

Mechanism drfh_row() {
  return {.name = "drfh",
          .aliases = {},
          .scope = Scope::servers,
          .title = "Dominant Resource Fairness over heterogeneous servers",
          .summary = "Equalises dominant shares of the whole cluster under every server's own capacity.",
          .yardstick = "1 / max_r (d_{n,r} / C_r)",
          .alpha = "∞",
          .source =
              "Wang, Li and Liang, Dominant Resource Fairness in Cloud Computing Systems with "
              "Heterogeneous Servers, 2013",
          .accepts = accepted(),
          .options = {},
          .claims = kDrfhClaims,
          .allocate = allocate_drfh};
}

}  // namespace mirab
