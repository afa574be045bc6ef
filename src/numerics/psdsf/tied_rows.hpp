#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {

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
TiedSystem tied_system(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& levels);

/// Sets the use of every resource. O(pairs m + (Km)²).
void measure_use(TiedSystem& system);

/// A resource that overflows though it stops nobody takes over: it gets the highest level at which rows that
/// demand it stop. Every pair's stop is found again; resources at which nobody stops lose their level.
/// Requires the use to be measured. O(Km pairs) at worst.
void take_over(TiedSystem& system);

/// How far the resources that stop somebody are from full, the others above full; of a capacity.
double imbalance(const TiedSystem& system);

/// Takes the rows out of the system that have one clear winner: every other pair's gap z, and with a cap its
/// k or its t, is more than `window` of the row's tasks. They hold a L there, or their cap, from now on. The
/// others keep the pairs that do not clearly lose. O(pairs m).
void take_out_winners(TiedSystem& system, double window);

/// Gives every row the tasks that it has at the levels on the central path: x_{n,i} z_{n,i} = μ part_{n,i},
/// k_n t_n = μ. Requires μ > 0. O(pairs) for each of some five Newton steps.
void centre(TiedSystem& system, double mu);

}  // namespace mirab::numerics
