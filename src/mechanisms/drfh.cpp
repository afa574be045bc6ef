// DRF over heterogeneous servers: DRF's dominant shares, taken of the whole cluster, made lexicographically
// max-min under every server's own capacity.
//
// Source: Wang, Li and Liang, Dominant Resource Fairness in Cloud Computing Systems with Heterogeneous
// Servers, 2014. u_n = 1 / max_r (d_{n,r}/C_r) with C = Σ_i c_i, α = ∞. Solved in rounds (levels.hpp).
// Example: servers (2, 12), (12, 2), tasks (0.2, 1), (1, 0.2): 10 tasks each, each on its own server, where
// DRF server by server gives 6 each. Known failures: no sharing incentive (servers (10, 10) and (0, 90),
// tasks (1, 1) and (1, 10): 10/11 tasks each, where half of the first server holds 5 of the first user); no
// bottleneck fairness (docs/mechanisms/drfh.md). A dominant share is not defined when a task takes different
// amounts on different servers.
#include "mechanisms/levels.hpp"
#include "mechanisms/rows.hpp"

namespace mirab {
namespace {

constexpr std::string_view kThesis = "Östman, section 2.1.5, of Wang, Li and Liang";
constexpr std::string_view kTable = "Ravi Kiran and Srinuvas, Table 1";

constexpr Claim kClaims[] = {
    {Property::envy_freeness, true, kEndlessPositiveDemandAnywhere, kThesis},
    {Property::pareto_efficiency, true, kEndlessDemand, kThesis},
    {Property::strategy_proofness, true, kEndlessPositiveDemandAnywhere, kThesis},
    {Property::single_resource_fairness, true, kEndlessDemandAnywhere, "by definition: the share of it"},
    {Property::scale_invariance, true, kEndlessDemand,
     "by definition: a share does not depend on a task's size"},
    {Property::sharing_incentive, false, {}, kTable},
    {Property::bottleneck_fairness, false, {}, kTable},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

constexpr Accepts accepted() {
  Accepts accepts = kServersAccept;
  accepts.demand_on = false;
  return accepts;
}

// φ_n u_n. Resources that the cluster lacks are left out: nobody who runs anywhere demands them.
Eigen::ArrayXd tasks_for_a_level_of_one(const MergedServers& merged) {
  const Eigen::ArrayXXd& demand = merged.rows.demand[0];
  const Eigen::ArrayXd pool = merged.rows.capacity.colwise().sum().transpose();
  Eigen::ArrayXd share = Eigen::ArrayXd::Zero(demand.rows());
  for (Eigen::Index r = 0; r < demand.cols(); ++r) {
    if (pool[r] > 0) share = share.max(demand.col(r) / pool[r]);
  }
  return merged.weight / share;
}

Result<Outcome> allocate_drfh(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    return raise_levels(merged, tasks_for_a_level_of_one(merged)).shares;
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
              "Heterogeneous Servers, 2014",
          .accepts = accepted(),
          .options = {},
          .claims = kClaims,
          .allocate = allocate_drfh};
}

}  // namespace mirab
