#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// A variable of the linear program of levels: t, q_{i,r} or y_{n,i}.
struct LevelVariable {
  enum class Kind { level, slack, share };
  Kind kind = Kind::level;
  Eigen::Index row = -1;       ///< n of a share
  Eigen::Index server = -1;    ///< i of a slack or share
  Eigen::Index resource = -1;  ///< r of a slack
};

/// A basis of the linear program of levels, N rows and K m capacities,
///
///     Σ_i y_{n,i} = floor_n + rate_n t           y ≥ 0
///     Σ_n a_{n,i,r} y_{n,i} + q_{i,r} = 1        q ≥ 0,  a_{n,i,r} = unit_n d_{n,i,r} / c_{i,r}
///
/// in which one basic variable of every row, its key, is kept apart from K m others: of these the inverse of
/// a working matrix W is kept, and N appears nowhere. A capacity of 0, which nobody can use, is left with
/// q = 1. Capacities are numbered i + K r.
class LevelBasis {
 public:
  using Kind = LevelVariable::Kind;

  /// All slacks are basic, floors and rates 0. `unit` is what y = 1 means, in units of the row, [n] > 0; the
  /// keys are servers to which the rows may go, [n]. `rows` must outlive this.
  LevelBasis(const ServerRows& rows, Eigen::ArrayXd unit, std::vector<Eigen::Index> keys);

  Eigen::Index order() const { return inverse_.rows(); }
  const LevelVariable& basic(Eigen::Index position) const {
    return basics_[static_cast<std::size_t>(position)];
  }
  Eigen::Index key(Eigen::Index row) const { return keys_[static_cast<std::size_t>(row)]; }
  /// Where t stands among the basic variables; -1 when it does not.
  Eigen::Index level_position() const { return level_position_; }
  const Eigen::ArrayXd& floor() const { return floor_; }
  const Eigen::ArrayXd& rate() const { return rate_; }
  /// What a row has at a level.
  double total(Eigen::Index row, double level) const { return floor_[row] + rate_[row] * level; }
  const Eigen::ArrayXd& unit() const { return unit_; }
  /// d_{n,i,r} of a unit of the row in the program, y_{n,i} = 1.
  double demand(Eigen::Index row, Eigen::Index server, Eigen::Index resource) const {
    return unit_[row] * rows_->demand_on(server)(row, resource);
  }

  /// A row's right side; t must not be basic.
  void set_row(Eigen::Index row, double floor, double rate);
  /// What t takes, summed anew: rows that were set leave rounding, which looks like a demand where nobody has
  /// one. O(N m).
  void sum_rates();

  /// What a unit of a variable that is not basic takes from the basic ones, [K m]: W⁻¹ of its column.
  /// O(K m²); O((K m)²) for t.
  Eigen::VectorXd in_basis(const LevelVariable& variable) const;

  /// λ_{i,r} c_{i,r} that prove max t, [i][r]: what t would gain by more of each capacity. t must be basic.
  Eigen::ArrayXXd worth() const;

  /// `entering`, alpha in this basis, takes the position of another one. O((K m)²).
  void exchange(Eigen::Index position, const LevelVariable& entering, const Eigen::VectorXd& alpha);
  /// The share at the position becomes its row's key and the key takes the position. O((K m)²).
  void swap_key(Eigen::Index position);
  /// A share, alpha in this basis, becomes the key of its row, no other share of which but the key is basic;
  /// the old key is not basic any more. O((K m)²).
  void replace_key(const LevelVariable& entering, const Eigen::VectorXd& alpha);

  /// Computes all anew. O((K m)³ + N m).
  void refresh();

  /// The values of the K m basic variables when t, unless it is one of them, has this value. O(N m + (K m)²).
  Eigen::VectorXd values(double level) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void add_use(Eigen::Index row, Eigen::Index server, double amount, Eigen::Ref<Eigen::VectorXd> sum) const;
  Eigen::VectorXd column(const LevelVariable& variable) const;

  const ServerRows* rows_;
  Eigen::ArrayXd unit_, floor_, rate_;  // [n]
  Eigen::ArrayXXd per_capacity_;        // 1 / c, 0 where c is 0, [i][r]
  std::vector<Eigen::Index> keys_;      // [n]
  std::vector<LevelVariable> basics_;   // [position]
  Eigen::Index level_position_ = -1;
  RowMajor inverse_;           // W⁻¹, [position][capacity]
  Eigen::VectorXd level_use_;  // Σ_n rate_n a_{n,key}
};

}  // namespace mirab::numerics
