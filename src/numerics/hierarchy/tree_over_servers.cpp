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
// Most steps end in the tree: a user has all its tasks, a member reaches another. Totals only grow, so
// servers that hold what rows have after the last of several such steps hold it after each of them, and one
// program tells. After a step that the tree has ended 2 more are tried together, then 4, and so on; where
// servers do not hold these, half as many.
//
// Known failure: doubles only. A row whose tasks take less than 1e-9 of what it competes for is lost in the
// rounding of the others, as in the simplex method of levels; the bound says so.
#include <algorithm>
#include <cstddef>
#include <optional>
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
        filling_(std::in_place, tree, rows_.demand[0], pool_),
        unit_(typical()),
        simplex_(rows_, unit_, keys_by_room(rows_, at_the_end(), tuning_), tuning_) {
    filling_->look_at_rows();
  }

  TreeOverServers fill() {
    while (filling_->find_direction()) {
      const double step = filling_->longest_step();
      const ArrayXd by = step * filling_->rates();
      if (servers_hold(filling_->amounts(), by)) {
        advance(step, by);
        go_ahead();
      } else {
        advance(simplex_.part() * step, by);
        stop_rows(by);
      }
    }
    TreeOverServers found;
    found.programs = programs_;
    found.amount = placed();
    const ArrayXd total = found.amount.rowwise().sum();
    const double error = std::max(filling_->residual(total), bound(found.amount));
    found.report = report_of(error, tuning_.accuracy, Stop::stalled, pivots_);
    if (filling_->ran_out_of_steps()) found.report.stop = Stop::limit;
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

  // What rows would have if servers held all that the tree allows.
  ArrayXd at_the_end() const {
    TreeFilling filling = *filling_;
    filling.look_at_rows();
    while (filling.find_direction()) filling.advance(filling.longest_step());
    return filling.amounts().max(tuning_.smallest * unit_);
  }

  // What rows would have at the level that all servers together allow if there were no tree.
  ArrayXd typical() const {
    const ArrayXd& rate = filling_->rates_of_levels();
    const ArrayXd wanted = (rows_.demand[0].matrix().transpose() * rate.matrix()).array();
    return rate * (wanted > 0).select(pool_ / wanted, kInfinity).minCoeff();
  }

  // Whether servers hold so much more. Where they do not, the simplex stands at the part that they hold.
  bool servers_hold(const ArrayXd& from, const ArrayXd& by) {
    if ((by <= tuning_.slip * tuning_.smallest * unit_).all()) return true;
    const int pivots = simplex_.pivots();
    ++programs_;
    simplex_.grow(from, by);
    ended_ = simplex_.raise() == Stop::target;
    pivots_ += simplex_.pivots() - pivots;
    return ended_ && simplex_.got_there();
  }

  // Several steps of the tree with one program, as long as servers hold at least 2 more.
  void go_ahead() {
    bool held = true;
    for (int steps = 2; steps > 1; steps = held ? 2 * steps : steps / 2) {
      const TreeFilling filling = *filling_;
      const LevelSimplex simplex = simplex_;
      const std::size_t rounds = all_rounds_.size();
      int taken = 0;
      for (; taken < steps && filling_->find_direction(); ++taken) {
        const double step = filling_->longest_step();
        advance(step, step * filling_->rates());
      }
      if (taken == 0) return;
      const ArrayXd from = filling.amounts();
      if (servers_hold(from, (filling_->amounts() - from).max(0))) continue;
      held = false;
      filling_.emplace(filling);
      simplex_ = simplex;
      all_rounds_.erase(all_rounds_.begin() + static_cast<std::ptrdiff_t>(rounds), all_rounds_.end());
    }
  }

  // As far as the tree allows. Where that is since a resource is used up on all servers together, it is as if
  // each of them had the same price for it.
  void advance(double step, const ArrayXd& by) {
    std::vector<bool> was_frozen;
    for (Index n = 0; n < by.size(); ++n) was_frozen.push_back(filling_->is_frozen(n));
    filling_->advance(step);
    ArrayXXd price = ArrayXXd::Zero(rows_.servers(), rows_.resources());
    std::vector<Index> stopped;
    for (Index n = 0; n < by.size(); ++n) {
      if (was_frozen[as_size(n)] || !filling_->is_frozen(n)) continue;
      bool is_by_pool = false;
      for (Index r = 0; r < rows_.resources(); ++r) {
        if (rows_.demand[0](n, r) <= 0 || !filling_->is_used_up(r)) continue;
        price.col(r) = 1 / pool_[r];
        is_by_pool = true;
      }
      if (is_by_pool) stopped.push_back(n);
    }
    if (stopped.empty()) return;
    LevelRound<double> round = level_round<double>(rows_, price, price > 0, tuning_);
    round.due = filling_->amounts();
    round.rate = by;
    round.fixed = std::move(stopped);
    all_rounds_.push_back(std::move(round));
  }

  void stop_rows(const ArrayXd& by) {
    const ArrayXXd priced = simplex_.priced().select(simplex_.price(), 0);
    LevelRound<double> round = level_round<double>(rows_, priced, simplex_.priced(), tuning_);
    round.due = filling_->amounts();
    round.rate = by;
    const double gap = ended_ ? level_gap<double>(rows_, round, round.due, tuning_) : 0;
    const ArrayXd size = round.due.max(tuning_.smallest * unit_);
    const ArrayXd paid = round.cheapest.cast<double>() * size;
    ArrayXd gain = (paid > 0).select(gap / paid, kInfinity);
    if (!ended_) gain = (by > 0).select(ArrayXd::Zero(by.size()), kInfinity);
    double nearest = kInfinity;
    for (Index n = 0; n < gain.size(); ++n) {
      if (by[n] > 0) nearest = std::min(nearest, gain[n]);
    }
    const double threshold = std::max(tuning_.fixed_within, tuning_.near_lowest * nearest);
    for (Index n = 0; n < gain.size(); ++n) {
      const bool stopped = gain[n] <= (by[n] > 0 ? threshold : tuning_.fixed_within);
      if (stopped && !filling_->is_frozen(n)) round.fixed.push_back(n);
    }
    filling_->freeze(round.fixed);
    all_rounds_.push_back(round);
    rounds_.push_back(std::move(round));
  }

  // Where the last program left the rows, with the totals of the filling.
  ArrayXXd placed() const {
    ArrayXXd x = simplex_.amount();
    const ArrayXd total = filling_->amounts();
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
  std::optional<TreeFilling> filling_;
  ArrayXd unit_;
  LevelSimplex simplex_;
  bool ended_ = false;  // the last program, by its prices
  int programs_ = 0, pivots_ = 0;
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
