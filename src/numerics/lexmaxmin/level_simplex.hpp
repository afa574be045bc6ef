#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "numerics/base/big_float.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/lexmaxmin/level_basis.hpp"

namespace mirab::numerics {

/// Who leaves the basis: the variable at a position, or the key of a row; neither when a step is not limited.
struct LeavingVariable {
  Eigen::Index position = -1;
  Eigen::Index row = -1;
};

/// What limits a step of the simplex method of levels, collected one after the other.
template <class Number>
class LevelLimitsOf {
 public:
  struct Step {
    Number length;
    LeavingVariable leaving;
  };

  void clear();

  /// A basic variable that falls by `fall` a unit of step, or rises where it is < 0, and may fall by `value`.
  /// Both count in `size` > 0: what is much for it.
  void add(const Number& value, const Number& fall, const Number& size, const LeavingVariable& leaving);

  /// The longest step that keeps all of them, and no longer than `max_length`. Linear in the limits.
  Step longest_step(const Number& max_length, const LevelTuning& tuning = {}) const;

 private:
  struct Limit {
    Number value, fall;
    LeavingVariable leaving;
  };
  std::vector<Limit> limits_;
  Number largest_ = 0;  // change of all
};

using LevelLimits = LevelLimitsOf<double>;

/// Looks for variables by which the level of a LevelBasis can rise, going round the rows block by block.
template <class Number>
class LevelPricingOf {
 public:
  /// `rows` must outlive this.
  explicit LevelPricingOf(const ServerRowsOf<Number>& rows, const LevelTuning& tuning = {})
      : rows_(&rows), tuning_(tuning) {}

  /// By how much t rises per unit of a slack or share: below 0 for most. The price is λ, [i][r]. O(m).
  Number gain(const LevelBasisOf<Number>& basis, const TableOf<Number>& price,
              const LevelVariable& variable) const;

  /// Whether such a gain is one, and not rounding, for all that a row has at this level. `worth` is Σ |λ| c.
  bool worthwhile(const LevelBasisOf<Number>& basis, const Number& level, const TableOf<Number>& price,
                  const Number& worth, const LevelVariable& variable) const;

  /// Some of those that are worthwhile, the best first; at least one unless there is none: then the basis is
  /// optimal. O(N K m), less when many are.
  std::vector<LevelVariable> entering(const LevelBasisOf<Number>& basis, const Number& level,
                                      const TableOf<Number>& price, const Number& worth);

 private:
  struct Found {
    Number gain;
    LevelVariable variable;
  };

  Number cost(const LevelBasisOf<Number>& basis, const TableOf<Number>& price, Eigen::Index row,
              Eigen::Index server) const;
  void add_slacks(const LevelBasisOf<Number>& basis, const Number& level, const TableOf<Number>& price,
                  const Number& worth, std::vector<Found>& found) const;
  void add_shares(const LevelBasisOf<Number>& basis, const Number& level, const TableOf<Number>& price,
                  const Number& worth, Eigen::Index first, std::vector<Found>& found);

  const ServerRowsOf<Number>* rows_;
  LevelTuning tuning_;
  Eigen::Index block_ = 0;  // where the search goes on
  TableOf<Number> costs_;   // of the rows of a block, [row][i]
};

using LevelPricing = LevelPricingOf<double>;

/// λ_i·d_{n,i}, infinite where row n may not go, [n][i]. O(NKm).
template <class Number>
TableOf<Number> level_costs(const ServerRowsOf<Number>& rows, const TableOf<Number>& price);

/// max t under Σ_i x_{n,i} = min(cap_n, unit_n t) for the rows n that are active, what they had at t when
/// they were fixed for the others, Σ_n x_{n,i} d_{n,i,r} ≤ c_{i,r}, x ≥ 0, x only where a row may go; in
/// rounds, as rows are fixed.
template <class Number>
class LevelSimplexOf {
  using Vector = Eigen::Vector<Number, Eigen::Dynamic>;

 public:
  /// At level 0 everybody is active, and on its key: a server where it may go, [n]. `unit` is [n] > 0. `rows`
  /// must outlive this.
  LevelSimplexOf(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit,
                 std::vector<Eigen::Index> keys, const LevelTuning& tuning = {});

  /// Rows that reach their caps are not active any more.
  bool active(Eigen::Index row) const { return basis_.rate()[row] > 0; }
  bool anybody_active() const { return active_ > 0; }
  Number level() const { return level_ * scale_; }
  int pivots() const { return pivots_; }

  /// Goes on from these totals, within the capacities, whatever its rows had to do before: row n is to get
  /// by_n ≥ 0 more at t = 1, and raise() ends there. Caps are for the caller to keep from now on. O(N m + (K
  /// m)²).
  void grow(const ArrayOf<Number>& from, const ArrayOf<Number>& by);

  /// How far that got: t, 1 at most; and whether capacities let it get there.
  const Number& part() const { return level_; }
  bool got_there() const { return basis_.level_position() < 0; }

  /// It gives up after this number of multiplications in all, those with 0 not counted.
  void stop_after(double multiplications) { max_work_ = multiplications; }

  /// Raises the level until prices show that it is the highest, or no row is active: Stop::target. Rounding
  /// can stall it, and the limit of pivots can be reached. Each pivot O(K m² + (K m)²) and a part of O(N K
  /// m); there are usually fewer than 2 (N + K m), and some 20 (N + K m) where a hundred servers all
  /// differ.
  Stop raise();

  /// λ ≥ 0 of the level, [i][r] per unit of capacity, scaled somehow: all 0 when capacities hold no row back.
  TableOf<Number> price() const;

  /// Where λ may be above 0 in exact numbers, [i][r], while the level is the highest.
  TableOf<bool> priced() const;

  /// Active rows among these keep what they have from now on. After raise().
  void fix(const std::vector<Eigen::Index>& rows);

  /// x, [n][i], within the capacities up to rounding.
  TableOf<Number> amount() const;

 private:
  void drop_level();
  Number next_cap() const;
  void reach_caps();
  Eigen::Index refresh_every() const;
  void refresh();
  void find_limits(const LevelVariable& entering, const Vector& alpha);
  bool enter(const LevelVariable& entering);
  void leave_key(Eigen::Index row, const LevelVariable& entering, const Vector& alpha, const Number& value);
  bool raise_by(const std::vector<LevelVariable>& candidates);
  void find_price();

  const ServerRowsOf<Number>* rows_;
  LevelTuning tuning_;
  Number scale_;  // the level that t = 1 means
  LevelBasisOf<Number> basis_;
  LevelPricingOf<Number> pricing_;
  Vector value_;  // of the basic variables, [position]
  Number level_ = 0;
  Number end_ = infinity_of<Number>();  // of t, with grow()
  Eigen::Index active_;
  ArrayOf<Number> cap_;               // the level of a row at its cap, [n]
  std::vector<Eigen::Index> by_cap_;  // rows, the lowest first
  std::size_t next_ = 0;              // in by_cap_
  TableOf<Number> price_;
  Number worth_ = 0;                  // Σ |λ| c of them
  LevelLimitsOf<Number> limits_;      // of the present step
  std::vector<Eigen::Index> split_;   // rows with more basic shares than the key, in the present step
  ArrayOf<bool> is_split_;            // while they are collected, [n]
  ArrayOf<Number> key_value_, fall_;  // of their keys, [n]
  int pivots_ = 0;
  double work_ = 0;  // multiplications
  double max_work_ = kInfinity;
  Eigen::Index since_refresh_ = 0;
};

using LevelSimplex = LevelSimplexOf<double>;

/// For every row a server where it may go, on which LevelSimplex does well to begin: where rows cost about
/// the least under the prices of an eighth of them, and of such servers those that fill up last. [n]; `unit`
/// is [n] > 0. O(N K m), and the first round of an eighth of the rows.
std::vector<Eigen::Index> starting_keys(const ServerRows& rows, const Eigen::ArrayXd& unit,
                                        const LevelTuning& tuning = {});

/// The same where it is known what rows are to have, [n] > 0: of all servers where a row may go the one that
/// is lowest full with it, one row after the other. O(N K m).
std::vector<Eigen::Index> keys_by_room(const ServerRows& rows, const Eigen::ArrayXd& amount,
                                       const LevelTuning& tuning = {});

}  // namespace mirab::numerics
