#pragma once

#include <Eigen/Core>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Constants of best_response().
struct BestResponseTuning {
  double full = 1e-13;        ///< of a capacity: as much less is rounding. Harmless from 1e-15 to 1e-10.
  int max_steps = 200;        ///< Measured: five are usual. A bracket of doubles is bisected in 64.
  double same_level = 1e-15;  ///< relative. Derived: five roundings.
};

/// Constants of LevelSweeps.
struct SweepTuning {
  double settled = 1e-13;  ///< of a row's total: less is no move. Harmless from 1e-15 to 1e-11.
  /// of a step's length: two that differ by no more point the same way. Measured: 2,382 sweeps, 2,208 with
  /// 0.05, 1,718 with 0.4.
  double agree = 0.2;
  /// what `agree` is halved to, leap by leap in vain. Harmless from 1e-6 to 1e-2.
  double min_agree = 1e-4;
  /// factor of `agree` after a leap that settled something. Measured: 2,382 sweeps, 2,560 with 1.1, 2,012
  /// with 2.
  double relax = 1.5;
  /// after a leap: the first ones smooth what it has bent. Harmless from 2 to 6.
  int sweeps_to_agree = 3;
  /// of the move before: a leap to the end of its line should leave less. Measured: 2,382 sweeps, 3,071
  /// with 0.2, 1,461 with 0.8.
  double settling = 0.5;
  double shortest = 2;    ///< sweeps that a leap should save. Harmless from 1 to 10.
  double furthest = 1e9;  ///< sweeps that a leap may save. Harmless from 1e6 to 1e12.
  BestResponseTuning response = {};
};

/// One server divided among N rows that may have something elsewhere.
struct [[nodiscard]] Filling {
  SolveReport report;  ///< error: the largest part of a capacity by which it is overused before what is used
                       ///< beyond it is taken off; iterations: Newton steps
  Eigen::ArrayXd x;    ///< ≥ 0, [n]
  Eigen::ArrayXd levels;  ///< at which a resource filled up, [r]; infinite where it did not
};

/// Raises a common level l; row n holds x_n(l) = rate_n l - elsewhere_n between 0 and room_n. A resource that
/// is full stops the rows that demand it, the others go on. Requires rate ≥ 0 (0: the row may not), room ≥ 0
/// or empty (no bounds). O(Nm) for each Newton step on the use as a function of l, which is piecewise linear;
/// some five steps for each resource that fills up.
Filling best_response(const Demands& demand, const Eigen::ArrayXd& capacity, const RowValues& rate,
                      const RowValues& elsewhere, const RowValues& room,
                      const BestResponseTuning& tuning = {});

/// Servers that fill themselves in turn, each for what the others do, from nothing.
class LevelSweeps {
 public:
  /// Keeps references. `rate` is [n][i], 0 where a row may not go.
  LevelSweeps(const ServerRows& rows, const Eigen::ArrayXXd& rate, const SweepTuning& tuning = {});

  /// At most this many more sweeps; fewer when nothing moves any more, or when x is in the level form to
  /// within `within` (server_levels.hpp). The error is the last sweep's largest move, in the rows' totals.
  /// Cost: one best response for each server and sweep.
  SolveReport run(int max_sweeps, double within);

  /// The servers of later sweeps in the opposite order: where sweeps go in circles one way, they may settle
  /// the other way.
  void turn_round() { backwards_ = !backwards_; }

  const Eigen::ArrayXXd& x() const { return x_; }            ///< [n][i]
  const Eigen::ArrayXXd& levels() const { return levels_; }  ///< [i][r], infinite where r is not full
  int sweeps() const { return sweeps_; }

 private:
  void leap();
  void sweep();
  void judge(double before);

  const ServerRows& rows_;
  const Eigen::ArrayXXd& rate_;
  SweepTuning tuning_;
  Eigen::ArrayXXd x_;
  Eigen::ArrayXXd levels_;
  Eigen::ArrayXXd step_;                      // of the last sweep
  Eigen::ArrayXXd relative_, last_relative_;  // the last two steps, in the rows' totals
  double moved_ = 0;                          // by the last sweep
  double agree_;                              // of a step's length
  int since_leap_ = 0;
  bool backwards_ = false;
  bool to_the_end_ = false;  // the last leap, of its line, and not to where a row left a server
  int sweeps_ = 0;
};

}  // namespace mirab::numerics
