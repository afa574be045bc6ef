#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Constants of raise_levels(). What is near 0 in doubles is its eighth power in BigFloat (big_float.hpp).
struct LevelTuning {
  // The basis.
  /// of Σ |λ| |W| |W⁻¹|: rounding of a worth. Derived: some 50 roundings of 2e-16.
  double worth_noise = 1e-14;
  /// of the largest worth: with more noise nothing is known to be 0. Harmless from 1e-11 to 1e-7.
  double max_noise = 1e-9;
  /// of the largest worth: in BigFloat less is rounding. Derived: its eighth power is the 160th digit of
  /// 192. In doubles so little may be meant.
  double min_worth = 1e-20;
  /// of a sum: smaller parts may be lost in its rounding. Harmless from 1e-12 to 1e-8.
  double lost_part = 1e-10;
  // The ratio test.
  /// by which a value may fall below 0 for a larger pivot. Harmless from 1e-15 to 1e-11.
  double slip = 1e-13;
  /// of a unit: what has less counts as so much, where rows have nothing yet. Harmless from 1e-5 to 1.
  double smallest = 1e-3;
  double flat = 1e-12;  ///< of the largest change: smaller ones are rounding. Harmless from 1e-14 to 1e-10.
  // Pricing.
  Eigen::Index priced_rows = 256;  ///< of a block. Harmless from 16 to 4096.
  std::size_t enough = 64;         ///< candidates that end the search. Harmless from 8 to 512.
  std::size_t kept = 32;           ///< candidates that are tried at most. Harmless from 1 to 512.
  double cheaper = 1e-12;          ///< of a key's cost: less is no gain. Harmless from 1e-14 to 1e-10.
  /// of what all capacities are worth: less is no gain. Harmless up to 1e-13.
  double no_gain = 1e-15;
  double negative = 1e-13;  ///< of the same: less is no price below 0. Harmless from 1e-15 to 1e-11.
  // Pivots.
  /// pivots. Derived: O((K m)³) then cost no more than the pivots themselves when K m ≤ 64. Harmless from 8
  /// to 256.
  Eigen::Index refresh_every = 64;
  /// capacities: from here on a pivot costs more than a search or two, so that one candidate of a search is
  /// tried; and W⁻¹ is computed again every K m pivots. Measured: 10,400 pivots in 1.1 s for 100 rows and 400
  /// capacities, 18,500 in 4 s without.
  Eigen::Index large_from = 200;
  Eigen::Index min_pivots = 1'000;  ///< a round may take, and
  /// for each row and capacity. Harmless from 30: fewer than 2 are usual. Measured: 16 to 22 where a hundred
  /// or two hundred servers with 4 resources all differ.
  Eigen::Index pivots_each = 100;
  // The start.
  Eigen::Index sample_every = 8;  ///< row is in the sample. Harmless from 2 to 32.
  /// rows. Measured: 31 problems take 1,568 pivots, 2,551 without a sample. Harmless from 64 to 4096.
  Eigen::Index sampled_from = 256;
  /// times the lowest cost, within which room decides. Measured: 1,568 pivots, 2,630 with 1, 1,443 with
  /// 1.2.
  double about_same = 1.02;
  // Rounds.
  double fixed_within = 1e-5;  ///< a row that can gain less is saturated. Harmless from 1e-7 to 1e-4.
  /// times the lowest gain, when no row is saturated. Harmless from 2 to 100.
  double near_lowest = 10;
  double below_cap = 1 - 2e-15;  ///< Derived: ten roundings, so that no sum of parts passes a cap.
  // The bound.
  /// above the lowest cost in doubles: perhaps lower. Derived as worth_noise.
  double about_cheapest = 1e-14;
  /// of C·λ: rounding of a gap. Derived: 200 roundings of a 64-bit mantissa, 5e-20 each.
  double of_worth = 1e-17;
  double of_total = 5e-16;  ///< Derived: two roundings of a total in doubles.
  /// of the lowest cost: a server so little above it may be as cheap. Harmless from 1e-11 to 1e-7.
  double as_cheap = 1e-9;
  // BigFloat.
  /// multiplications, those with 0 not counted: a limit on time, about ten seconds. Measured: 0.12 µs each,
  /// on a machine that was busy.
  double big_work = 1e8;
  /// of all multiplications are not with 0: an estimate. Measured: a quarter for 60 rows and 200 capacities,
  /// nearly all where a hundred servers all differ.
  double big_filled = 0.25;
  double big_passes = 30;  ///< over all rows and capacities, in all rounds: an estimate.
  /// of the bound, for a lexicographic max-min to be exact. What misses it in
  /// doubles is repeated in BigFloat, so that the largest roundings of doubles decide, and not this.
  Accuracy accuracy{.target = 1e-8, .accepted = 1e-8};
};

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
/// a working matrix W is kept, and N appears nowhere. A capacity of 0, which no row can use, is left with
/// q = 1. Capacities are numbered i + K r.
template <class Number>
class LevelBasisOf {
 public:
  using Kind = LevelVariable::Kind;
  using Vector = Eigen::Vector<Number, Eigen::Dynamic>;

  /// All slacks are basic, floors and rates 0. `unit` is what y = 1 means, in units of the row, [n] > 0; the
  /// keys are servers to which the rows may go, [n]. `rows` must outlive this.
  LevelBasisOf(const ServerRowsOf<Number>& rows, ArrayOf<Number> unit, std::vector<Eigen::Index> keys,
               const LevelTuning& tuning = {});

  Eigen::Index order() const { return inverse_.rows(); }
  const LevelVariable& basic(Eigen::Index position) const {
    return basics_[static_cast<std::size_t>(position)];
  }
  Eigen::Index key(Eigen::Index row) const { return keys_[static_cast<std::size_t>(row)]; }
  /// Where t stands among the basic variables; -1 when it does not.
  Eigen::Index level_position() const { return level_position_; }
  const ArrayOf<Number>& floor() const { return floor_; }
  const ArrayOf<Number>& rate() const { return rate_; }
  /// What a row has at a level.
  Number total(Eigen::Index row, const Number& level) const { return floor_[row] + rate_[row] * level; }
  /// The same as a measure of what is much for the row: `smallest` at least.
  Number size(Eigen::Index row, const Number& level) const {
    return std::max<Number>(total(row, level), smallest_);
  }
  const Number& smallest() const { return smallest_; }
  void set_smallest(const Number& smallest) { smallest_ = smallest; }
  const ArrayOf<Number>& unit() const { return unit_; }
  /// d_{n,i,r} of a unit of the row in the program, y_{n,i} = 1.
  Number demand(Eigen::Index row, Eigen::Index server, Eigen::Index resource) const {
    return unit_[row] * rows_->demand_on(server)(row, resource);
  }

  /// A row's right side; t must not be basic.
  void set_row(Eigen::Index row, const Number& floor, const Number& rate);
  /// What t takes, summed again: rows that were set leave rounding, which looks like a demand where no row
  /// has one. O(N m).
  void sum_rates();

  /// What a unit of a variable that is not basic takes from the basic ones, [K m]: W⁻¹ of its column.
  /// O(K m²); O((K m)²) for t.
  Vector in_basis(const LevelVariable& variable) const;

  /// λ_{i,r} c_{i,r} that prove max t, [i][r]: what t would gain by more of each capacity. t must be basic.
  TableOf<Number> worth() const;
  /// Where λ may be above 0 when the basis is optimal, [i][r]; t must be basic. What is left over costs
  /// nothing, and a row that is split costs the same wherever it is: that tells most, without numbers. A
  /// worth within what rounding makes of 0 is 0, unless some row pays parts that rounding hides. O((K m)² m)
  /// at worst.
  TableOf<bool> priced() const;

  /// `entering`, alpha in this basis, takes the position of another one. O((K m)²).
  void exchange(Eigen::Index position, const LevelVariable& entering, const Vector& alpha);
  /// The share at the position becomes its row's key and the key takes the position. O((K m)²).
  void swap_key(Eigen::Index position);
  /// A share, alpha in this basis, becomes the key of its row, no other share of which but the key is basic;
  /// the old key is not basic any more. O((K m)²).
  void replace_key(const LevelVariable& entering, const Vector& alpha);

  /// Computes everything again. O((K m)³ + N m).
  void refresh();

  /// The values of the K m basic variables when t, unless it is one of them, has this value. O(N m + (K m)²).
  Vector values(const Number& level) const;

 private:
  using RowMajor = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void add_use(Eigen::Index row, Eigen::Index server, const Number& amount, Vector& sum) const;
  bool may_cost(const TableOf<bool>& priced, Eigen::Index row, Eigen::Index server) const;
  void spread_free(TableOf<bool>& priced) const;
  TableOf<Number> worth_noise() const;
  bool loses_parts(const TableOf<Number>& worth) const;
  Vector column(const LevelVariable& variable) const;

  const ServerRowsOf<Number>* rows_;
  LevelTuning tuning_;
  ArrayOf<Number> unit_, floor_, rate_;  // [n]
  TableOf<Number> per_capacity_;         // 1 / c, 0 where c is 0, [i][r]
  std::vector<Eigen::Index> keys_;       // [n]
  std::vector<LevelVariable> basics_;    // [position]
  Eigen::Index level_position_ = -1;
  Number smallest_ = 0;
  RowMajor inverse_;  // W⁻¹, [position][capacity]
  Vector level_use_;  // Σ_n rate_n a_{n,key}
};

using LevelBasis = LevelBasisOf<double>;

}  // namespace mirab::numerics
