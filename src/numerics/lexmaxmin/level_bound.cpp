// The certificate of lexicographic max-min, in both directions.
//
// Source: docs/explanation/mathematics.md, section 4. A round has prices λ ≥ 0, π_n = min_i λ_i·d_{n,i}, and
// a level L for the rows that it fixed. For any λ every feasible y has Σ_n Y_n π_n ≤ C·λ. With what everybody
// is due, D_n = min(X_n, L unit_n), the gap is
//
//     C·λ - Σ_n D_n π_n = Σ λ (c - use) + Σ (cost_{n,i} - π_n) x_{n,i} + Σ (X_n - D_n) π_n,
//
// three sums of terms ≥ 0, and x is right when all of them are 0 in all rounds: what is priced is full,
// everybody is where it costs least, and who pays has no more than L. The gap bounds how much more a row of
// the round can have. That is not enough where ratios are extreme: a row that pays 1e-15 of the worth may
// have any multiple of its level, or sit where others were to have room, and the gap is 1e-15 all the same.
// So the last two sums have to be 0 by which prices may be above 0, and not by how much.
//
// Known failure: what rounding in the lower levels does to the higher ones is estimated to first order, by
// where the tasks of the lower rows may be at no higher cost. In doubles, of 144,000 random clusters with
// amounts over up to 18 orders of magnitude, two were off by more than the bound: by 4e-7 and 4e-8.
#include <algorithm>
#include <utility>

#include "numerics/base/big_float.hpp"
#include "numerics/lexmaxmin/level_simplex.hpp"
#include "numerics/lexmaxmin/levels.hpp"

namespace mirab::numerics {

using Eigen::Index;

// A difference of large sums.
template <class Number>
Number level_gap(const ServerRowsOf<Number>& rows, const LevelRound<Number>& round,
                 const ArrayOf<Number>& total, const LevelTuning& tuning) {
  using Sum = SumOf<Number>;
  Sum worth = 0, paid = 0;
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index r = 0; r < rows.resources(); ++r)
      worth += static_cast<Sum>(rows.capacity(i, r)) * round.price(i, r);
  }
  for (Index n = 0; n < rows.rows(); ++n) paid += round.cheapest[n] * total[n];
  const Sum over = std::max<Sum>(worth - paid, 0);
  return static_cast<Number>(over + static_cast<Sum>(tolerance<Number>(tuning.of_worth)) * worth);
}

namespace {

template <class Number>
ArrayOf<Number> gains(const LevelRound<Number>& round, const Number& gap, const ArrayOf<Number>& total) {
  const ArrayOf<Number> paid = round.cheapest.template cast<Number>() * total;
  return (paid > 0).select(gap / paid, infinity_of<Number>());
}

// What is above a total by the part b of it, as a part of both together: 1 where b is infinite.
template <class Number>
Number of_both(const Number& b) {
  return b < infinity_of<Number>() ? Number(b / (1 + b)) : Number(1);
}

template <class Number>
class BothWays {
 public:
  BothWays(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit, const TableOf<Number>& x,
           const LevelTuning& tuning)
      : tuning_(tuning),
        rows_(rows),
        unit_(unit),
        x_(x),
        total_(x.rowwise().sum()),
        level_(total_ / unit),
        as_cheap_(TableOf<bool>::Constant(x.rows(), x.cols(), false)),
        known_(ArrayOf<bool>::Constant(x.rows(), false)),
        capped_(ArrayOf<bool>::Constant(x.rows(), true)),
        error_(ArrayOf<Number>::Zero(x.rows())),
        off_(ArrayOf<Number>::Ones(x.rows())),
        excess_(ArrayOf<Number>::Zero(x.rows())) {}

  Number largest(const std::vector<LevelRound<Number>>& rounds) {
    for (const LevelRound<Number>& round : rounds) {
      for (const Index n : round.fixed) capped_(n) = false;
    }
    for (const LevelRound<Number>& round : rounds) {
      if (!round.fixed.empty()) add(round);
    }
    for (Index n = 0; n < rows_.cap.size(); ++n) off_[n] = std::min<Number>(off_[n], below_cap(n));
    return off_.max(excess_).maxCoeff();
  }

 private:
  // The part of its cap that a row has not got.
  Number below_cap(Index n) const {
    return rows_.cap.size() > 0 && rows_.cap[n] > total_[n] ? Number(1 - total_[n] / rows_.cap[n])
                                                            : Number(0);
  }

  // The part of its tasks that every row has where somebody of a round was to have them: what is `above` its
  // due in the round where all its servers may cost something, else all that is where it may.
  ArrayOf<Number> taken(const ArrayOf<Number>& above, const TableOf<bool>& priced,
                        const ArrayOf<Number>& size) const {
    ArrayOf<Number> costly = ArrayOf<Number>::Zero(total_.size());
    ArrayOf<bool> may_pay = ArrayOf<bool>::Constant(total_.size(), true);
    for (Index i = 0; i < rows_.servers(); ++i) {
      ArrayOf<bool> may_cost = ArrayOf<bool>::Constant(total_.size(), false);
      for (Index r = 0; r < rows_.resources(); ++r) {
        if (priced(i, r)) may_cost = may_cost || rows_.demand_on(i).col(r) > 0;
      }
      may_pay = may_pay && (may_cost || rows_.alone.col(i) <= 0);
      if (may_cost.any()) costly = may_cost.select(costly + x_.col(i), costly);
    }
    return may_pay.select(above, (costly > 0).select(costly / size, 0));
  }

  // By which part the level of those who are fixed can be off: what is not paid for, and what rows of earlier
  // rounds that are off themselves may have taken or left wherever their tasks may be.
  Number of_level(const LevelRound<Number>& round, const TableOf<Number>& cost, const Number& gap,
                  const ArrayOf<Number>& due, const ArrayOf<Number>& size) const {
    const ArrayOf<Number> dearest = as_cheap_.select(cost, 0).rowwise().maxCoeff();
    Number missing = gap, shared = 0;
    for (Index n = 0; n < due.size(); ++n) {
      if (known_(n)) {
        missing += due[n] * error_[n] * dearest[n];
        continue;
      }
      const Number paid = static_cast<Number>(round.cheapest[n]) * size[n];
      if (capped_(n)) {
        missing += paid * below_cap(n);
      } else {
        shared += paid;
      }
    }
    return shared > 0 ? Number(missing / shared + tolerance<Number>(tuning_.of_total))
                      : infinity_of<Number>();
  }

  void add(const LevelRound<Number>& round) {
    const Number level = level_(round.fixed).minCoeff();
    const bool has_dues = round.due.size() > 0;
    const ArrayOf<Number> due = total_.min(has_dues ? round.due : ArrayOf<Number>(unit_ * level));
    const TableOf<Number> cost = level_costs(rows_, round.price);
    const Number gap = level_gap<Number>(rows_, round, due, tuning_);
    const ArrayOf<Number> least = unit_ * Number(has_dues ? tuning_.smallest : 0);
    const ArrayOf<Number> size = due.max(least);
    const ArrayOf<Number> more = gains<Number>(round, gap, size);
    const Number error = of_level(round, cost, gap, due, size);
    ArrayOf<bool> fixed = ArrayOf<bool>::Constant(due.size(), false);
    for (const Index n : round.fixed) {
      fixed(n) = true;
      error_[n] = error;
      off_[n] = of_both<Number>(std::max(more[n], error));
    }
    const ArrayOf<Number> about =
        round.cheapest.template cast<Number>() * (1 + tolerance<Number>(tuning_.as_cheap));
    for (Index i = 0; i < rows_.servers(); ++i)
      as_cheap_.col(i) = as_cheap_.col(i) || (fixed && cost.col(i) <= about);
    known_ = known_ || fixed;
    ArrayOf<Number> above = (level_ > level).select(1 - level / level_, 0);
    if (has_dues) above = (total_ > due).select((total_ - due) / total_.max(least), 0);
    excess_ = excess_.max(taken(above, round.priced, total_.max(least)));
  }

  const LevelTuning& tuning_;
  const ServerRowsOf<Number>& rows_;
  const ArrayOf<Number>& unit_;
  const TableOf<Number>& x_;
  ArrayOf<Number> total_, level_;
  TableOf<bool> as_cheap_;  // where a task may be by the prices of its row's own round, [n][i]
  ArrayOf<bool> known_;     // fixed by a round that was added
  ArrayOf<bool> capped_;    // fixed by none
  ArrayOf<Number> error_;   // of the levels that are known
  ArrayOf<Number> off_, excess_;
};

}  // namespace

// In doubles costs are rounded: of the servers that are about the cheapest they are added up again.
template <class Number>
LevelRound<Number> level_round(const ServerRowsOf<Number>& rows, TableOf<Number> price, TableOf<bool> priced,
                               const LevelTuning& tuning) {
  const TableOf<Number> cost = level_costs(rows, price);
  ArrayOf<SumOf<Number>> cheapest = cost.rowwise().minCoeff().template cast<SumOf<Number>>();
  if constexpr (std::is_same_v<Number, double>) {
    for (Index n = 0; n < rows.rows(); ++n) {
      const auto about = static_cast<double>((1 + tuning.about_cheapest) * cheapest[n]);
      for (Index i = 0; i < rows.servers(); ++i) {
        if (cost(n, i) > about) continue;
        long double exact = 0;
        for (Index r = 0; r < rows.resources(); ++r)
          exact += static_cast<long double>(rows.demand_on(i)(n, r)) * price(i, r);
        cheapest[n] = std::min(cheapest[n], exact);
      }
    }
  }
  return {
      .price = std::move(price), .priced = std::move(priced), .cheapest = std::move(cheapest), .fixed = {}};
}

template <class Number>
ArrayOf<Number> level_gains(const ServerRowsOf<Number>& rows, const LevelRound<Number>& round,
                            const ArrayOf<Number>& total, const LevelTuning& tuning) {
  return gains(round, level_gap<Number>(rows, round, total, tuning), total);
}

template <class Number>
Number level_bound(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit, const TableOf<Number>& x,
                   const std::vector<LevelRound<Number>>& rounds, const LevelTuning& tuning) {
  return BothWays<Number>(rows, unit, x, tuning).largest(rounds);
}

template LevelRound<double> level_round(const ServerRows&, TableOf<double>, TableOf<bool>,
                                        const LevelTuning&);
template LevelRound<BigFloat> level_round(const ServerRowsOf<BigFloat>&, TableOf<BigFloat>, TableOf<bool>,
                                          const LevelTuning&);
template double level_gap(const ServerRows&, const LevelRound<double>&, const ArrayOf<double>&,
                          const LevelTuning&);
template BigFloat level_gap(const ServerRowsOf<BigFloat>&, const LevelRound<BigFloat>&,
                            const ArrayOf<BigFloat>&, const LevelTuning&);
template ArrayOf<double> level_gains(const ServerRows&, const LevelRound<double>&, const ArrayOf<double>&,
                                     const LevelTuning&);
template ArrayOf<BigFloat> level_gains(const ServerRowsOf<BigFloat>&, const LevelRound<BigFloat>&,
                                       const ArrayOf<BigFloat>&, const LevelTuning&);
template double level_bound(const ServerRows&, const ArrayOf<double>&, const TableOf<double>&,
                            const std::vector<LevelRound<double>>&, const LevelTuning&);
template BigFloat level_bound(const ServerRowsOf<BigFloat>&, const ArrayOf<BigFloat>&,
                              const TableOf<BigFloat>&, const std::vector<LevelRound<BigFloat>>&,
                              const LevelTuning&);

}  // namespace mirab::numerics
