// Progressive filling down a tree, over servers: what ends a step besides the tree is a linear program.
//
// Source: docs/explanation/teams.md; docs/explanation/mathematics.md, section 4, with t φ_n u_n replaced by
// x_n + δ rate_n. Limits, reserves and charges are bounds of totals, so that the tree knows where they end a
// step; the servers are the linear program. Totals are fixed, placements are not. At the end of a step that
// servers have stopped, prices λ ≥ 0 and π_n = min_i λ_i·d_n show that no row with π_n > 0 can have more than
// gap / π_n more, gap = C·λ - Σ_n x_n π_n, while all others keep what they have. Such rows are frozen,
// whether they grow or not. Where prices are ambiguous some of the stopped rows are found later: they end the
// next step before it begins, so that nothing comes of it, and prices exist that show one of them.
//
// Known failure: doubles only. A row whose tasks take less than 1e-9 of what it competes for is lost in the
// rounding of the others, as in the simplex method of levels; the bound says so.
#include <algorithm>
#include <utility>

#include "numerics/hierarchy/tree_filling.hpp"
#include "numerics/lexmaxmin/level_simplex.hpp"
#include "numerics/lexmaxmin/levels.hpp"

namespace mirab::numerics {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

class OverServers {
 public:
  OverServers(const RowTree& tree, const ServerRows& rows)
      : rows_(rows),
        pool_((rows.capacity > 0).any() ? pool_of(rows) : ArrayXd::Ones(rows.resources())),
        filling_(tree, rows.demand[0], pool_),
        unit_(typical()),
        simplex_(rows_, unit_, starting_keys(rows_, unit_, tuning_), tuning_) {
    filling_.look_at_rows();
  }

  TreeOverServers fill() {
    TreeOverServers found;
    while (filling_.find_direction()) {
      const double step = filling_.longest_step();
      const ArrayXd by = step * filling_.rates();
      if ((by <= tuning_.slip * tuning_.smallest * unit_).all()) {
        advance(step, by);
        continue;
      }
      ++found.programs;
      from_ = filling_.amounts();
      simplex_.grow(from_, by);
      const bool ended = simplex_.raise() == Stop::target;
      if (ended && simplex_.got_there()) {
        advance(step, by);
      } else {
        advance(simplex_.part() * step, by);
        stop_rows(by, ended);
      }
    }
    found.amount = placed();
    const ArrayXd total = found.amount.rowwise().sum();
    const double error = std::max(filling_.residual(total), bound(found.amount));
    found.report = report_of(error, tuning_.accuracy, Stop::stalled, simplex_.pivots());
    if (filling_.ran_out_of_steps()) found.report.stop = Stop::limit;
    found.unit = unit_;
    found.rounds = std::move(all_rounds_);
    return found;
  }

 private:
  // Of a resource that no server has, and nobody takes, 1.
  static ArrayXd pool_of(const ServerRows& rows) {
    const ArrayXd sum = rows.capacity.colwise().sum().transpose();
    return (sum > 0).select(sum, 1);
  }

  // What rows would have at the level that all servers together allow if there were no tree.
  ArrayXd typical() const {
    const ArrayXd& rate = filling_.rates_of_levels();
    const ArrayXd wanted = (rows_.demand[0].matrix().transpose() * rate.matrix()).array();
    return rate * (wanted > 0).select(pool_ / wanted, kInfinity).minCoeff();
  }

  // As far as the tree allows. Where that is since a resource is used up on all servers together, it is as if
  // each of them had the same price for it.
  void advance(double step, const ArrayXd& by) {
    std::vector<bool> was_frozen;
    for (Index n = 0; n < by.size(); ++n) was_frozen.push_back(filling_.is_frozen(n));
    filling_.advance(step);
    ArrayXXd price = ArrayXXd::Zero(rows_.servers(), rows_.resources());
    std::vector<Index> stopped;
    for (Index n = 0; n < by.size(); ++n) {
      if (was_frozen[as_size(n)] || !filling_.is_frozen(n)) continue;
      bool is_by_pool = false;
      for (Index r = 0; r < rows_.resources(); ++r) {
        if (rows_.demand[0](n, r) <= 0 || !filling_.is_used_up(r)) continue;
        price.col(r) = 1 / pool_[r];
        is_by_pool = true;
      }
      if (is_by_pool) stopped.push_back(n);
    }
    if (stopped.empty()) return;
    LevelRound<double> round = level_round<double>(rows_, price, price > 0, tuning_);
    round.due = filling_.amounts();
    round.rate = by;
    round.fixed = std::move(stopped);
    all_rounds_.push_back(std::move(round));
  }

  void stop_rows(const ArrayXd& by, bool ended) {
    const ArrayXXd priced = simplex_.priced().select(simplex_.price(), 0);
    LevelRound<double> round = level_round<double>(rows_, priced, simplex_.priced(), tuning_);
    round.due = filling_.amounts();
    round.rate = by;
    const double gap = ended ? level_gap<double>(rows_, round, round.due, tuning_) : 0;
    const ArrayXd size = round.due.max(tuning_.smallest * unit_);
    const ArrayXd paid = round.cheapest.cast<double>() * size;
    ArrayXd gain = (paid > 0).select(gap / paid, kInfinity);
    if (!ended) gain = (by > 0).select(ArrayXd::Zero(by.size()), kInfinity);
    double nearest = kInfinity;
    for (Index n = 0; n < gain.size(); ++n) {
      if (by[n] > 0) nearest = std::min(nearest, gain[n]);
    }
    const double threshold = std::max(tuning_.fixed_within, tuning_.near_lowest * nearest);
    for (Index n = 0; n < gain.size(); ++n) {
      const bool stopped = gain[n] <= (by[n] > 0 ? threshold : tuning_.fixed_within);
      if (stopped && !filling_.is_frozen(n)) round.fixed.push_back(n);
    }
    filling_.freeze(round.fixed);
    all_rounds_.push_back(round);
    rounds_.push_back(std::move(round));
  }

  // Where the last program left the rows, with the totals of the filling.
  ArrayXXd placed() const {
    ArrayXXd x = simplex_.amount();
    const ArrayXd total = filling_.amounts();
    for (Index n = 0; n < x.rows(); ++n) {
      const double sum = x.row(n).sum();
      if (sum > 0) x.row(n) *= tuning_.below_cap * total[n] / sum;
    }
    for (Index i = 0; i < x.cols(); ++i) scale_to_fit(rows_, i, x.col(i));
    return x;
  }

  // Rows that no program stopped have what the tree let them have.
  double bound(const ArrayXXd& x) const {
    ServerRows rows = rows_;
    rows.cap = x.rowwise().sum();
    for (const LevelRound<double>& round : rounds_) {
      for (const Index n : round.fixed) rows.cap[n] = kInfinity;
    }
    return level_bound<double>(rows, unit_, x, rounds_, tuning_);
  }

  LevelTuning tuning_;
  ServerRows rows_;  // without caps, which the tree keeps
  ArrayXd pool_;
  TreeFilling filling_;
  ArrayXd unit_;
  LevelSimplex simplex_;
  ArrayXd from_;
  std::vector<LevelRound<double>> rounds_;      // that servers ended
  std::vector<LevelRound<double>> all_rounds_;  // and those that all of them together ended
};

}  // namespace

TreeOverServers fill_tree_over_servers(const RowTree& tree, const ServerRows& rows) {
  ServerRows endless = rows;
  endless.cap.resize(0);
  return OverServers(tree, endless).fill();
}

}  // namespace mirab::numerics
