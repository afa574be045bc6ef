// Which resource stops a row on a server, and how full that makes the servers: see tied_rows.hpp.
#include "numerics/tied_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOverflow = 1e-10;       // of a capacity
constexpr double kJustBelow = 1 - 1e-12;  // the level of what takes over
constexpr double kHighLevel = 3;          // of a resource that has none yet, in its server's unit

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Resources at which nobody stops have no level.
void drop_idle(TiedSystem& system) {
  std::vector<char> busy(at(system.level.size()), 0);
  for (const Index stop : system.rows.stop) busy[at(stop)] = 1;
  for (Index j = 0; j < system.level.size(); ++j) {
    if (busy[at(j)] == 0 && system.winners.col(j).isZero(0)) system.level[j] = kInfinity;
  }
}

// g of every pair; a row that nothing stops is stopped by the first resource that it demands.
void find_stops(TiedSystem& system) {
  const Index m = system.resources();
  TiedRows& rows = system.rows;
  for (Index pair = 0; pair < rows.pairs(); ++pair) {
    const Index base = rows.server[at(pair)] * m;
    Index stop = -1, first = -1;
    for (Index r = m - 1; r >= 0; --r) {
      if (rows.demand[at(pair * m + r)] == 0) continue;
      first = base + r;
      if (system.stops(first) && (stop < 0 || system.level[first] <= system.level[stop])) stop = first;
    }
    if (stop < 0) {
      stop = first;
      system.level[stop] = kHighLevel;
    }
    rows.stop[at(pair)] = stop;
  }
  drop_idle(system);
}

// The row's pairs, in units of x of about its total.
void add_row(const ServerRows& problem, const ArrayXXd& rate, Index n, TiedSystem& system) {
  const double cap = problem.cap.size() > 0 ? problem.cap[n] : kInfinity;
  if (cap <= 0) return;
  TiedRows& rows = system.rows;
  const double unit = std::min(cap, (rate.row(n).transpose() * system.scale).maxCoeff());
  const double largest = rate.row(n).maxCoeff();
  for (Index i = 0; i < problem.servers(); ++i) {
    if (rate(n, i) == 0) continue;
    rows.server.push_back(i);
    rows.a.push_back(rate(n, i) * system.scale[i] / unit);
    rows.part.push_back(rate(n, i) / largest);
    for (Index r = 0; r < problem.resources(); ++r) {
      const double demand = problem.demand_on(i)(n, r);
      rows.demand.push_back(demand > 0 ? demand * unit / problem.capacity(i, r) : 0);
    }
  }
  rows.row.push_back(n);
  rows.first.push_back(rows.pairs());
  rows.unit.push_back(unit);
  rows.cap.push_back(cap / unit);
}

// The highest level at which rows that demand resource j stop, and how full the resource is that stops them.
struct Held {
  double level = 0, use = 0;
};

Held held_by_others(const TiedSystem& system, Index j) {
  const Index m = system.resources();
  Held held;
  for (Index pair = 0; pair < system.rows.pairs(); ++pair) {
    if (system.rows.server[at(pair)] != j / m || system.rows.demand[at(pair * m + j % m)] == 0) continue;
    const double level = system.level_of(at(pair));
    if (level > held.level) held = {level, system.use[system.rows.stop[at(pair)]]};
  }
  return held;
}

}  // namespace

TiedSystem tied_system(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels) {
  const Index m = rows.resources(), all = rows.servers() * m;
  TiedSystem system{.rows = {},
                    .level = ArrayXd(all),
                    .scale = levels.rowwise().minCoeff(),
                    .use = ArrayXd::Zero(all),
                    .fixed_use = ArrayXd::Zero(all),
                    .winners = TiedSystem::Matrix::Zero(all, all)};
  for (Index i = 0; i < rows.servers(); ++i) {
    double& scale = system.scale[i];
    if (!(scale > 0 && scale < kInfinity)) scale = 1 / std::max(rate.col(i).maxCoeff(), 1e-300);
    for (Index r = 0; r < m; ++r) system.level[i * m + r] = levels(i, r) / scale;
  }
  system.rows.first.push_back(0);
  for (Index n = 0; n < rows.rows(); ++n) add_row(rows, rate, n, system);
  for (std::vector<double>* each : {&system.rows.x, &system.rows.z})
    each->assign(system.rows.server.size(), 0.0);
  for (std::vector<double>* each : {&system.rows.total, &system.rows.k})
    each->assign(system.rows.row.size(), 0.0);
  system.rows.t.assign(system.rows.row.size(), kInfinity);
  system.rows.stop.resize(system.rows.server.size());
  find_stops(system);
  return system;
}

void measure_use(TiedSystem& system) {
  const Index m = system.resources();
  const TiedRows& rows = system.rows;
  system.use = system.fixed_use;
  for (Index pair = 0; pair < rows.pairs(); ++pair) {
    for (Index r = 0; r < m; ++r)
      system.use[rows.server[at(pair)] * m + r] += rows.demand[at(pair * m + r)] * rows.x[at(pair)];
  }
  for (Index j = 0; j < system.level.size(); ++j) {
    if (system.stops(j)) system.use += system.winners.col(j).array() * system.level[j];
  }
}

void take_over(TiedSystem& system) {
  for (Index j = 0; j < system.level.size(); ++j) {
    if (system.stops(j) || system.use[j] <= 1 + kOverflow) continue;
    const Held held = held_by_others(system, j);
    if (held.level > 0 && system.use[j] > held.use) system.level[j] = held.level * kJustBelow;
  }
  find_stops(system);
}

double imbalance(const TiedSystem& system) {
  double worst = 0;
  for (Index j = 0; j < system.level.size(); ++j)
    worst = std::max(worst, system.stops(j) ? std::abs(1 - system.use[j]) : system.use[j] - 1);
  return worst;
}

}  // namespace mirab::numerics
