// What a lexicographic max-min is worth when capacities are known from below only.
//
// Source: docs/explanation/mathematics.md, section 4. Let every capacity be C' ≥ C, by at most the part ε.
// For the prices λ of a round, Σ_n Y_n π_n ≤ C'·λ ≤ (1 + ε) C·λ of any y that fits into C'. So when the rows
// of lower rounds have no less than (1 - e_j) X_j each, the level of those that still grow is at most
//
//     e = (ε C·λ + Σ_j e_j X_j cost_j) / Σ_n X_n π_n
//
// above what was found, as a part of it; cost_j is what the row pays where it may be as cheaply as it is.
// In the first round it is ε. A unit that follows from the capacities differs by ε as well.
//
// Known failure: the other direction, and so e_j from the second round on, is an estimate of the first order:
// which prices a round has may change with the capacities. No case beyond it is known
// (tests/mechanisms/merged_servers_test.cpp looks for one at random).
#include <algorithm>
#include <utility>

#include "numerics/lexmaxmin/level_simplex.hpp"
#include "numerics/lexmaxmin/levels.hpp"

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

constexpr double kSameLevel = 1e-6;  // relative: rounds whose prices were ambiguous share a level

class Doubts {
 public:
  Doubts(const ServerRows& rows, const ArrayXd& unit, const ArrayXXd& x, double more,
         const LevelTuning& tuning)
      : rows_(rows),
        unit_(unit),
        total_(x.rowwise().sum()),
        more_(more),
        tuning_(tuning),
        as_cheap_(TableOf<bool>::Constant(x.rows(), x.cols(), false)),
        fixed_(ArrayOf<bool>::Constant(x.rows(), false)),
        growing_(ArrayOf<bool>::Constant(x.rows(), false)),
        off_(ArrayXd::Zero(x.rows())) {}

  std::vector<LevelDoubt> of(const std::vector<LevelRound<double>>& rounds) {
    for (const LevelRound<double>& round : rounds) {
      for (const Index n : round.fixed) growing_(n) = true;
    }
    const ArrayOf<bool> ever_fixed = growing_;
    std::vector<LevelDoubt> doubts;
    double last_level = 0;
    for (const LevelRound<double>& round : rounds) {
      if (round.fixed.empty()) continue;
      const double level = (total_ / unit_)(round.fixed).minCoeff();
      LevelDoubt doubt = add(round, level);
      const bool is_same = !doubts.empty() && round.rate.size() == 0 &&
                           std::abs(level - last_level) <= kSameLevel * last_level;
      if (is_same) {
        LevelDoubt& last = doubts.back();
        last.rows.insert(last.rows.end(), doubt.rows.begin(), doubt.rows.end());
        last.of_level = std::max(last.of_level, doubt.of_level);
        last.of_row = std::max(last.of_row, doubt.of_row);
      } else {
        doubts.push_back(std::move(doubt));
      }
      last_level = level;
    }
    LevelDoubt at_cap{.rows = {}, .of_level = 0, .of_row = 0};
    for (Index n = 0; n < total_.size(); ++n) {
      if (ever_fixed(n)) continue;
      at_cap.rows.push_back(n);
      at_cap.of_level = at_cap.of_row = std::max(at_cap.of_row, std::min(1.0, off_[n]));
    }
    if (!at_cap.rows.empty()) doubts.push_back(std::move(at_cap));
    return doubts;
  }

 private:
  // What is not paid for, and what rows that are off themselves have more or less, at the prices of the
  // round.
  double missing(const LevelRound<double>& round, const ArrayXXd& cost, const ArrayXd& due) const {
    const ArrayXd dearest = as_cheap_.select(cost, 0).rowwise().maxCoeff();
    const ArrayXd paid = round.cheapest.cast<double>() * due;
    const double worth = (rows_.capacity * round.price).sum();
    double sum = more_ * worth + std::max(0.0, worth - paid.sum());
    for (Index n = 0; n < due.size(); ++n) {
      if (!growing_(n)) sum += off_[n] * (fixed_(n) ? due[n] * dearest[n] : paid[n]);
    }
    return sum;
  }

  LevelDoubt add(const LevelRound<double>& round, double level) {
    const bool has_dues = round.due.size() > 0;
    const ArrayXd due = total_.min(has_dues ? round.due : ArrayXd(unit_ * level));
    const ArrayXd rate = round.rate.size() > 0 ? round.rate : unit_;
    const ArrayXXd cost = level_costs(rows_, round.price);
    const ArrayXd cheapest = round.cheapest.cast<double>();
    const double lost = missing(round, cost, due);
    const double shared = growing_.select(rate * cheapest, 0).sum();
    const double step = shared > 0 ? lost / shared : kInfinity;  // by how much the level is off
    const auto with_units = [&](double part) { return (1 + more_) * (1 + part) - 1; };

    LevelDoubt doubt{.rows = round.fixed, .of_level = 0, .of_row = 0};
    for (const Index n : round.fixed) {
      // All that is lost may go to one row, and what the others fall by too.
      const double alone = cheapest[n] > 0 ? 2 * lost / (cheapest[n] * total_[n]) : kInfinity;
      const double of_level = rate[n] > 0 ? rate[n] * step / total_[n] : alone;
      off_[n] = std::max(off_[n], with_units(of_level));
      doubt.of_level = std::max(doubt.of_level, std::min(1.0, of_level));
      doubt.of_row = std::max(doubt.of_row, std::min(1.0, with_units(std::max(of_level, alone))));
    }
    for (Index n = 0; n < due.size(); ++n) {  // a row at its cap may fall short of it
      if (growing_(n) || fixed_(n) || cheapest[n] <= 0 || total_[n] <= 0) continue;
      const double could_have = has_dues ? total_[n] : unit_[n] * level;
      const double part = std::min(1.0, with_units(rate[n] * step / could_have));
      off_[n] = std::max(off_[n], 1 - (1 - part) * could_have / total_[n]);
    }
    for (const Index n : round.fixed) {
      growing_(n) = false;
      fixed_(n) = true;
    }
    const ArrayXd about = cheapest * (1 + tuning_.as_cheap);
    for (Index i = 0; i < rows_.servers(); ++i) {
      for (const Index n : round.fixed) as_cheap_(n, i) = as_cheap_(n, i) || cost(n, i) <= about[n];
    }
    return doubt;
  }

  const ServerRows& rows_;
  const ArrayXd& unit_;
  ArrayXd total_;
  double more_;
  const LevelTuning& tuning_;
  TableOf<bool> as_cheap_;  // where a task may be by the prices of its row's own round, [n][i]
  ArrayOf<bool> fixed_;     // by a round that was added
  ArrayOf<bool> growing_;   // fixed by one that comes
  ArrayXd off_;             // by which part of its total a row may be off
};

}  // namespace

std::vector<LevelDoubt> level_doubts(const ServerRows& rows, const ArrayXd& unit, const ArrayXXd& x,
                                     const std::vector<LevelRound<double>>& rounds, double more,
                                     const LevelTuning& tuning) {
  return Doubts(rows, unit, x, more, tuning).of(rounds);
}

}  // namespace mirab::numerics
