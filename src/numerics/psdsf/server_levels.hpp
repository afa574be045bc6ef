#pragma once

#include <Eigen/Core>
#include <array>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/psdsf/best_response.hpp"
#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {

/// Constants of level_servers() and level_violation().
struct ServerLevelTuning {
  /// of a capacity, of a row's total, of a cap: a tenth of what is accepted. Derived: what is left out
  /// cannot make an accepted violation a false one.
  double nothing = 1e-9;
  /// of a row and a server. Measured: with 0, 1.6 times the steps of all; with 5000, three quarters of the
  /// time. Harmless.
  Eigen::Index few_pairs = 200;
  int sweeps_of_few = 300;  ///< Harmless from 50 to 1000.
  /// of many: they give the levels from which ties start. Harmless from 2 to 20.
  int first_sweeps = 5;
  /// sweeps, once ties have failed. Measured: with 5, 4 of 64 problems miss; with 300 none. Harmless from
  /// 300 to 20,000.
  int patience = 3000;
  double sweep_work = 1e8;  ///< numbers that those sweeps may look at: a limit on time, about a second.
  /// rows. Measured: 10,000 rows take 0.12 s with a sample, 0.15 s without.
  Eigen::Index sampled_from = 4000;
  Eigen::Index sample_every = 8;  ///< row. Harmless from 4 to 16.
  /// of one try after the other: how far off the levels may be. Measured: the first does for nine in ten.
  std::array<double, 8> centring{1e-2, 1e-3, 1e-1, 1e-4, 3e-2, 3e-3, 3e-1, 1e-5};
  SweepTuning sweep = {};
  TieTuning tie = {};
};

/// How far x is from the level form, relative: the largest of 1 - X_n / (rate_{n,i} M_{n,i}) over rows below
/// their cap, of overuse, and of tasks over a cap; M_{n,i} = min_{r: d_{n,r} > 0} L_{i,r}, L_{i,r} = max of
/// X_n / rate_{n,i} over the rows on i that demand r, infinite unless r is full. `x` and `rate` are [n][i];
/// rate is 0 where a row may not go. Infinite where an x is negative or no number. A part below `nothing`
/// counts as none: of a capacity left free, of a row's total, of a cap. O(N K m).
double level_violation(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& x,
                       double nothing = ServerLevelTuning{}.nothing);

/// N rows on K servers, each of which fills itself by levels. m resources.
struct [[nodiscard]] ServerLevels {
  SolveReport report;      ///< error: level_violation(); iterations: of tie_levels
  Eigen::ArrayXXd x;       ///< ≥ 0, [n][i]
  Eigen::ArrayXXd levels;  ///< that x was found with, [i][r]; infinite where r stops nobody on i
  int sweeps = 0;          ///< of best responses
};

/// An x such that every server i fills by a common level for what the others do: row n rises there from
/// Σ_{j ≠ i} x_{n,j} with slope rate_{n,i} = weight_n alone_{n,i} until a resource that it demands is full.
/// The violation is at most the target, or the least that was found; x fits the servers and caps in any case,
/// but for rounding.
/// Deterministic; not the only solution. Requires weight > 0. Cost: best_response.hpp and tied_levels.hpp.
ServerLevels level_servers(const ServerRows& rows, const Eigen::ArrayXd& weight, const Accuracy& accuracy,
                           const ServerLevelTuning& tuning = {});

}  // namespace mirab::numerics
