#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/level_basis.hpp"
#include "numerics/level_limits.hpp"
#include "numerics/level_pricing.hpp"

namespace mirab::numerics {

/// max t under Σ_i x_{n,i} = min(cap_n, unit_n t) for the rows n that are active, what they had at t when
/// they were fixed for the others, Σ_n x_{n,i} d_{n,i,r} ≤ c_{i,r}, x ≥ 0, x only where a row may go; in
/// rounds, as rows are fixed.
class LevelSimplex {
 public:
  /// At level 0 everybody is active, and on its key: a server where it may go, [n]. `unit` is [n] > 0. `rows`
  /// must outlive this.
  LevelSimplex(const ServerRows& rows, const Eigen::ArrayXd& unit, std::vector<Eigen::Index> keys);

  /// Rows that reach their caps are not active any more.
  bool active(Eigen::Index row) const { return basis_.rate()[row] > 0; }
  bool anybody_active() const { return active_ > 0; }
  double level() const { return level_ * scale_; }
  int pivots() const { return pivots_; }

  /// Raises the level until prices show that it is the highest, or nobody is active. False when it gives up.
  /// Each pivot O(K m² + (K m)²) and a part of O(N K m); there are usually fewer than 2 (N + K m).
  bool raise();

  /// λ ≥ 0 of the level, [i][r] per unit of capacity, scaled somehow: all 0 when capacities hold nobody back.
  Eigen::ArrayXXd price() const;

  /// Active rows among these keep what they have from now on. After raise().
  void fix(const std::vector<Eigen::Index>& rows);

  /// x, [n][i], within the capacities up to rounding.
  Eigen::ArrayXXd amount() const;

 private:
  double next_cap() const;
  void reach_caps();
  double key_value(Eigen::Index row) const;
  void refresh();
  void find_limits(const LevelVariable& entering, const Eigen::VectorXd& alpha);
  bool enter(const LevelVariable& entering);
  void leave_key(Eigen::Index row, const LevelVariable& entering, const Eigen::VectorXd& alpha, double value);
  bool raise_by(const std::vector<LevelVariable>& candidates);
  void find_price();

  const ServerRows* rows_;
  double scale_;  // the level that t = 1 means
  LevelBasis basis_;
  LevelPricing pricing_;
  Eigen::VectorXd value_;  // of the basic variables, [position]
  double level_ = 0;
  Eigen::Index active_;
  Eigen::ArrayXd cap_;                // the level of a row at its cap, [n]
  std::vector<Eigen::Index> by_cap_;  // rows, the lowest first
  std::size_t next_ = 0;              // in by_cap_
  Eigen::ArrayXXd price_;
  LevelLimits limits_;               // of the present step
  std::vector<Eigen::Index> split_;  // rows with more basic shares than the key, in the present step
  Eigen::ArrayXd fall_;              // of their keys, [n]
  int pivots_ = 0;
  int since_refresh_ = 0;
};

}  // namespace mirab::numerics
