// DRF on every server for itself, among the users who may run there: the naive way to DRF over servers, kept
// as a baseline.
//
// Source: the introduction of Wang, Li and Liang, 2013, which shows why not to do it. u_{n,i} = γ_{n,i}, α =
// ∞, one water-filling a server. Why naive: no server knows what a user has elsewhere. On servers (2, 12),
// (12, 2) with tasks (0.2, 1), (1, 0.2) both servers are cut in halves, 6 tasks for each user in all, where
// DRFH runs 10 and 10. For the same reason it cannot keep a limit on a user's tasks over all servers.
#include <algorithm>

#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/pool/water_filling.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr Claim kPerServerDrfClaims[] = {
    {Property::sharing_incentive, true, kUncapped, "as DRF, on every server"},
    {Property::pareto_efficiency, false, {}, "docs/reference/mechanisms/per-server-drf.md"},
    {Property::resource_monotonicity, false, {}, "as DRF, which it is on one server"},
};

constexpr Accepts per_server_drf_accepted() {
  Accepts accepts = kServersAccept;
  accepts.caps = false;
  return accepts;
}

std::vector<Index> users_of(const numerics::ServerRows& rows, Index server) {
  std::vector<Index> users;
  for (Index n = 0; n < rows.rows(); ++n) {
    if (rows.alone(n, server) > 0) users.push_back(n);
  }
  return users;
}

ServerShares fill_each(const MergedServers& merged) {
  const numerics::ServerRows& rows = merged.rows;
  ServerShares shares{
      .tasks = Eigen::ArrayXXd::Zero(rows.rows(), rows.servers()), .prices = {}, .certificate = {}};
  numerics::SolveReport worst{.error = 0, .stop = numerics::Stop::target, .iterations = 0};
  for (Index i = 0; i < rows.servers(); ++i) {
    const std::vector<Index> users = users_of(rows, i);
    const ArrayXd slope = merged.weight(users) * rows.alone.col(i)(users);
    const Eigen::ArrayXXd demand = rows.demand_on(i)(users, Eigen::all);
    const numerics::WaterLevels levels = numerics::fill_with_water(
        demand, rows.capacity.row(i).transpose(), ArrayXd(),
        [&](Index first, Eigen::Ref<ArrayXd> rates) { rates = slope.segment(first, rates.size()); });
    shares.tasks.col(i)(users) = levels.amount;
    if (!(levels.report.error <= worst.error)) worst = levels.report;
  }
  shares.status = status_of(worst, Status::exact);
  shares.certificate = {.kind = "saturation-residual", .value = worst.error};
  return shares;
}

Result<Outcome> allocate_per_server_drf(const Problem& problem, const Choice& choice, const Execution&) {
  return share_servers(problem, choice, MergeUsers::parallel, fill_each);
}

}  // namespace

Mechanism per_server_drf_row() {
  return {
      .name = "per-server-drf",
      .aliases = {},
      .scope = Scope::each_server,
      .title = "DRF on every server for itself (naive)",
      .summary =
          "Runs DRF on each server among its eligible users, blind to what they have elsewhere: a baseline.",
      .yardstick = "γ_{n,i}",
      .alpha = "∞",
      .source = "Wang, Li and Liang, 2013, introduction",
      .accepts = per_server_drf_accepted(),
      .options = {},
      .claims = kPerServerDrfClaims,
      .objective = "on every server for itself: the lowest share x_{n,i} / (φ_n γ_{n,i}), then the next",
      .allocate = allocate_per_server_drf};
}

}  // namespace mirab
