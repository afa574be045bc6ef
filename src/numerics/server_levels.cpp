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
constexpr int kSweeps = 5;
constexpr int kPatience = 3000;  // sweeps, when ties have failed
constexpr double kEnough = 1e8;  // numbers that those sweeps may look at
constexpr Index kManyRows = 4000;
constexpr Index kSampleStep = 8;
constexpr double kSampleCentring = 4;
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

// What did not converge still has to fit: servers that are overused, and rows over their cap, shrink.
void shrink_to_fit(const ServerRows& rows, ArrayXXd& x) {
  for (Index i = 0; i < rows.servers(); ++i) {
    double over = 1;
    for (Index r = 0; r < rows.resources(); ++r) {
      const double used = (rows.demand_on(i).col(r) * x.col(i)).sum();
      if (used > 0) over = std::max(over, used / rows.capacity(i, r));
    }
    x.col(i) /= over;
  }
  if (rows.cap.size() == 0) return;
  const ArrayXd total = x.rowwise().sum();
  x.colwise() *= (total > rows.cap).select(rows.cap / total, ArrayXd::Ones(total.size()));
}

// Every kSampleStep-th row, on servers as much smaller.
ServerRows sample_of(const ServerRows& rows) {
  const auto every = Eigen::seq(0, Eigen::last, kSampleStep);
  ServerRows sample{
      .demand = {}, .capacity = rows.capacity, .alone = rows.alone(every, Eigen::all), .cap = {}};
  for (const ArrayXXd& demand : rows.demand) sample.demand.emplace_back(demand(every, Eigen::all));
  if (rows.cap.size() > 0) sample.cap = rows.cap(every);
  sample.capacity *= static_cast<double>(sample.rows()) / static_cast<double>(rows.rows());
  return sample;
}

// Levels of many rows: of a sample first, from which they differ by about one over the root of its size.
TiedLevels levels_by_samples(const ServerRows& rows, const ArrayXXd& rate) {
  if (rows.rows() <= kManyRows) {
    Sweeper sweeper{rows, rate, ArrayXXd::Zero(rows.rows(), rows.servers()),
                    ArrayXXd::Constant(rows.servers(), rows.resources(), kInfinity)};
    sweeper.run(kSweeps);
    return tie_levels(rows, rate, sweeper.levels, kCentring[0]);
  }
  const ServerRows sample = sample_of(rows);
  const TiedLevels start =
      levels_by_samples(sample, rate(Eigen::seq(0, Eigen::last, kSampleStep), Eigen::all));
  TiedLevels found =
      tie_levels(rows, rate, start.levels, kSampleCentring / static_cast<double>(sample.rows()));
  found.iterations += start.iterations;
  return found;
}

ServerLevels start_from_sample(const ServerRows& rows, const ArrayXXd& rate) {
  TiedLevels found = levels_by_samples(rows, rate);
  const double violation = level_violation(rows, rate, found.x);
  return {.x = std::move(found.x), .violation = violation, .sweeps = kSweeps, .iterations = found.iterations};
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
  if (rows.rows() > kManyRows) {
    ServerLevels found = start_from_sample(rows, rate);
    if (found.violation <= within) return found;
  }
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
  const int patience = static_cast<int>(
      std::min<double>(kPatience, kEnough / static_cast<double>(rows.alone.size() * rows.resources())));
  for (const double centring : kCentring) {
    sweeper.run(few ? kSweepsOfFew : centring == kCentring[0] ? kSweeps : patience);
    best.sweeps = sweeper.sweeps;
    keep(sweeper.x);
    if (best.violation <= within) return best;
    const TiedLevels tied = tie_levels(rows, rate, sweeper.levels, centring);
    best.iterations += tied.iterations;
    keep(tied.x);
    if (best.violation <= within) return best;
  }
  shrink_to_fit(rows, best.x);
  best.violation = level_violation(rows, rate, best.x);
  return best;
}

}  // namespace mirab::numerics
