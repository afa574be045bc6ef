// Servers that fill themselves by levels for what the others do: sweeps of best responses, then ties.
//
// Source: Khamse-Ashari et al., PS-DSF; docs/mathematics.md, per-server dominant shares.
// Few rows settle by sweeps alone, in 4 to 300 of them. Many rows do not: those that are tied between two
// servers move a sliver a sweep. So with many rows a few sweeps find which resources are full and about where
// the levels are, and tie_levels goes on from there; where that fails, more sweeps and another try from
// closer by.
#include "numerics/server_levels.hpp"

#include <algorithm>
#include <limits>

#include "numerics/best_filling.hpp"
#include "numerics/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNothing = 1e-9;  // of a capacity, of a row's total, of a cap
constexpr double kSettled = 1e-13;
constexpr Index kFewPairs = 200;
constexpr int kSweepsOfFew = 300;
constexpr int kSweeps = 10;
constexpr double kCentring[] = {1e-2, 1e-3, 1e-1, 1e-4};  // of one try after the other

struct Sweeper {
  const ServerRows& rows;
  const ArrayXXd& rate;
  ArrayXXd x;
  ArrayXXd levels;  // of the last sweep, [i][r]
  int sweeps = 0;

  // max |Δx_{n,i}| / X_n, the stop rule: totals can stand still while tasks still move.
  double sweep() {
    double moved = 0;
    ArrayXd total = x.rowwise().sum();
    ArrayXd room;
    for (Index i = 0; i < rows.servers(); ++i) {
      const ArrayXd elsewhere = (total - x.col(i)).max(0.0);
      if (rows.cap.size() > 0) room = (rows.cap - elsewhere).max(0.0);
      const Filling filling =
          fill_best(rows.demand_on(i), rows.capacity.row(i).transpose(), rate.col(i), elsewhere, room);
      total = elsewhere + filling.x;
      moved = std::max(moved, (total > 0).select((filling.x - x.col(i)).abs() / total, 0).maxCoeff());
      x.col(i) = filling.x;
      levels.row(i) = filling.levels.transpose();
    }
    ++sweeps;
    return moved;
  }

  void run(int most) {
    for (int s = 0; s < most; ++s) {
      if (sweep() <= kSettled) return;
    }
  }
};

// L of one server, and by how much it is overused.
ArrayXd shown_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x, const ArrayXd& total,
                     Index i, double& overuse) {
  ArrayXd levels(rows.resources());
  const ArrayXd own = (x.col(i) > kNothing * total).select(total / rate.col(i), 0);
  for (Index r = 0; r < levels.size(); ++r) {
    const auto demand = rows.demand_on(i).col(r);
    const double capacity = rows.capacity(i, r);
    const double used = (demand * x.col(i)).sum();
    if (used > 0) overuse = std::max(overuse, used / capacity - 1);
    const bool full = capacity > 0 && used >= capacity * (1 - kNothing);
    levels[r] = full ? (demand > 0).select(own, 0).maxCoeff() : kInfinity;
  }
  return levels;
}

}  // namespace

double level_violation(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& x) {
  const ArrayXd total = x.rowwise().sum();
  double worst = 0;
  ArrayXd stop(rows.rows());
  for (Index i = 0; i < rows.servers(); ++i) {
    const ArrayXd levels = shown_levels(rows, rate, x, total, i, worst);
    stop.setConstant(kInfinity);
    for (Index r = 0; r < levels.size(); ++r) {
      if (levels[r] < kInfinity) stop = (rows.demand_on(i).col(r) > 0).select(stop.min(levels[r]), stop);
    }
    for (Index n = 0; n < rows.rows(); ++n) {
      const bool enough = rows.cap.size() > 0 && total[n] >= rows.cap[n] * (1 - kNothing);
      if (rate(n, i) > 0 && !enough) worst = std::max(worst, 1 - total[n] / (rate(n, i) * stop[n]));
    }
  }
  for (Index n = 0; n < rows.cap.size(); ++n) {
    if (total[n] > 0) worst = std::max(worst, total[n] / rows.cap[n] - 1);
  }
  return worst;
}

ServerLevels level_servers(const ServerRows& rows, const ArrayXd& weight, double within) {
  const ArrayXXd rate = rows.alone.colwise() * weight;
  Sweeper sweeper{rows, rate, ArrayXXd::Zero(rows.rows(), rows.servers()),
                  ArrayXXd::Constant(rows.servers(), rows.resources(), kInfinity)};
  ServerLevels best;
  const auto keep = [&](const ArrayXXd& x) {
    const double violation = level_violation(rows, rate, x);
    if (best.x.size() == 0 || violation < best.violation) {
      best.x = x;
      best.violation = violation;
    }
  };
  const bool few = rows.rows() * rows.servers() <= kFewPairs;
  for (const double centring : kCentring) {
    sweeper.run(few ? kSweepsOfFew : kSweeps);
    best.sweeps = sweeper.sweeps;
    if (few) keep(sweeper.x);
    if (few && best.violation <= within) break;
    const TiedLevels tied = tie_levels(rows, rate, sweeper.levels, centring);
    best.iterations += tied.iterations;
    keep(tied.x);
    if (best.violation <= within) break;
  }
  return best;
}

}  // namespace mirab::numerics
