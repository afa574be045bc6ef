#pragma once

#include <Eigen/Core>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/classes.hpp>

#include "numerics/server_rows.hpp"

namespace mirab {

/// The cluster as arrays, equal servers and equal users merged: J user classes, K server classes, m
/// resources. What the solvers over servers work on.
struct MergedServers {
  Classes classes;
  numerics::ServerRows rows;        ///< rows are user classes: [j][r], [k][r], [j][k]
  Eigen::ArrayXd weight;            ///< φ of a class, [j]
  Eigen::ArrayXd alone_everywhere;  ///< Σ_k γ_{j,k}, placement constraints ignored, [j]: TSF's yardstick
};

/// Merges and lays out. See docs/mathematics.md, section 10. O((N + K) log(N + K) m + J K m).
MergedServers merge_servers(const Problem& problem, MergeUsers users);

/// What a solver over servers found.
struct ServerShares {
  Eigen::ArrayXXd tasks;   ///< x_{j,k} ≥ 0, [j][k]
  Eigen::ArrayXXd prices;  ///< λ_{k,r} per unit, [k][r]; empty where the mechanism has none
  double price_power = 0;  ///< a server that is the part s of its class has the prices s^price_power λ_k
  Status status = Status::exact;
  Certificate certificate;
  std::vector<std::string> notices = {};
};

/// Why a mechanism that has prices does not show them.
inline constexpr std::string_view kPricesLeftOut =
    "the prices at this α are beyond what a double holds, and are left out";

/// Splits the classes back into the problem's users and servers. Without prices, and with a notice, where a
/// double does not hold those of a part.
Outcome outcome_of(const Problem& problem, const MergedServers& merged, const Choice& choice,
                   const ServerShares& shares);

/// The whole way: merges, times `solve(merged)`, which gives a ServerShares, and splits.
template <class Solve>
Outcome share_servers(const Problem& problem, const Choice& choice, MergeUsers users, const Solve& solve) {
  const MergedServers merged = merge_servers(problem, users);
  const auto start = std::chrono::steady_clock::now();
  const ServerShares shares = solve(merged);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Outcome outcome = outcome_of(problem, merged, choice, shares);
  outcome.seconds = spent.count();
  return outcome;
}

}  // namespace mirab
