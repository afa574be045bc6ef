#pragma once

#include <Eigen/Core>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/classes.hpp>

#include "mechanisms/registry.hpp"
#include "numerics/base/big_float.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/lexmaxmin/levels.hpp"
#include "numerics/market/equilibrium.hpp"

namespace mirab {

/// The cluster as arrays, equal servers and equal users merged: J user classes, K server classes, m
/// resources.
template <class Number>
struct ServerArraysOf {
  numerics::ServerRowsOf<Number> rows;         ///< rows are user classes: [j][r], [k][r], [j][k]
  numerics::ArrayOf<Number> weight;            ///< φ of a class, [j]
  numerics::ArrayOf<Number> alone_everywhere;  ///< Σ_k γ_{j,k}, placement constraints ignored, [j]: TSF's
                                               ///< yardstick
};

/// What the solvers over servers work on.
struct MergedServers : ServerArraysOf<double> {
  Classes classes;
};

/// Merges and lays out. See docs/explanation/mathematics.md, section 10. O((N + K) log(N + K) m + J K m).
MergedServers merge_servers(const Problem& problem, MergeUsers users);

/// Lays out classes that are merged already. O(N + J K m).
MergedServers lay_out(const Problem& problem, Classes classes);

/// The same arrays in more digits than doubles have, from the decimals as given, of the same classes.
/// O((N + K + J K) m).
ServerArraysOf<numerics::BigFloat> servers_in_full(const Problem& problem, const Classes& classes);

/// What a solver over servers found.
struct ServerShares {
  Eigen::ArrayXXd tasks;   ///< x_{j,k} ≥ 0, [j][k]
  Eigen::ArrayXXd prices;  ///< λ_{k,r} per unit, [k][r]; empty where the mechanism has none
  double price_power = 0;  ///< a server that is the part s of its class has the prices s^price_power λ_k
  Status status = Status::exact;
  Certificate certificate;
  std::vector<std::string> notices = {};
  std::vector<numerics::LevelDoubt> doubts = {};  ///< of Cluster::merged, of user classes; empty: not known
};

/// Why a mechanism that has prices does not show them.
inline constexpr std::string_view kPricesLeftOut =
    "the prices at this α are beyond what a double holds, and are left out";

/// Splits the classes back into the problem's users and servers. Without prices, and with a notice, where a
/// double does not hold those of a part.
Outcome outcome_of(const Problem& problem, const MergedServers& merged, const Choice& choice,
                   const ServerShares& shares);

/// The whole way from what is merged: times `solve(merged)`, which gives a ServerShares, and splits.
template <class Solve>
Outcome share_servers(const Problem& problem, const Choice& choice, const MergedServers& merged,
                      const Solve& solve) {
  const auto start = std::chrono::steady_clock::now();
  const ServerShares shares = solve(merged);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Outcome outcome = outcome_of(problem, merged, choice, shares);
  outcome.seconds = spent.count();
  return outcome;
}

/// The same from the problem.
template <class Solve>
Outcome share_servers(const Problem& problem, const Choice& choice, MergeUsers users, const Solve& solve) {
  return share_servers(problem, choice, merge_servers(problem, users), solve);
}

/// How far the levels of x, [j][k], may be off since alike servers count together (Cluster::merged); empty
/// where they do not. O(J K m) a round.
std::vector<numerics::LevelDoubt> doubts_of_merged(const Problem& problem, const MergedServers& merged,
                                                   const Eigen::ArrayXd& unit, const Eigen::ArrayXXd& x,
                                                   const std::vector<numerics::LevelRound<double>>& rounds);

/// The allocation whose levels X_n / unit_n are lexicographically max-min under the capacities and caps: no
/// level can rise without lowering one that is not higher. `unit` gives φ_n u_n, the tasks for a level of
/// one, [j] > 0, of any ServerArraysOf.
///
/// The certificate `level-bound` is the largest part by which the tasks of any user differ from that, either
/// way, as a part of the larger of the two: 1 at most. The status is `exact` up to 1e-8, else
/// `not_converged`, which only clusters too large for numerics/lexmaxmin/levels.hpp to compute in more digits
/// can be.
template <class Unit>
ServerShares share_by_levels(const Problem& problem, const MergedServers& merged, const Unit& unit) {
  numerics::RaisedLevels levels = numerics::raise_levels(merged.rows, unit(merged), [&] {
    ServerArraysOf<numerics::BigFloat> servers = servers_in_full(problem, merged.classes);
    numerics::ArrayOf<numerics::BigFloat> units = unit(servers);
    return numerics::LevelsInFull{.rows = std::move(servers.rows), .unit = std::move(units)};
  });
  ServerShares shares{.tasks = std::move(levels.amount),
                      .prices = {},
                      .status = status_of(levels.report, Status::exact),
                      .certificate = {.kind = "level-bound", .value = levels.report.error}};
  if (!levels.in_full)
    shares.doubts = doubts_of_merged(problem, merged, unit(merged), shares.tasks, levels.rounds);
  return shares;
}

/// Whose amounts are looked for, and how (numerics/market/equilibrium.hpp).
enum class MarketSolver { path, sweep };

/// The equilibrium of a game among servers, in which each charges its own prices. Tried for to the last
/// digits of a double, 1e-9 from ten thousand placements on; converged from a relative regret of 1e-7. Where
/// the path fails with at most a thousand placements, sweeps are tried too.
/// Without prices, and with a notice, where a double does not hold them. `prices` are per unit of a resource
/// on the whole class. A server that is its part s has s γ and the same X, so that φ^α X^(-α) (s γ)^(α-1) ≤
/// λ·d asks for s^(α-1) of them.
ServerShares solve_market(const numerics::ServerGame& game, MarketSolver solver, int threads);

/// The report of levels with this gap between their use and the bound by prices, which the linear program
/// with this report found. The program's own gap may be larger than what is accepted here.
numerics::SolveReport report_of_levels(double gap, const numerics::SolveReport& program);

}  // namespace mirab
