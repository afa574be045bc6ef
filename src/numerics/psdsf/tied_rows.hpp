#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {

/// Constants of tie_levels().
struct TieTuning {
  // The system.
  /// of a capacity: more and a resource takes over. Harmless from 1e-12 to 1e-7.
  double overflow = 1e-10;
  /// of a level: what takes over begins so much below it. Measured: 84 steps, 146 with 1e-9.
  double below = 1e-12;
  /// in its server's unit, of a resource that has none yet. Harmless from 1.5 to 10.
  double high_level = 3;
  int row_steps = 40;         ///< of Newton on a row. Measured: five are usual.
  double row_solved = 1e-12;  ///< relative. Harmless from 1e-14 to 1e-9.
  // A step.
  /// of the way. Measured: three problems take 84 steps, 166 with 0.9, 86 with 0.999.
  double to_boundary = 0.99;
  /// shorter, and the step goes back to the middle. Harmless from 0.01 to 0.2.
  double short_step = 0.05;
  /// length of a predicted step that says that the middle comes first. Harmless from 0.01 to 0.3.
  double poor_prediction = 0.1;
  double poor_sigma = 0.3;  ///< of the next μ then. Harmless from 0.1 to 0.8.
  double min_sigma = 1e-4;  ///< of the next μ in parts of this one. Harmless from 1e-6 to 1e-2.
  /// of μ, on the diagonal of the levels: keeps it regular. Harmless from 0.01 to 1.
  double level_product = 0.1;
  // The path.
  /// μ, where the path ends. Measured: 84 steps, 203 with 1e-10, 243 with 1e-14: too coarse for the ties,
  /// or lost in rounding.
  double last_product = 1e-12;
  double balanced = 1e-9;       ///< of a capacity, at the end. Harmless from 1e-11 to 1e-7.
  double window = 20;           ///< √μ: a larger gap is a clear defeat. Harmless from 10 to 100.
  double widest_window = 0.1;   ///< of a row's tasks, for rows to leave. Harmless from 0.03 to 0.3.
  double good_step = 0.5;       ///< after which rows may leave. Harmless from 0.2 to 0.9.
  int steps_between = 2;        ///< two times that rows leave. Harmless from 0 to 6.
  Eigen::Index few_rows = 200;  ///< that need not leave. Harmless from 20 to 2000.
  double stuck_step = 1e-3;     ///< counts as none. Harmless from 1e-5 to 1e-2.
  int stuck_steps = 8;          ///< one after the other: then the path ends. Harmless from 4 to 20.
  int max_iterations = 150;     ///< Measured: 28 is the mean of larger problems.
  // Exact ties.
  double weakest_tie = 1e-6;  ///< of a row's tasks. Harmless from 1e-8 to 1e-4.
  double tied = 1e-10;        ///< of a level. Harmless from 1e-12 to 1e-8.
  double nearly_full = 1e-5;  ///< of a capacity: it is meant to be full. Harmless from 1e-7 to 1e-3.
  int settling_rounds = 4;    ///< Harmless from 1 to 10.
};

/// The rows that may be tied between servers, with the complementary pairs x_{n,i} ≥ 0 ⊥ z_{n,i} ≥ 0, z_{n,i}
/// = V_n - a_{n,i} L_{i,g(n,i)}, and k_n ≥ 0 ⊥ t_n = cap_n - X_n ≥ 0, V_n = X_n + k_n. Scaled: a row's x by
/// about its X, levels to about 1, capacities to 1. Pairs of one row lie together.
struct TiedRows {
  // One entry a row.
  std::vector<Eigen::Index> row;    // among the problem's
  std::vector<Eigen::Index> first;  // its pairs are first[n] … first[n + 1] - 1
  std::vector<double> unit;         // one unit of x
  std::vector<double> cap, total, k, t;
  // One entry a pair.
  std::vector<Eigen::Index> server;
  std::vector<Eigen::Index> stop;  // g: the full resource with the lowest level among those demanded, i m + r
  std::vector<double> a, x, z;
  std::vector<double> part;    // rate_{n,i} / max_j rate_{n,j}: what the product x z is in proportion to
  std::vector<double> demand;  // [pair][r]

  Eigen::Index size() const { return static_cast<Eigen::Index>(row.size()); }
  Eigen::Index pairs() const { return static_cast<Eigen::Index>(server.size()); }
};

/// Rows that may be tied, the levels at which they stop, and what the others use. Km levels, j = i m + r.
struct TiedSystem {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  TiedRows rows;
  Eigen::ArrayXd level;      // L, [j]; infinite where r stops nobody
  Eigen::ArrayXd scale;      // one unit of a server's levels, [i]
  Eigen::ArrayXd use;        // of capacities, [j]
  Eigen::ArrayXd fixed_use;  // by capped rows that left, [j]
  Matrix winners;            // use of j by the rows that left, for a unit of level j', [j][j']

  Eigen::Index resources() const { return level.size() / scale.size(); }
  bool stops(Eigen::Index j) const { return level[j] < std::numeric_limits<double>::infinity(); }
  double level_of(std::size_t pair) const { return level[rows.stop[pair]]; }
};

/// All rows of a problem, without tasks. `rate` is [n][i], `levels` [i][r], infinite where a resource is not
/// full. O(N K m).
TiedSystem tied_system(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& levels,
                       const TieTuning& tuning = {});

/// Sets the use of every resource. O(pairs m + (Km)²).
void measure_use(TiedSystem& system);

/// A resource that overflows though it stops nobody takes over: it gets the highest level at which rows that
/// demand it stop. Every pair's stop is found again; resources at which nobody stops lose their level.
/// Requires the use to be measured. O(Km pairs) at worst.
void take_over(TiedSystem& system, const TieTuning& tuning = {});

/// How far the resources that stop somebody are from full, the others above full; of a capacity.
double imbalance(const TiedSystem& system);

/// Takes the rows out of the system that have one clear winner: every other pair's gap z, and with a cap its
/// k or its t, is more than `window` of the row's tasks. They hold a L there, or their cap, from now on. The
/// others keep the pairs that do not clearly lose. O(pairs m).
void take_out_winners(TiedSystem& system, double window);

/// Gives every row the tasks that it has at the levels on the central path: x_{n,i} z_{n,i} = μ part_{n,i},
/// k_n t_n = μ. Requires μ > 0. O(pairs) for each of some five Newton steps.
void centre(TiedSystem& system, double mu, const TieTuning& tuning = {});

}  // namespace mirab::numerics
