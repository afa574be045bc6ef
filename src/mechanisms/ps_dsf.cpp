// Per-Server Dominant-Share Fairness: every server fills itself by virtual dominant shares, the tasks that a
// user has anywhere over those that it could run on this server alone.
//
// Source: Khamse-Ashari et al., PS-DSF, 2017; Ravi Kiran and Srinuvas, An Appropriate Parameterized Utility
// Technique On Heterogeneous Server Dependencies, section 3. u_n = γ_{n,i}, α = ∞, each server for itself.
// Example: C = (9, 18), d = (1, 4) and (3, 1), one server: 3 and 2 tasks, as DRF.
// Known failures: not unique (demands (2, 1) and (1, 2) on servers (7, 7) and (2, 2): both 3 and 3 tasks, and
// 8/3 and 8/3); not Pareto efficient. docs/reference/mechanisms/ps-dsf.md has both.
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/psdsf/server_levels.hpp"

namespace mirab {
namespace {

// Of the largest violation of the level form. The target leaves room for the rounding of an independent
// check.
constexpr numerics::Accuracy kPsDsfAccuracy{.target = 5e-9, .accepted = 1e-8};
constexpr std::string_view kPsDsfTable = "Ravi Kiran and Srinuvas, Table 1";

constexpr Claim kPsDsfClaims[] = {
    {Property::sharing_incentive, true, kUncapped, kPsDsfTable},
    {Property::envy_freeness, true, kUncapped, kPsDsfTable},
    {Property::bottleneck_fairness, true, kUncapped, kPsDsfTable},
    {Property::pareto_efficiency, false, {}, kPsDsfTable},
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
