// Rounds of linear programs through Clp, in variables y_{n,i} = x_{n,i} / (unit_n · scale), so that all are
// near one:
//
//     max t,  Σ_i y_{n,i} - t ≥ 0 (active) or ≥ its level (fixed, capped),  Σ_n a_{n,i,r} y_{n,i} ≤ 1.
#include "clp_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <coin/ClpSimplex.hpp>
#include <coin/ClpSolve.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/CoinPackedVector.hpp>
#include <limits>
#include <vector>

namespace mirab::peers {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-9;
// Rows may miss their levels by the tolerance; a program that is found infeasible for it gets so much room.
constexpr double kRoom = 2e-9;

// The level that could be reached if all servers were one.
double pooled_level(const numerics::ServerRows& rows, const ArrayXd& unit) {
  double level = kInfinity;
  for (Index r = 0; r < rows.resources(); ++r) {
    double wanted = 0;
    for (Index n = 0; n < rows.rows(); ++n) wanted += unit[n] * rows.demand[0](n, r);
    if (wanted > 0 && rows.capacity.col(r).sum() > 0)
      level = std::min(level, rows.capacity.col(r).sum() / wanted);
  }
  return level;
}

class Rounds {
 public:
  Rounds(const MergedServers& merged, const ArrayXd& unit, ClpStart start, double seconds_most)
      : rows_(merged.rows),
        scale_(pooled_level(rows_, unit)),
        tasks_of_one_(unit * scale_),
        start_(start),
        seconds_most_(seconds_most),
        active_(static_cast<std::size_t>(rows_.rows()), true) {
    build();
  }

  ClpRounds run() {
    ClpRounds result;
    while (anybody_active() && !result.failed && !result.stopped) {
      ++result.rounds;
      const bool done = raise() && fix_saturated();
      result.stopped = !done && seconds_left() <= 0;
      result.failed = !done && !result.stopped;
    }
    result.totals = tasks_of_one_ * level_;
    return result;
  }

 private:
  int level_column() const { return model_.numberColumns() - 1; }
  static std::size_t at(Index n) { return static_cast<std::size_t>(n); }
  double cap_level(Index n) const {
    return rows_.cap.size() > 0 ? rows_.cap[n] / tasks_of_one_[n] : kInfinity;
  }

  void build() {
    const auto users = static_cast<int>(rows_.rows());
    const auto servers = static_cast<int>(rows_.servers());
    const auto resources = static_cast<int>(rows_.resources());
    CoinPackedMatrix matrix(true, 0, 0);
    matrix.setDimensions(users + servers * resources, 0);
    for (int n = 0; n < users; ++n) {
      for (int i = 0; i < servers; ++i) {
        if (rows_.alone(n, i) <= 0) continue;
        CoinPackedVector column;
        column.insert(n, 1);
        for (int r = 0; r < resources; ++r) {
          const double demand = rows_.demand_on(i)(n, r);
          if (demand > 0)
            column.insert(users + i * resources + r, demand * tasks_of_one_[n] / rows_.capacity(i, r));
        }
        matrix.appendCol(column);
      }
    }
    CoinPackedVector level;
    for (int n = 0; n < users; ++n) level.insert(n, -1);
    matrix.appendCol(level);
    std::vector<double> objective(static_cast<std::size_t>(matrix.getNumCols()), 0.0);
    objective.back() = -1;
    std::vector<double> lower(static_cast<std::size_t>(matrix.getNumRows()), -COIN_DBL_MAX);
    std::vector<double> upper(lower.size(), 1.0);
    std::fill_n(lower.begin(), users, 0.0);
    std::fill_n(upper.begin(), users, COIN_DBL_MAX);
    model_.setLogLevel(0);
    model_.loadProblem(matrix, nullptr, nullptr, objective.data(), lower.data(), upper.data());
    model_.setPrimalTolerance(kTolerance);
    model_.setDualTolerance(kTolerance);
    level_ = ArrayXd::Zero(users);
  }

  // User n keeps this level from now on.
  void fix(Index n, double level) {
    active_[at(n)] = false;
    level_[n] = level;
    model_.modifyCoefficient(static_cast<int>(n), level_column(), 0, true);
    model_.setRowLower(static_cast<int>(n), level);
  }

  double seconds_left() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    return seconds_most_ - spent.count();
  }

  bool solve() {
    if (seconds_left() <= 0) return false;
    model_.setMaximumSeconds(seconds_left());
    if (solved_) {
      model_.primal(1);
    } else {
      first_solve();
    }
    solved_ = true;
    if (model_.status() == 1) give_room();
    return model_.status() == 0;
  }

  void give_room() {
    for (Index n = 0; n < rows_.rows(); ++n) {
      if (!active_[at(n)])
        model_.setRowLower(static_cast<int>(n), level_[n] - kRoom * std::max(1.0, level_[n]));
    }
    first_solve();
  }

  void first_solve() {
    const bool presolve = start_ == ClpStart::dual_with_presolve || start_ == ClpStart::primal_with_presolve;
    const bool dual = start_ == ClpStart::dual || start_ == ClpStart::dual_with_presolve;
    ClpSolve how;
    how.setPresolveType(presolve ? ClpSolve::presolveOn : ClpSolve::presolveOff);
    how.setSolveType(dual ? ClpSolve::useDual : ClpSolve::usePrimal);
    model_.initialSolve(how);
  }

  // Solves, puts who passes its cap at its cap, and solves again until nobody does.
  bool raise() {
    for (bool again = true; again;) {
      if (!anybody_active()) return true;
      if (!solve()) return false;
      const double level = model_.primalColumnSolution()[level_column()];
      again = false;
      for (Index n = 0; n < rows_.rows(); ++n) {
        if (!active_[at(n)] || cap_level(n) > level) continue;
        fix(n, cap_level(n));
        again = true;
      }
    }
    return true;
  }

  bool anybody_active() const { return std::find(active_.begin(), active_.end(), true) != active_.end(); }

  // Whether anybody is, as somebody must be: prices of the active are relative to each other, for those of
  // the fixed can be larger by orders of magnitude.
  bool fix_saturated() {
    if (!anybody_active()) return true;
    const double level = model_.primalColumnSolution()[level_column()];
    const std::vector<double> price(model_.dualRowSolution(), model_.dualRowSolution() + rows_.rows());
    double largest = 0;
    for (Index n = 0; n < rows_.rows(); ++n) {
      if (active_[at(n)]) largest = std::max(largest, price[at(n)]);
    }
    bool any = false;
    for (Index n = 0; n < rows_.rows(); ++n) {
      if (!active_[at(n)] || !(price[at(n)] > 1e-7 * largest)) continue;
      fix(n, level);
      any = true;
    }
    return any;
  }

  const numerics::ServerRows& rows_;
  double scale_;
  ArrayXd tasks_of_one_;
  ClpStart start_;
  double seconds_most_;
  std::vector<bool> active_;
  ArrayXd level_;
  ClpSimplex model_;
  bool solved_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

ClpRounds clp_rounds(const MergedServers& merged, const ArrayXd& unit, ClpStart start, double seconds_most) {
  return Rounds(merged, unit, start, seconds_most).run();
}

}  // namespace mirab::peers
