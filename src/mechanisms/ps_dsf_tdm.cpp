// PS-DSF with time division: a server gives whole-server time, in which a user runs γ_{n,i} tasks.
//
// Source: the time-division variant of PS-DSF (Khamse-Ashari et al.); docs/explanation/mathematics.md,
// section 6. Levels as in PS-DSF, under Σ_n x_{n,i} / γ_{n,i} ≤ 1 on every server: a single resource, time,
// of which a task takes 1/γ_{n,i}. That is weighted proportional fairness over servers (an Eisenberg-Gale
// market), unique in X, and αPF-VDS on these servers at any α. It fits: Σ_n x_{n,i} d_{n,r} = Σ_n
// (x_{n,i}/γ_{n,i}) γ_{n,i} d_{n,r} ≤ c_{i,r}.
//
// Example: one server (1, 1), demands (1, 0) and (0, 1): half a task each, where 1 and 1 would fit.
// Known failure: that example; and a user can gain by a false demand with several servers.
// When the solver fails: when all walks fail, up to eight of 100 to 400 steps of O(N(Km)² + (Km)³) each,
// and with at most 1,000 placements and no caps 300 sweeps as well, the division with the lowest regret
// that was found is returned: it fits, the regret bounds what any server could still gain, and the status
// is not_converged.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"

namespace mirab {
namespace {

constexpr std::string_view kMarket =
    "docs/explanation/mathematics.md, section 6: a market with equal incomes per weight";

constexpr Claim kPsDsfTdmClaims[] = {
    {Property::sharing_incentive, true, kUncapped, kMarket},
    {Property::envy_freeness, true, kUncapped, kMarket},
    {Property::single_resource_fairness, true, kUncapped, kMarket},
    {Property::pareto_efficiency, false, {}, "docs/explanation/mathematics.md, section 6"},
};

// Time in place of the resources.
numerics::ServerRows in_time(const numerics::ServerRows& rows) {
  numerics::ServerRows time{.demand = {},
                            .capacity = Eigen::ArrayXXd::Ones(rows.servers(), 1),
                            .alone = rows.alone,
                            .cap = rows.cap};
  for (Eigen::Index i = 0; i < rows.servers(); ++i) {
    time.demand.push_back((rows.alone.col(i) > 0).select(rows.alone.col(i).inverse(), 0.0));
  }
  return time;
}

Result<Outcome> allocate_ps_dsf_tdm(const Problem& problem, const Choice& choice,
                                    const Execution& execution) {
  return share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    const numerics::ServerRows time = in_time(merged.rows);
    ServerShares shares =
        solve_market({time, merged.weight, 1, Eigen::ArrayXd()}, MarketSolver::path, execution.threads);
    shares.prices.resize(0, 0);  // of time, not of a resource
    shares.notices.clear();
    return shares;
  });
}

}  // namespace

Mechanism ps_dsf_tdm_row() {
  return {.name = "ps-dsf-tdm",
          .aliases = {},
          .scope = Scope::each_server,
          .title = "PS-DSF with time division",
          .summary = "Users share the time of whole servers: proportional fairness in tasks per server time.",
          .yardstick = "γ_{n,i} on server i (it cancels)",
          .alpha = "any (the same at every α)",
          .source = "Khamse-Ashari et al., Per-Server Dominant-Share Fairness (PS-DSF), 2017",
          .accepts = kServersAccept,
          .options = {},
          .claims = kPsDsfTdmClaims,
          .objective = "Σ φ_n ln X_n over the time of whole servers, Σ_n x_{n,i} / γ_{n,i} ≤ 1 on each",
          .allocate = allocate_ps_dsf_tdm};
}

}  // namespace mirab
