// Per-Server Dominant-Share Fairness: every server fills itself by virtual dominant shares, the tasks that a
// user has anywhere over those that it could run on this server alone.
//
// Source: Khamse-Ashari et al., PS-DSF, 2017; as described by Ravi Kiran and Srinuvas, An Appropriate
// Parameterized Utility Technique On Heterogeneous Server Dependencies, abstract and table 1.
// u_n = γ_{n,i}, α = ∞, each server for itself.
// Example: C = (9, 18), d = (1, 4) and (3, 1), one server: 3 and 2 tasks, as DRF.
// Known failures: not unique (demands (2, 1) and (1, 2) on servers (7, 7) and (2, 2): both 3 and 3 tasks, and
// 8/3 and 8/3); not Pareto efficient. docs/reference/mechanisms/ps-dsf.md has both.
// When the solver fails: when every try fails, eight of up to 3,000 sweeps of O(NKm) and 150 steps of
// O(NK²m + (Km)³) each, the division with the smallest violation that was found is returned: it fits
// servers and caps, the violation says how far it is from the level form, and the status is not_converged.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/psdsf/server_levels.hpp"

namespace mirab {
namespace {

// Of the largest violation of the level form. Derived: the target leaves room for the rounding of an
// independent check.
constexpr numerics::Accuracy kPsDsfAccuracy{.target = 5e-9, .accepted = 1e-8};

constexpr Claim kPsDsfClaims[] = {
    {Property::sharing_incentive, true, kUncapped, kRaviKiranTable},
    {Property::envy_freeness, true, kUncapped, kRaviKiranTable},
    {Property::bottleneck_fairness, true, kUncapped, kRaviKiranTable},
    {Property::pareto_efficiency, false, {}, kRaviKiranTable},
    {Property::strategy_proofness, false, {}, "searched; Hamzeh, table 2.1, says that it holds"},
};

ServerShares shares_of(const MergedServers& merged) {
  numerics::ServerLevels found = numerics::level_servers(merged.rows, merged.weight, kPsDsfAccuracy);
  return {.tasks = std::move(found.x),
          .prices = {},
          .status = status_of(found.report, Status::converged),
          .certificate = {.kind = "level-violation", .value = found.report.error}};
}

Result<Outcome> allocate_ps_dsf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, shares_of);
}

}  // namespace

Mechanism ps_dsf_row() {
  return {.name = "ps-dsf",
          .aliases = {},
          .scope = Scope::each_server,
          .title = "Per-Server Dominant-Share Fairness",
          .summary =
              "Every server equalises virtual dominant shares: a user's tasks over those that it could run "
              "on that server alone.",
          .yardstick = "γ_{n,i}",
          .alpha = "∞",
          .source = "Khamse-Ashari et al., Per-Server Dominant-Share Fairness (PS-DSF), 2017",
          .accepts = kServersAccept,
          .options = {},
          .claims = kPsDsfClaims,
          .objective = "on every server for itself: the lowest share X_n / (φ_n γ_{n,i}), then the next",
          .allocate = allocate_ps_dsf};
}

}  // namespace mirab
