// The system of rows that may be tied between servers: its construction, the use of resources, the start
// on the central path, and the removal of rows with one clear server.
#include "numerics/psdsf/tied_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {

// Which resource stops a row on a server, and how full that makes the servers: see tied_rows.hpp.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// Resources at which no rows stops have no level.
void drop_idle(TiedSystem& system) {
  std::vector<char> busy(as_size(system.level.size()), 0);
  for (const Index stop : system.rows.stop) busy[as_size(stop)] = 1;
  for (Index j = 0; j < system.level.size(); ++j) {
    if (busy[as_size(j)] == 0 && system.winners.col(j).isZero(0)) system.level[j] = kInfinity;
  }
}

// g of every pair; a row that nothing stops is stopped by the first resource that it demands.
void find_stops(TiedSystem& system, double high_level) {
  const Index m = system.resources();
  TiedRows& rows = system.rows;
  for (Index pair = 0; pair < rows.pairs(); ++pair) {
    const Index base = rows.server[as_size(pair)] * m;
    Index stop = -1, first = -1;
    for (Index r = m - 1; r >= 0; --r) {
      if (rows.demand[as_size(pair * m + r)] == 0) continue;
      first = base + r;
      if (system.stops(first) && (stop < 0 || system.level[first] <= system.level[stop])) stop = first;
    }
    if (stop < 0) {
      stop = first;
      system.level[stop] = high_level;
    }
    rows.stop[as_size(pair)] = stop;
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
    if (system.rows.server[as_size(pair)] != j / m || system.rows.demand[as_size(pair * m + j % m)] == 0)
      continue;
    const double level = system.level_of(as_size(pair));
    if (level > held.level) held = {level, system.use[system.rows.stop[as_size(pair)]]};
  }
  return held;
}

}  // namespace

TiedSystem tied_system(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels,
                       const TieTuning& tuning) {
  const Index m = rows.resources(), all = rows.servers() * m;
  TiedSystem system{.rows = {},
                    .level = ArrayXd(all),
                    .scale = levels.rowwise().minCoeff(),
                    .use = ArrayXd::Zero(all),
                    .fixed_use = ArrayXd::Zero(all),
                    .winners = TiedSystem::Matrix::Zero(all, all)};
  for (Index i = 0; i < rows.servers(); ++i) {
    double& scale = system.scale[i];
    constexpr double kMinRate = 1e-300;  // where no row may go: its inverse is still a double
    if (!(scale > 0 && scale < kInfinity)) scale = 1 / std::max(rate.col(i).maxCoeff(), kMinRate);
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
  find_stops(system, tuning.high_level);
  return system;
}

void measure_use(TiedSystem& system) {
  const Index m = system.resources();
  const TiedRows& rows = system.rows;
  system.use = system.fixed_use;
  for (Index pair = 0; pair < rows.pairs(); ++pair) {
    for (Index r = 0; r < m; ++r)
      system.use[rows.server[as_size(pair)] * m + r] +=
          rows.demand[as_size(pair * m + r)] * rows.x[as_size(pair)];
  }
  for (Index j = 0; j < system.level.size(); ++j) {
    if (system.stops(j)) system.use += system.winners.col(j).array() * system.level[j];
  }
}

void take_over(TiedSystem& system, const TieTuning& tuning) {
  for (Index j = 0; j < system.level.size(); ++j) {
    if (system.stops(j) || system.use[j] <= 1 + tuning.overflow) continue;
    const Held held = held_by_others(system, j);
    if (held.level > 0 && system.use[j] > held.use) system.level[j] = held.level * (1 - tuning.below);
  }
  find_stops(system, tuning.high_level);
}

double imbalance(const TiedSystem& system) {
  double worst = 0;
  for (Index j = 0; j < system.level.size(); ++j)
    worst = std::max(worst, system.stops(j) ? std::abs(1 - system.use[j]) : system.use[j] - 1);
  return worst;
}

// Rows whose server is decided leave the system, so that the last iterations are on the few that may be tied.
// Source: docs/explanation/mathematics.md, section 5.
//
// Known failure: a row that left does not come back. With TieTuning::window that has not been seen to matter;
// where it does, the level form's violation shows it.

namespace {

using Eigen::Index;

// A row's pairs are begin … end - 1.
struct Span {
  std::size_t begin, end;
};

Span pairs_of(const TiedRows& rows, std::size_t n) {
  return {static_cast<std::size_t>(rows.first[n]), static_cast<std::size_t>(rows.first[n + 1])};
}

std::size_t winner_of(const TiedRows& rows, std::size_t n) {
  const Span span = pairs_of(rows, n);
  std::size_t winner = span.begin;
  for (std::size_t p = span.begin; p < span.end; ++p) winner = rows.z[p] < rows.z[winner] ? p : winner;
  return winner;
}

bool is_clear(const TiedRows& rows, std::size_t n, std::size_t winner, double gap) {
  const Span span = pairs_of(rows, n);
  for (std::size_t p = span.begin; p < span.end; ++p) {
    if (p != winner && rows.z[p] < gap) return false;
  }
  return rows.cap[n] == kInfinity || rows.k[n] > gap || rows.t[n] > gap;
}

// What the row uses on the winner's server does not depend on who else is there any more.
void take_out(TiedSystem& system, std::size_t n, std::size_t winner) {
  const TiedRows& rows = system.rows;
  const Index m = system.resources();
  const bool enough = rows.cap[n] < kInfinity && rows.k[n] > rows.t[n];
  for (Index r = 0; r < m; ++r) {
    const Index j = rows.server[winner] * m + r;
    const double demand = rows.demand[winner * static_cast<std::size_t>(m) + static_cast<std::size_t>(r)];
    if (enough)
      system.fixed_use[j] += demand * rows.cap[n];
    else
      system.winners(j, rows.stop[winner]) += demand * rows.a[winner];
  }
}

void keep_pair(const TiedRows& rows, std::size_t p, std::size_t m, TiedRows& left) {
  left.server.push_back(rows.server[p]);
  left.stop.push_back(rows.stop[p]);
  left.a.push_back(rows.a[p]);
  left.part.push_back(rows.part[p]);
  left.x.push_back(rows.x[p]);
  left.z.push_back(rows.z[p]);
  for (std::size_t r = 0; r < m; ++r) left.demand.push_back(rows.demand[p * m + r]);
}

void keep_row(const TiedRows& rows, std::size_t n, std::size_t winner, double gap, std::size_t m,
              TiedRows& left) {
  const Span span = pairs_of(rows, n);
  double total = 0;
  for (std::size_t p = span.begin; p < span.end; ++p) {
    if (p != winner && rows.z[p] >= gap) continue;
    keep_pair(rows, p, m, left);
    total += rows.x[p];
  }
  left.row.push_back(rows.row[n]);
  left.first.push_back(left.pairs());
  left.unit.push_back(rows.unit[n]);
  left.cap.push_back(rows.cap[n]);
  left.total.push_back(total);
  left.k.push_back(rows.k[n]);
  left.t.push_back(rows.cap[n] < kInfinity ? rows.cap[n] - total : kInfinity);
}

}  // namespace

void take_out_winners(TiedSystem& system, double window) {
  const TiedRows& rows = system.rows;
  TiedRows left;
  left.first.push_back(0);
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    const std::size_t winner = winner_of(rows, n);
    const double gap = window * rows.total[n];
    if (is_clear(rows, n, winner, gap))
      take_out(system, n, winner);
    else
      keep_row(rows, n, winner, gap, static_cast<std::size_t>(system.resources()), left);
  }
  system.rows = std::move(left);
}

// The central path for levels that are given, row by row.
//
// Source: docs/explanation/mathematics.md, section 5. V = top + y, top = max_i a_i L_i, is where
//   Σ_i μ part_i / (V - a_i L_i) = X,  and X = V, or (V - X)(cap - X) = μ with a cap.
// The left less the right is convex and falls with y: Newton's method from the left does not overshoot.

namespace {

using Eigen::Index;

// X and k = V - X of a row that may have no more than its cap, for V - cap; dX/dV.
struct Capped {
  double total, k, slope;
};

Capped capped(double over, double cap, double mu) {
  const double root = std::sqrt(over * over + 4 * mu);
  const double k = over > 0 ? (over + root) / 2 : 2 * mu / (root - over);
  return {.total = cap - mu / k, .k = k, .slope = (1 - over / root) / 2};
}

void centre_row(TiedSystem& system, std::size_t n, double mu, const TieTuning& tuning) {
  TiedRows& rows = system.rows;
  const auto begin = static_cast<std::size_t>(rows.first[n]),
             end = static_cast<std::size_t>(rows.first[n + 1]);
  double top = 0, part = 0;
  for (std::size_t p = begin; p < end; ++p) {
    const double reach = rows.a[p] * system.level_of(p);
    if (reach <= top) continue;
    top = reach;
    part = rows.part[p];
  }
  for (std::size_t p = begin; p < end; ++p) rows.z[p] = top - rows.a[p] * system.level_of(p);
  const double cap = rows.cap[n];
  double y = mu * part * std::max(2 / (top + std::sqrt(top * top + 4 * mu * part)), 1 / cap);
  for (int step = 0; step < tuning.row_steps; ++step) {
    double tasks = 0, fall = 0;
    for (std::size_t p = begin; p < end; ++p) {
      const double x = mu * rows.part[p] / (y + rows.z[p]);
      tasks += x;
      fall += x / (y + rows.z[p]);
    }
    const Capped goal = cap == kInfinity ? Capped{top + y, 0, 1} : capped(top + y - cap, cap, mu);
    const double change = (tasks - goal.total) / (goal.slope + fall);
    y += change;
    if (std::abs(change) <= tuning.row_solved * y) break;
  }
  rows.total[n] = 0;
  for (std::size_t p = begin; p < end; ++p) {
    rows.z[p] += y;
    rows.x[p] = mu * rows.part[p] / rows.z[p];
    rows.total[n] += rows.x[p];
  }
  if (cap == kInfinity) return;
  rows.k[n] = capped(top + y - cap, cap, mu).k;
  rows.t[n] = mu / rows.k[n];
}

}  // namespace

void centre(TiedSystem& system, double mu, const TieTuning& tuning) {
  for (std::size_t n = 0; n < system.rows.row.size(); ++n) centre_row(system, n, mu, tuning);
}

}  // namespace mirab::numerics
