// The interior-point method for levels that agree between servers: one predictor-corrector step, and the
// loop.
#include "numerics/psdsf/tied_levels.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/base/rows.hpp"
#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {

// A predictor-corrector step towards levels that agree between servers.
//
// Source: Mehrotra 1992; docs/explanation/mathematics.md, section 5. The equations, linearised, are
//   V_n - a_{n,i} L_{i,g} = z_{n,i},  Σ_n d_{n,r} x_{n,i} = 1 for the resources that stop a row,
//   x z = μ part,  k t = μ.
// A row's part is diag(z/x) + θ 11ᵀ, θ = 1 + k/t: Sherman-Morrison leaves a dense system in the levels. Steps
// are on x and z together: rows with the same scarce resource on two servers tie by the thousand, and x as a
// function of the levels alone would jump.
//
// Known failure: the problem is not monotone, and steps can become short; the caller has to see.

namespace {

using Eigen::Index;
using Eigen::VectorXd;

}  // namespace

// The Schur complement in the levels. The diagonal of a row's inverse, D (1 + θ Σ_{others} D) / (1 + θ Σ D),
// is summed without cancellation.
TiedSystem::Matrix TieStep::matrix(double mu) {
  const Index m = at_.resources();
  const TiedRows& rows = at_.rows;
  TiedSystem::Matrix schur = at_.winners;
  for (Index j = 0; j < at_.level.size(); ++j) schur(j, j) += at_.stops(j) ? mu : 1;
  for (Index n = 0; n < rows.size(); ++n) {
    const Index begin = rows.first[as_size(n)], end = rows.first[as_size(n + 1)];
    const double theta = theta_[as_size(n)] =
        rows.cap[as_size(n)] < kInfinity ? 1 + rows.k[as_size(n)] / rows.t[as_size(n)] : 1;
    double all = 0;
    for (Index p = begin; p < end; ++p) {
      inverse_[as_size(p)] = 1 / rows.x[as_size(p)];
      all += ratio_[as_size(p)] = rows.x[as_size(p)] / rows.z[as_size(p)];
    }
    const double den = den_[as_size(n)] = 1 + theta * all;
    const double inverse_den = 1 / den;
    for (Index p = begin; p < end; ++p) {
      double others = 0;
      for (Index q = begin; q < end; ++q) others += q == p ? 0 : ratio_[as_size(q)];
      const double diagonal = ratio_[as_size(p)] * (1 + theta * others) * inverse_den * rows.a[as_size(p)];
      const double off = theta * inverse_den * ratio_[as_size(p)];
      for (Index r = 0; r < m; ++r) {
        const Index j = rows.server[as_size(p)] * m + r;
        const double demand = rows.demand[as_size(p * m + r)];
        if (!at_.stops(j) || demand == 0) continue;
        double* line = &schur(j, 0);
        for (Index q = begin; q < end; ++q) {
          if (q != p) line[rows.stop[as_size(q)]] -= demand * off * ratio_[as_size(q)] * rows.a[as_size(q)];
        }
        line[rows.stop[as_size(p)]] += demand * diagonal;
      }
    }
  }
  return schur;
}

VectorXd TieStep::right_side(double mu, double mu_of_levels) {
  const Index m = at_.resources();
  const TiedRows& rows = at_.rows;
  VectorXd right = VectorXd::Zero(at_.level.size());
  for (Index n = 0; n < rows.size(); ++n) {
    const Index begin = rows.first[as_size(n)], end = rows.first[as_size(n + 1)];
    const double of_cap = rows.cap[as_size(n)] < kInfinity
                              ? (mu - bend_k_[as_size(n)]) / rows.t[as_size(n)] - rows.k[as_size(n)]
                              : 0;
    const double v = rows.total[as_size(n)] + rows.k[as_size(n)];
    double sum = 0;
    for (Index p = begin; p < end; ++p) {
      const double off = v - rows.a[as_size(p)] * at_.level_of(as_size(p)) - rows.z[as_size(p)];
      pull_[as_size(p)] = (mu * rows.part[as_size(p)] - bend_[as_size(p)]) * inverse_[as_size(p)] -
                          rows.z[as_size(p)] - off - of_cap;
      sum += ratio_[as_size(p)] * pull_[as_size(p)];
    }
    sum_[as_size(n)] = sum;
    const double shared = theta_[as_size(n)] / den_[as_size(n)] * sum;
    for (Index p = begin; p < end; ++p) {
      const double dx = ratio_[as_size(p)] * (pull_[as_size(p)] - shared);
      for (Index r = 0; r < m; ++r)
        right[rows.server[as_size(p)] * m + r] -= rows.demand[as_size(p * m + r)] * dx;
    }
  }
  for (Index j = 0; j < at_.level.size(); ++j)
    right[j] = at_.stops(j) ? right[j] + 1 - at_.use[j] - mu_of_levels * at_.level[j] : 0;
  return right;
}

// The steps of all pairs for a step of the levels; returns the longest part of it that keeps everything ≥ 0.
double TieStep::direction(double mu, const VectorXd& levels) {
  const TiedRows& rows = at_.rows;
  double longest = 1;
  const auto limit = [&](double value, double change) {
    if (-change * longest > value) longest = value / -change;
  };
  for (Index n = 0; n < rows.size(); ++n) {
    const Index begin = rows.first[as_size(n)], end = rows.first[as_size(n + 1)];
    double total = sum_[as_size(n)];
    for (Index p = begin; p < end; ++p)
      total += ratio_[as_size(p)] * rows.a[as_size(p)] * levels[rows.stop[as_size(p)]];
    total /= den_[as_size(n)];
    for (Index p = begin; p < end; ++p) {
      const double pull =
          rows.a[as_size(p)] * levels[rows.stop[as_size(p)]] + pull_[as_size(p)] - theta_[as_size(n)] * total;
      dx_[as_size(p)] = ratio_[as_size(p)] * pull;
      dz_[as_size(p)] =
          (mu * rows.part[as_size(p)] - bend_[as_size(p)]) * inverse_[as_size(p)] - rows.z[as_size(p)] - pull;
      limit(rows.x[as_size(p)], dx_[as_size(p)]);
      limit(rows.z[as_size(p)], dz_[as_size(p)]);
    }
    dt_[as_size(n)] = -total;
    if (rows.cap[as_size(n)] == kInfinity) continue;
    dk_[as_size(n)] = (mu - bend_k_[as_size(n)]) / rows.t[as_size(n)] - rows.k[as_size(n)] +
                      rows.k[as_size(n)] / rows.t[as_size(n)] * total;
    limit(rows.t[as_size(n)], dt_[as_size(n)]);
    limit(rows.k[as_size(n)], dk_[as_size(n)]);
  }
  for (Index j = 0; j < at_.level.size(); ++j) {
    if (at_.stops(j)) limit(at_.level[j], levels[j]);
  }
  return longest;
}

void TieStep::move(double step, const VectorXd& levels) {
  TiedRows& rows = at_.rows;
  for (Index n = 0; n < rows.size(); ++n) {
    double total = 0;
    for (Index p = rows.first[as_size(n)]; p < rows.first[as_size(n + 1)]; ++p) {
      total += rows.x[as_size(p)] += step * dx_[as_size(p)];
      rows.z[as_size(p)] += step * dz_[as_size(p)];
    }
    rows.total[as_size(n)] = total;
    if (rows.cap[as_size(n)] == kInfinity) continue;
    rows.k[as_size(n)] += step * dk_[as_size(n)];
    rows.t[as_size(n)] += step * dt_[as_size(n)];
  }
  for (Index j = 0; j < at_.level.size(); ++j) {
    if (at_.stops(j)) at_.level[j] += step * levels[j];
  }
}

// The mean product after a part of the step.
double TieStep::predicted_product(double step) const {
  const TiedRows& rows = at_.rows;
  double sum = 0;
  Index count = rows.pairs();
  for (std::size_t p = 0; p < rows.x.size(); ++p)
    sum += (rows.x[p] + step * dx_[p]) * (rows.z[p] + step * dz_[p]) / rows.part[p];
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    if (rows.cap[n] == kInfinity) continue;
    sum += (rows.k[n] + step * dk_[n]) * (rows.t[n] + step * dt_[n]);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// The second-order terms of a predicted step.
void TieStep::bend(double predicted) {
  for (std::size_t p = 0; p < bend_.size(); ++p) bend_[p] = predicted * predicted * dx_[p] * dz_[p];
  for (std::size_t n = 0; n < bend_k_.size(); ++n) bend_k_[n] = predicted * predicted * dk_[n] * dt_[n];
}

void TieStep::clear() {
  for (std::vector<double>* each : {&dx_, &dz_, &ratio_, &inverse_, &pull_, &bend_})
    each->assign(at_.rows.x.size(), 0.0);
  for (std::vector<double>* each : {&theta_, &den_, &sum_, &dt_, &dk_, &bend_k_})
    each->assign(at_.rows.row.size(), 0.0);
}

double TieStep::mean_product() {
  clear();
  return predicted_product(0);
}

double TieStep::advance(double mu) {
  clear();
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix(mu / tuning_.level_divisor));
  VectorXd levels = lu.solve(right_side(0, 0));
  if (!levels.allFinite()) return 0;
  const double predicted = direction(0, levels);
  double target = std::pow(predicted_product(predicted) / mu, 3);
  target =
      std::clamp(target, predicted < tuning_.poor_prediction ? tuning_.poor_sigma : tuning_.min_sigma, 1.0) *
      mu;
  target = std::max(target, tuning_.last_product / 3);
  bend(predicted);
  levels = lu.solve(right_side(target, target));
  double step = tuning_.to_boundary * direction(target, levels);
  if (step < tuning_.short_step) {  // back to the middle instead
    bend(0);
    levels = lu.solve(right_side(mu, mu));
    step = tuning_.to_boundary * direction(mu, levels);
  }
  if (!levels.allFinite()) return 0;
  move(step, levels);
  return step;
}

// Levels that agree between servers, by a primal-dual interior point.
//
// Source: docs/explanation/mathematics.md, section 5. With g(n,i) the full resource of lowest level
// among those that row n demands on server i, the conditions are a linear complementarity problem in x, z, k,
// t and the levels (tied_rows.hpp). The products x z and k t are driven to zero together (tied_levels.hpp);
// those of a row's pairs stay in proportion to what it could hold on each server, or small servers would be
// swamped at the start. When a resource that stopped no row overflows it takes over from the fullest that its
// rows stop at. As the products fall, rows with one clear winner leave the system. At the end ties are made
// exact.
//
// Known failures: the problem is neither monotone nor has it one solution, so nothing is promised; the caller
// checks. Clusters in which most rows are tied exactly or at their cap may leave it stuck.

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

// Steps until all products are next to zero, or steps are too short.
SolveReport follow(TiedSystem& system, const TieTuning& tuning) {
  TieStep newton(system, tuning);
  int since = 0, stuck = 0;
  for (int iteration = 1; iteration <= tuning.max_iterations; ++iteration) {
    measure_use(system);
    take_over(system, tuning);
    const double mu = newton.mean_product();
    const auto ended = [&](Stop stop) {
      return SolveReport{.error = imbalance(system), .stop = stop, .iterations = iteration};
    };
    if (system.rows.pairs() == 0 || (mu <= tuning.last_product && imbalance(system) < tuning.balanced))
      return ended(Stop::target);
    const double step = newton.advance(mu);
    stuck = step < tuning.stuck_step ? stuck + 1 : 0;
    if (step == 0 || stuck == tuning.stuck_steps) return ended(Stop::stalled);
    const double window = tuning.window * std::sqrt(mu);
    if (++since > tuning.steps_between && step > tuning.good_step && imbalance(system) < window / 10 &&
        window < tuning.widest_window && system.rows.size() > tuning.few_rows) {
      take_out_winners(system, window);
      since = 0;
    }
  }
  return {.error = imbalance(system), .stop = Stop::limit, .iterations = tuning.max_iterations};
}

}  // namespace

TiedLevels tie_levels(const ServerRows& rows, const ArrayXXd& rate, const ArrayXXd& levels, double centring,
                      const TieTuning& tuning) {
  TiedSystem system = tied_system(rows, rate, levels, tuning);
  centre(system, centring, tuning);
  TiedLevels found;
  found.report = follow(system, tuning);
  const Index m = rows.resources();
  found.levels.resize(rows.servers(), m);
  for (Index j = 0; j < found.levels.size(); ++j)
    found.levels(j / m, j % m) = system.level[j] * system.scale[j / m];
  found.x = settle_ties(rows, rate, system.rows, found.levels, tuning);
  return found;
}

}  // namespace mirab::numerics
