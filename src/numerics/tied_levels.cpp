// Levels that agree between servers, by a primal-dual interior point.
//
// With g(n,i) the full resource of lowest level among those that row n demands on server i, the conditions
// are a linear complementarity problem in x, z, k, t (tied_rows.hpp) and the levels:
//   V_n - a_{n,i} L_{i,g} = z_{n,i},  Σ_n d_{n,r} x_{n,i} = 1 for the resources that stop somebody,
//   x z = μ,  k t = μ,  μ → 0.
// A row's Newton system is diag(z/x) + θ 11ᵀ, θ = 1 + k/t: Sherman-Morrison leaves a dense system in the
// levels. Predictor and corrector after Mehrotra. When a resource that stopped nobody overflows it takes over
// from the fullest that its rows stop at. As μ falls, rows with one clear winner leave the system: they hold
// a L there. The problem is neither monotone nor has it one solution, so nothing is promised; the caller
// checks. Rows with the same scarce resource on two servers tie by the thousand, so steps are on x and z
// together: x as a function of the levels alone would jump.
#include "numerics/tied_levels.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLastCentring = 1e-12;
constexpr double kBalanced = 1e-9;    // of a capacity
constexpr double kToBoundary = 0.99;  // of the way
constexpr double kShortStep = 0.05;
constexpr double kWindow = 20;  // a gap of so many √μ is a clear defeat
constexpr double kWidestWindow = 0.1;
constexpr Index kFewRows = 200;
constexpr double kStuckStep = 1e-3;
constexpr int kStuckSteps = 8;
constexpr int kIterations = 150;
constexpr int kCentringSteps = 40;

class Path {
 public:
  Path(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels);
  void centre(double mu);
  int follow();
  Ties ties() const;

 private:
  double level(Index pair) const { return level_[rows_.stop[at(pair)]]; }
  bool stops(Index resource) const { return level_[resource] < kInfinity; }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  void find_stops();
  void drop_idle();
  void take_over();
  void centre_row(Index n, double mu);
  void measure_use();
  double imbalance() const;
  double complementarity(double step) const;
  Matrix matrix(double mu);
  VectorXd right_side(double mu, double mu_of_levels);
  double direction(double mu, const VectorXd& levels);
  void advance(double step, const VectorXd& levels);
  double step_from(double mu);
  void narrow(double window);
  bool is_clear(Index n, Index winner, double window) const;

  const ServerRows& problem_;
  Index m_;
  ArrayXd scale_;  // of a server's levels, [i]
  ArrayXd level_;  // L, [i m + r]; infinite where r stops nobody
  TiedRows rows_;
  ArrayXd fixed_use_;  // of capped rows that left, [i m + r]
  Matrix winners_;     // use of the rows that left, for a unit of level, [i m + r][i m + r]
  ArrayXd use_;        // [i m + r]
  std::vector<double> dx_, dz_, ratio_, inverse_, pull_,
      bend_;  // a pair: steps, x/z, 1/x, right side, second order
  std::vector<double> theta_, den_, sum_, dt_, dk_, bend_k_;  // a row
};

Path::Path(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels)
    : problem_(rows),
      m_(rows.resources()),
      scale_(levels.rowwise().minCoeff()),
      level_(rows.servers() * m_),
      fixed_use_(ArrayXd::Zero(level_.size())),
      winners_(Matrix::Zero(level_.size(), level_.size())),
      use_(level_.size()) {
  for (Index i = 0; i < scale_.size(); ++i) {
    if (!(scale_[i] > 0 && scale_[i] < kInfinity)) scale_[i] = 1 / std::max(rate.col(i).maxCoeff(), 1e-300);
    for (Index r = 0; r < m_; ++r) level_[i * m_ + r] = levels(i, r) / scale_[i];
  }
  rows_.first.push_back(0);
  for (Index n = 0; n < rows.rows(); ++n) {
    const double cap = rows.cap.size() > 0 ? rows.cap[n] : kInfinity;
    if (cap <= 0) continue;
    const double unit = std::min(cap, (rate.row(n).transpose() * scale_).maxCoeff());
    for (Index i = 0; i < rows.servers(); ++i) {
      if (rate(n, i) == 0) continue;
      rows_.server.push_back(i);
      rows_.a.push_back(rate(n, i) * scale_[i] / unit);
      rows_.part.push_back(rate(n, i) / rate.row(n).maxCoeff());
      for (Index r = 0; r < m_; ++r) {
        const double demand = rows.demand_on(i)(n, r);
        rows_.demand.push_back(demand > 0 ? demand * unit / rows.capacity(i, r) : 0);
      }
    }
    rows_.row.push_back(n);
    rows_.first.push_back(rows_.pairs());
    rows_.unit.push_back(unit);
    rows_.cap.push_back(cap / unit);
  }
  rows_.stop.resize(rows_.server.size());
  rows_.x.resize(rows_.server.size());
  rows_.z.resize(rows_.server.size());
  for (std::vector<double>* each : {&rows_.total, &rows_.k}) each->assign(rows_.row.size(), 0.0);
  rows_.t.assign(rows_.row.size(), kInfinity);
  find_stops();
}

// g of every pair; a row that nothing stops is stopped by the first resource that it demands.
void Path::find_stops() {
  for (Index pair = 0; pair < rows_.pairs(); ++pair) {
    const Index base = rows_.server[at(pair)] * m_;
    Index stop = -1, first = -1;
    for (Index r = m_ - 1; r >= 0; --r) {
      if (rows_.demand[at(pair * m_ + r)] == 0) continue;
      first = base + r;
      if (stops(first) && (stop < 0 || level_[first] <= level_[stop])) stop = first;
    }
    if (stop < 0) {
      stop = first;
      level_[stop] = 3;
    }
    rows_.stop[at(pair)] = stop;
  }
  drop_idle();
}

// Resources at which nobody stops have no level.
void Path::drop_idle() {
  std::vector<char> busy(at(level_.size()), 0);
  for (const Index stop : rows_.stop) busy[at(stop)] = 1;
  for (Index j = 0; j < level_.size(); ++j) {
    if (busy[at(j)] == 0 && winners_.col(j).isZero(0)) level_[j] = kInfinity;
  }
}

// A resource that overflows though it stops nobody takes the rows with the highest level that demand it.
void Path::take_over() {
  for (Index j = 0; j < level_.size(); ++j) {
    if (stops(j) || use_[j] <= 1 + 1e-10) continue;
    double top = 0, fullest = 0;
    for (Index pair = 0; pair < rows_.pairs(); ++pair) {
      if (rows_.server[at(pair)] != j / m_ || rows_.demand[at(pair * m_ + j % m_)] == 0) continue;
      if (level(pair) <= top) continue;
      top = level(pair);
      fullest = use_[rows_.stop[at(pair)]];
    }
    if (top > 0 && use_[j] > fullest) level_[j] = top * (1 - 1e-12);
  }
  find_stops();
}

void Path::centre(double mu) {
  for (Index n = 0; n < rows_.size(); ++n) centre_row(n, mu);
}

// V = top + y with Σ_i μ / (V - a_i L_i) = X, where X = V, or (V - X)(cap - X) = μ. Convex in y: Newton from
// the left.
void Path::centre_row(Index n, double mu) {
  const Index begin = rows_.first[at(n)], end = rows_.first[at(n + 1)];
  double top = 0, part = 0;
  for (Index p = begin; p < end; ++p) {
    const double reach = rows_.a[at(p)] * level(p);
    if (reach > top) part = rows_.part[at(p)];
    top = std::max(top, reach);
  }
  for (Index p = begin; p < end; ++p) rows_.z[at(p)] = top - rows_.a[at(p)] * level(p);
  const double cap = rows_.cap[at(n)];
  double y = mu * part * std::max(2 / (top + std::sqrt(top * top + 4 * mu * part)), 1 / cap), root = 0;
  for (int step = 0; step < kCentringSteps; ++step) {
    double f = 0, slope = 0;
    for (Index p = begin; p < end; ++p) {
      const double inverse = 1 / (y + rows_.z[at(p)]);
      f += mu * rows_.part[at(p)] * inverse;
      slope -= mu * rows_.part[at(p)] * inverse * inverse;
    }
    const double over = top + y - cap;
    root = std::sqrt(over * over + 4 * mu);
    const double total = cap == kInfinity ? top + y
                         : over > 0       ? cap - 2 * mu / (over + root)
                                          : cap - (root - over) / 2;
    const double growth = cap == kInfinity ? 1 : (1 - over / root) / 2;
    const double change = (f - total) / (growth - slope);
    y += change;
    if (std::abs(change) <= 1e-12 * y) break;
  }
  double total = 0;
  for (Index p = begin; p < end; ++p) {
    rows_.z[at(p)] += y;
    rows_.x[at(p)] = mu * rows_.part[at(p)] / rows_.z[at(p)];
    total += rows_.x[at(p)];
  }
  rows_.total[at(n)] = total;
  if (cap == kInfinity) return;
  const double over = top + y - cap;
  root = std::sqrt(over * over + 4 * mu);
  rows_.k[at(n)] = over > 0 ? (over + root) / 2 : 2 * mu / (root - over);
  rows_.t[at(n)] = mu / rows_.k[at(n)];
}

void Path::measure_use() {
  use_ = fixed_use_;
  for (Index pair = 0; pair < rows_.pairs(); ++pair) {
    for (Index r = 0; r < m_; ++r)
      use_[rows_.server[at(pair)] * m_ + r] += rows_.demand[at(pair * m_ + r)] * rows_.x[at(pair)];
  }
  for (Index j = 0; j < level_.size(); ++j) {
    if (stops(j)) use_ += winners_.col(j).array() * level_[j];
  }
}

// How far the resources that stop somebody are from full, the others above full.
double Path::imbalance() const {
  double worst = 0;
  for (Index j = 0; j < level_.size(); ++j)
    worst = std::max(worst, stops(j) ? std::abs(1 - use_[j]) : use_[j] - 1);
  return worst;
}

// The mean product of the pairs after a part of the step.
double Path::complementarity(double step) const {
  double sum = 0;
  Index count = rows_.pairs();
  for (std::size_t p = 0; p < rows_.x.size(); ++p)
    sum += (rows_.x[p] + step * dx_[p]) * (rows_.z[p] + step * dz_[p]) / rows_.part[p];
  for (std::size_t n = 0; n < rows_.row.size(); ++n) {
    if (rows_.cap[n] == kInfinity) continue;
    sum += (rows_.k[n] + step * dk_[n]) * (rows_.t[n] + step * dt_[n]);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// The Schur complement in the levels. The diagonal of a row's inverse, D (1 + θ Σ_{others} D) / (1 + θ Σ D),
// is summed without cancellation.
Matrix Path::matrix(double mu) {
  Matrix schur = winners_;
  for (Index j = 0; j < level_.size(); ++j) schur(j, j) += stops(j) ? mu : 1;
  for (Index n = 0; n < rows_.size(); ++n) {
    const Index begin = rows_.first[at(n)], end = rows_.first[at(n + 1)];
    const double theta = theta_[at(n)] =
        rows_.cap[at(n)] < kInfinity ? 1 + rows_.k[at(n)] / rows_.t[at(n)] : 1;
    double all = 0;
    for (Index p = begin; p < end; ++p) {
      inverse_[at(p)] = 1 / rows_.x[at(p)];
      all += ratio_[at(p)] = rows_.x[at(p)] / rows_.z[at(p)];
    }
    const double den = den_[at(n)] = 1 + theta * all;
    const double inverse_den = 1 / den;
    for (Index p = begin; p < end; ++p) {
      double others = 0;
      for (Index q = begin; q < end; ++q) others += q == p ? 0 : ratio_[at(q)];
      const double diagonal = ratio_[at(p)] * (1 + theta * others) * inverse_den * rows_.a[at(p)];
      const double off = theta * inverse_den * ratio_[at(p)];
      for (Index r = 0; r < m_; ++r) {
        const Index j = rows_.server[at(p)] * m_ + r;
        const double demand = rows_.demand[at(p * m_ + r)];
        if (!stops(j) || demand == 0) continue;
        double* line = &schur(j, 0);
        for (Index q = begin; q < end; ++q) {
          if (q != p) line[rows_.stop[at(q)]] -= demand * off * ratio_[at(q)] * rows_.a[at(q)];
        }
        line[rows_.stop[at(p)]] += demand * diagonal;
      }
    }
  }
  return schur;
}

VectorXd Path::right_side(double mu, double mu_of_levels) {
  VectorXd right = VectorXd::Zero(level_.size());
  for (Index n = 0; n < rows_.size(); ++n) {
    const Index begin = rows_.first[at(n)], end = rows_.first[at(n + 1)];
    const double of_cap =
        rows_.cap[at(n)] < kInfinity ? (mu - bend_k_[at(n)]) / rows_.t[at(n)] - rows_.k[at(n)] : 0;
    const double v = rows_.total[at(n)] + rows_.k[at(n)];
    double sum = 0;
    for (Index p = begin; p < end; ++p) {
      const double off = v - rows_.a[at(p)] * level(p) - rows_.z[at(p)];
      pull_[at(p)] = (mu * rows_.part[at(p)] - bend_[at(p)]) * inverse_[at(p)] - rows_.z[at(p)] - off - of_cap;
      sum += ratio_[at(p)] * pull_[at(p)];
    }
    sum_[at(n)] = sum;
    const double shared = theta_[at(n)] / den_[at(n)] * sum;
    for (Index p = begin; p < end; ++p) {
      const double dx = ratio_[at(p)] * (pull_[at(p)] - shared);
      for (Index r = 0; r < m_; ++r) right[rows_.server[at(p)] * m_ + r] -= rows_.demand[at(p * m_ + r)] * dx;
    }
  }
  for (Index j = 0; j < level_.size(); ++j)
    right[j] = stops(j) ? right[j] + 1 - use_[j] - mu_of_levels * level_[j] : 0;
  return right;
}

// The steps of all pairs for a step of the levels; returns the longest part of it that keeps everything ≥ 0.
double Path::direction(double mu, const VectorXd& levels) {
  double longest = 1;
  const auto limit = [&](double value, double change) {
    if (-change * longest > value) longest = value / -change;
  };
  for (Index n = 0; n < rows_.size(); ++n) {
    const Index begin = rows_.first[at(n)], end = rows_.first[at(n + 1)];
    double total = sum_[at(n)];
    for (Index p = begin; p < end; ++p) total += ratio_[at(p)] * rows_.a[at(p)] * levels[rows_.stop[at(p)]];
    total /= den_[at(n)];
    for (Index p = begin; p < end; ++p) {
      const double pull = rows_.a[at(p)] * levels[rows_.stop[at(p)]] + pull_[at(p)] - theta_[at(n)] * total;
      dx_[at(p)] = ratio_[at(p)] * pull;
      dz_[at(p)] = (mu * rows_.part[at(p)] - bend_[at(p)]) * inverse_[at(p)] - rows_.z[at(p)] - pull;
      limit(rows_.x[at(p)], dx_[at(p)]);
      limit(rows_.z[at(p)], dz_[at(p)]);
    }
    dt_[at(n)] = -total;
    if (rows_.cap[at(n)] == kInfinity) continue;
    dk_[at(n)] =
        (mu - bend_k_[at(n)]) / rows_.t[at(n)] - rows_.k[at(n)] + rows_.k[at(n)] / rows_.t[at(n)] * total;
    limit(rows_.t[at(n)], dt_[at(n)]);
    limit(rows_.k[at(n)], dk_[at(n)]);
  }
  for (Index j = 0; j < level_.size(); ++j) {
    if (stops(j)) limit(level_[j], levels[j]);
  }
  return longest;
}

void Path::advance(double step, const VectorXd& levels) {
  for (Index n = 0; n < rows_.size(); ++n) {
    double total = 0;
    for (Index p = rows_.first[at(n)]; p < rows_.first[at(n + 1)]; ++p) {
      total += rows_.x[at(p)] += step * dx_[at(p)];
      rows_.z[at(p)] += step * dz_[at(p)];
    }
    rows_.total[at(n)] = total;
    if (rows_.cap[at(n)] == kInfinity) continue;
    rows_.k[at(n)] += step * dk_[at(n)];
    rows_.t[at(n)] += step * dt_[at(n)];
  }
  for (Index j = 0; j < level_.size(); ++j) {
    if (stops(j)) level_[j] += step * levels[j];
  }
}

// One predictor-corrector step; its length, 0 when there is none.
double Path::step_from(double mu) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix(mu / 10));
  std::fill(bend_.begin(), bend_.end(), 0.0);
  std::fill(bend_k_.begin(), bend_k_.end(), 0.0);
  VectorXd levels = lu.solve(right_side(0, 0));
  if (!levels.allFinite()) return 0;
  const double predicted = direction(0, levels);
  double target = std::pow(complementarity(predicted) / mu, 3);
  target = std::clamp(target, predicted < 0.1 ? 0.3 : 1e-4, 1.0) * mu;
  target = std::max(target, kLastCentring / 3);
  for (std::size_t p = 0; p < bend_.size(); ++p) bend_[p] = predicted * predicted * dx_[p] * dz_[p];
  for (std::size_t n = 0; n < bend_k_.size(); ++n) bend_k_[n] = predicted * predicted * dk_[n] * dt_[n];
  levels = lu.solve(right_side(target, target));
  double step = kToBoundary * direction(target, levels);
  if (step < kShortStep) {  // back to the middle instead
    std::fill(bend_.begin(), bend_.end(), 0.0);
    std::fill(bend_k_.begin(), bend_k_.end(), 0.0);
    levels = lu.solve(right_side(mu, mu));
    step = kToBoundary * direction(mu, levels);
  }
  if (!levels.allFinite()) return 0;
  advance(step, levels);
  return step;
}

int Path::follow() {
  int since = 0, stuck = 0;
  for (int iteration = 1; iteration <= kIterations; ++iteration) {
    for (std::vector<double>* each : {&dx_, &dz_, &ratio_, &inverse_, &pull_, &bend_})
      each->assign(rows_.x.size(), 0.0);
    for (std::vector<double>* each : {&theta_, &den_, &sum_, &dt_, &dk_, &bend_k_})
      each->assign(rows_.row.size(), 0.0);
    measure_use();
    take_over();
    const double mu = complementarity(0);
    if (rows_.pairs() == 0 || (mu <= kLastCentring && imbalance() < kBalanced)) return iteration;
    const double step = step_from(mu);
    stuck = step < kStuckStep ? stuck + 1 : 0;
    if (step == 0 || stuck == kStuckSteps) return iteration;
    const double window = kWindow * std::sqrt(complementarity(0) > 0 ? mu : 0);
    if (++since > 2 && step > 0.5 && imbalance() < window / 10 && window < kWidestWindow &&
        rows_.size() > kFewRows) {
      narrow(window);
      since = 0;
    }
  }
  return kIterations;
}

bool Path::is_clear(Index n, Index winner, double window) const {
  const double gap = window * rows_.total[at(n)];
  for (Index p = rows_.first[at(n)]; p < rows_.first[at(n + 1)]; ++p) {
    if (p != winner && rows_.z[at(p)] < gap) return false;
  }
  return rows_.cap[at(n)] == kInfinity || rows_.k[at(n)] > gap || rows_.t[at(n)] > gap;
}

// Clear winners leave, and of the others the pairs that clearly lose.
void Path::narrow(double window) {
  TiedRows left;
  left.first.push_back(0);
  for (Index n = 0; n < rows_.size(); ++n) {
    const Index begin = rows_.first[at(n)], end = rows_.first[at(n + 1)];
    Index winner = begin;
    for (Index p = begin; p < end; ++p) {
      if (rows_.z[at(p)] < rows_.z[at(winner)]) winner = p;
    }
    const bool enough = rows_.cap[at(n)] < kInfinity && rows_.k[at(n)] > rows_.t[at(n)];
    if (is_clear(n, winner, window)) {
      for (Index r = 0; r < m_; ++r) {
        const Index j = rows_.server[at(winner)] * m_ + r;
        const double demand = rows_.demand[at(winner * m_ + r)];
        if (enough)
          fixed_use_[j] += demand * rows_.cap[at(n)];
        else
          winners_(j, rows_.stop[at(winner)]) += demand * rows_.a[at(winner)];
      }
      continue;
    }
    double total = 0;
    for (Index p = begin; p < end; ++p) {
      if (p != winner && rows_.z[at(p)] >= window * rows_.total[at(n)]) continue;
      left.server.push_back(rows_.server[at(p)]);
      left.stop.push_back(rows_.stop[at(p)]);
      left.a.push_back(rows_.a[at(p)]);
      left.part.push_back(rows_.part[at(p)]);
      left.x.push_back(rows_.x[at(p)]);
      left.z.push_back(rows_.z[at(p)]);
      for (Index r = 0; r < m_; ++r) left.demand.push_back(rows_.demand[at(p * m_ + r)]);
      total += rows_.x[at(p)];
    }
    left.row.push_back(rows_.row[at(n)]);
    left.first.push_back(left.pairs());
    left.unit.push_back(rows_.unit[at(n)]);
    left.cap.push_back(rows_.cap[at(n)]);
    left.total.push_back(total);
    left.k.push_back(rows_.k[at(n)]);
    left.t.push_back(rows_.cap[at(n)] < kInfinity ? rows_.cap[at(n)] - total : kInfinity);
  }
  rows_ = std::move(left);
}

Ties Path::ties() const {
  Ties ties{.rows = rows_, .levels = ArrayXXd(problem_.servers(), m_)};
  for (Index j = 0; j < level_.size(); ++j) ties.levels(j / m_, j % m_) = level_[j] * scale_[j / m_];
  return ties;
}

}  // namespace

TiedLevels tie_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels, double centring) {
  Path path(rows, rate, levels);
  path.centre(centring);
  TiedLevels found;
  found.iterations = path.follow();
  Ties ties = path.ties();
  found.x = settle_ties(rows, rate, ties);
  found.levels = ties.levels;
  return found;
}

}  // namespace mirab::numerics
