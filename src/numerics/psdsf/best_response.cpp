// Best responses of servers that fill by levels: one server's answer to the others, and sweeps over all
// servers with extrapolation.
#include "numerics/psdsf/best_response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/base/rows.hpp"
#include "numerics/psdsf/server_levels.hpp"

namespace mirab::numerics {

// Progressive filling of one server for rows that already have something elsewhere.
//
// Source: the PS-DSF paper's server procedure; docs/explanation/mathematics.md, section 5.
// The use of resource r at level l, Σ_n d_{n,r} min(room_n, max(0, rate_n l - elsewhere_n)), is piecewise
// linear and grows with l, so Newton's method from above ends on the exact piece; bounds (room) bend it the
// other way, so a bracket keeps the steps from going in circles. No sorting of start levels is needed.
//
// Known failure: where all that a server holds is less than the rounding of what its rows have elsewhere, no
// level fills it, and it may stay short of full.

namespace {

using Eigen::ArrayXd;
using Eigen::Index;

struct Server {
  const Demands& demand;
  const ArrayXd& capacity;
  const RowValues& rate;
  const RowValues& elsewhere;
  const RowValues& room;
  std::vector<Index> rows;  // that still rise
  ArrayXd left;             // capacity less what stopped rows hold, [r]

  double room_of(Index n) const { return room.size() > 0 ? room[n] : kInfinity; }
  double x(Index n, double level) const {
    return std::min(room_of(n), std::max(0.0, rate[n] * level - elsewhere[n]));
  }
};

struct Use {
  ArrayXd amount, slope;  // at a level, [r]
};

Use use_at(const Server& server, double level) {
  Use use{ArrayXd::Zero(server.left.size()), ArrayXd::Zero(server.left.size())};
  for (const Index n : server.rows) {
    const double x = server.rate[n] * level - server.elsewhere[n];
    if (x <= 0) continue;
    const double room = server.room_of(n);
    for (Index r = 0; r < use.amount.size(); ++r) {
      use.amount[r] += server.demand(n, r) * std::min(x, room);
      if (x < room) use.slope[r] += server.demand(n, r) * server.rate[n];
    }
  }
  return use;
}

// Which resources the rising rows can fill, and the level at which the first would be full if all of them had
// joined: no lower than the first level at which one is full, but for bounded rows.
double start_level(const Server& server, std::vector<char>& can_fill) {
  const Index resources = server.left.size();
  ArrayXd rate = ArrayXd::Zero(resources), elsewhere = rate, most = rate;
  for (const Index n : server.rows) {
    for (Index r = 0; r < resources; ++r) {
      const double demand = server.demand(n, r);
      if (demand == 0) continue;
      rate[r] += demand * server.rate[n];
      elsewhere[r] += demand * server.elsewhere[n];
      most[r] += demand * server.room_of(n);
    }
  }
  double level = kInfinity;
  for (Index r = 0; r < resources; ++r) {
    can_fill[static_cast<std::size_t>(r)] = rate[r] > 0 && most[r] > server.left[r];
    if (can_fill[static_cast<std::size_t>(r)])
      level = std::min(level, (server.left[r] + elsewhere[r]) / rate[r]);
  }
  return level;
}

// The lowest level at which a resource is full.
double full_level(const Server& server, double level, const std::vector<char>& can_fill,
                  const BestResponseTuning& tuning, SolveReport& report) {
  double low = 0, high = kInfinity;
  for (int step = 0; step < tuning.max_steps; ++step) {
    ++report.iterations;
    const Use use = use_at(server, level);
    double next = kInfinity;
    bool over = false;
    for (Index r = 0; r < server.left.size(); ++r) {
      if (!can_fill[static_cast<std::size_t>(r)]) continue;
      const double room = server.left[r] - use.amount[r];
      over = over || room <= 0;
      if (use.slope[r] > 0)
        next = std::min(next, level + room / use.slope[r]);
      else if (room <= 0)
        next = -kInfinity;
    }
    (over ? high : low) = level;
    if (std::abs(next - level) <= tuning.same_level * level) return next;
    if (!(next > low && next < high && next < kInfinity))
      next = high < kInfinity ? (low + high) / 2 : 2 * level;
    if (next == level) return level;
    level = next;
  }
  report.stop = Stop::limit;
  return level;
}

// Marks what is full at the level among what the rising rows can fill, the fullest of it in any case. What
// nobody rising demands may be just as full; it would stop nobody.
void mark_full(const Server& server, double level, const std::vector<char>& can_fill, double full,
               ArrayXd& levels) {
  const Use use = use_at(server, level);
  Index fullest = -1;
  double most = 0;
  for (Index r = 0; r < use.amount.size(); ++r) {
    if (!can_fill[static_cast<std::size_t>(r)]) continue;
    const double over = (use.amount[r] - server.left[r]) / server.capacity[r];
    if (over >= -full) levels[r] = level;
    if (fullest < 0 || over > most) {
      most = over;
      fullest = r;
    }
  }
  levels[fullest] = level;
}

bool stopped(const Server& server, Index n, const ArrayXd& levels) {
  for (Index r = 0; r < levels.size(); ++r) {
    if (levels[r] < kInfinity && server.demand(n, r) > 0) return true;
  }
  return false;
}

// Where rows have far more elsewhere, their tasks here are differences of large numbers, and what they use is
// rounded as coarsely. In proportion those with room fill resource r to the last digit.
void fill_exactly(const Server& server, std::span<const Index> rows, Index r, ArrayXd& x) {
  double used = 0, bending = 0;
  for (const Index n : rows) {
    const double amount = server.demand(n, r) * x[n];
    used += amount;
    if (x[n] < server.room_of(n)) bending += amount;
  }
  if (bending == 0) return;
  const double factor = std::max(0.0, 1 + (server.left[r] - used) / bending);
  for (const Index n : rows) {
    if (server.demand(n, r) > 0 && x[n] < server.room_of(n))
      x[n] = std::min(server.room_of(n), factor * x[n]);
  }
}

// Stops the rows that demand what is full. The others go on.
void stop_rows(Server& server, double level, const std::vector<char>& can_fill, Filling& filling) {
  const auto first = std::stable_partition(server.rows.begin(), server.rows.end(),
                                           [&](Index n) { return !stopped(server, n, filling.levels); });
  const std::span<const Index> rows(first, server.rows.end());
  for (const Index n : rows) filling.x[n] = server.x(n, level);
  for (Index r = 0; r < server.left.size(); ++r) {
    if (can_fill[static_cast<std::size_t>(r)] && filling.levels[r] < kInfinity)
      fill_exactly(server, rows, r, filling.x);
  }
  for (const Index n : rows) {
    for (Index r = 0; r < server.left.size(); ++r) server.left[r] -= server.demand(n, r) * filling.x[n];
  }
  for (Index r = 0; r < server.left.size(); ++r) {
    if (server.left[r] < 0)
      filling.report.error = std::max(filling.report.error, -server.left[r] / server.capacity[r]);
  }
  server.left = server.left.max(0.0);
  server.rows.erase(first, server.rows.end());
}

}  // namespace

Filling best_response(const Demands& demand, const ArrayXd& capacity, const RowValues& rate,
                      const RowValues& elsewhere, const RowValues& room, const BestResponseTuning& tuning) {
  const Index resources = capacity.size();
  Filling filling{.report = {.error = 0, .stop = Stop::target, .iterations = 0},
                  .x = ArrayXd::Zero(rate.size()),
                  .levels = ArrayXd::Constant(resources, kInfinity)};
  Server server{demand, capacity, rate, elsewhere, room, {}, capacity};
  for (Index n = 0; n < rate.size(); ++n) {
    if (rate[n] > 0 && server.room_of(n) > 0) server.rows.push_back(n);
  }
  std::vector<char> can_fill(static_cast<std::size_t>(resources));
  while (!server.rows.empty()) {
    const double start = start_level(server, can_fill);
    if (start == kInfinity) {  // all get what they have room for
      for (const Index n : server.rows) filling.x[n] = server.room_of(n);
      break;
    }
    const std::size_t rising = server.rows.size();
    const double level = full_level(server, start, can_fill, tuning, filling.report);
    mark_full(server, level, can_fill, tuning.full, filling.levels);
    stop_rows(server, level, can_fill, filling);
    MIRAB_ASSERT(server.rows.size() < rising, "a full resource stops somebody");
  }
  return filling;
}

// Sweeps of best responses, with leaps where they creep.
//
// Source: the PS-DSF paper's server procedure, server after server (docs/explanation/mathematics.md, section
// 5). The answer of all servers is a piecewise linear map of x. Rows that are nearly tied between two servers
// move the same sliver every sweep until one of them has left a server: thousands of sweeps along one
// straight line. When two steps in a row, d' and d, agree, with ratio ρ = d·d' / d'·d', the sweeps to come
// add up to d ρ / (1 - ρ) (Aitken's Δ²), endless for ρ ≥ 1; x leaps there at once, or to where the first row
// leaves a server, whichever is nearer. Any x is a start for the next sweep, so a leap can do no harm but
// cost time.
//
// Known failures: with thousands of rows and no exact ties, one row after the other has to leave: tied_levels
// is far faster there. Dozens of rows that are tied but for 1e-6 may still take thousands of sweeps. Leaps
// may go in circles.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// How often x + step, x + 2 step, … is without negative entries.
double room(const ArrayXXd& x, const ArrayXXd& step) {
  return (step < 0 && x > 0).select(-x / step, kInfinity).minCoeff();
}

}  // namespace

LevelSweeps::LevelSweeps(const ServerRows& rows, const ArrayXXd& rate, const SweepTuning& tuning)
    : rows_(rows),
      rate_(rate),
      tuning_(tuning),
      x_(ArrayXXd::Zero(rate.rows(), rate.cols())),
      levels_(ArrayXXd::Constant(rows.servers(), rows.resources(), kInfinity)),
      agree_(tuning.agree) {}

// To where the last two steps point, if they agree.
void LevelSweeps::leap() {
  if (since_leap_ < tuning_.sweeps_to_agree) return;
  const double change = (relative_ - last_relative_).square().sum();
  if (change > agree_ * agree_ * relative_.square().sum()) return;
  const double ratio = (relative_ * last_relative_).sum() / last_relative_.square().sum();
  const double all = ratio < 1 ? std::min(tuning_.furthest, ratio / (1 - ratio)) : tuning_.furthest;
  const double length = std::min(all, room(x_, step_));
  if (length < tuning_.shortest) return;
  to_the_end_ = length == all;
  x_ = (x_ + length * step_).max(0.0);
  since_leap_ = 0;
}

// max |Δx_{n,i}| / X_n, the stop rule: totals can stand still while tasks still move.
void LevelSweeps::sweep() {
  const ArrayXXd before = x_;
  ArrayXd total = x_.rowwise().sum();
  ArrayXd room;
  for (Index turn = 0; turn < rows_.servers(); ++turn) {
    const Index i = backwards_ ? rows_.servers() - 1 - turn : turn;
    const ArrayXd elsewhere = (total - x_.col(i)).max(0.0);
    if (rows_.cap.size() > 0) room = (rows_.cap - elsewhere).max(0.0);
    const Filling filling = best_response(rows_.demand_on(i), rows_.capacity.row(i).transpose(), rate_.col(i),
                                          elsewhere, room, tuning_.response);
    total = elsewhere + filling.x;
    x_.col(i) = filling.x;
    levels_.row(i) = filling.levels.transpose();
  }
  ++sweeps_;
  ++since_leap_;
  const ArrayXd unit = (total > 0).select(total, 1.0);
  step_ = x_ - before;
  last_relative_ = std::move(relative_);
  relative_ = step_.colwise() / unit;
  moved_ = relative_.abs().maxCoeff();
}

// A leap to the end of the line should settle something; if it does not, the steps agreed too little.
void LevelSweeps::judge(double before) {
  if (since_leap_ != 1) return;
  const bool in_vain = to_the_end_ && moved_ > tuning_.settling * before;
  agree_ =
      in_vain ? std::max(tuning_.min_agree, agree_ / 2) : std::min(tuning_.agree, agree_ * tuning_.relax);
}

SolveReport LevelSweeps::run(int max_sweeps, double within) {
  for (int s = 0; s < max_sweeps; ++s) {
    leap();
    const double before = moved_;
    sweep();
    judge(before);
    if (moved_ <= tuning_.settled || (moved_ <= within && level_violation(rows_, rate_, x_) <= within))
      return {.error = moved_, .stop = Stop::target, .iterations = s + 1};
  }
  return {.error = moved_, .stop = Stop::limit, .iterations = max_sweeps};
}

}  // namespace mirab::numerics
