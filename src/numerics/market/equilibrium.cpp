#include "numerics/market/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/market/price_newton.hpp"

namespace mirab::numerics {

/// Amounts that fit near a point of the path, its prices per unit of a resource, and their regret (infinite
/// where an amount is not finite). O(NKm).
PricedServers repaired(const ServerGame& game, const GameInUnits& in, const PricePoint& at, int threads,
                       const MarketTuning& tuning);

// From a point of the path, near an equilibrium, to amounts that fit.
//
// Dust is dropped. A row that would pay for more than its cap, or is above it, gets its cap; a server that is
// overused shrinks to what it has. A resource is scarce, and has a price, when ν ≥ s.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

ArrayXXd amounts_within_caps(const GameInUnits& in, const PricePoint& at, const MarketTuning& tuning) {
  const ArrayXd total = totals_of(in, at.y);
  ArrayXXd amount = at.y * in.g;
  amount.colwise() *= in.unit;
  for (Index i = 0; i < in.servers(); ++i) {
    amount.col(i) = (amount.col(i) > tuning.dust * total * in.unit).select(amount.col(i), 0.0);
  }
  for (Index n = 0; n < in.rows(); ++n) {
    const bool at_cap = in.capped[n] && at.k[n] * std::pow(total[n], in.q) > at.left[n] / in.cap[n];
    if (!at_cap && !(total[n] > in.cap[n])) continue;
    const double room = in.unit[n] * (in.cap[n] - in.base[n]), sum = amount.row(n).sum();
    if (sum > 0) amount.row(n) *= tuning.below_cap * room / sum;  // else all of it was dust
  }
  return amount;
}

}  // namespace

PricedServers repaired(const ServerGame& game, const GameInUnits& in, const PricePoint& at, int threads,
                       const MarketTuning& tuning) {
  const ServerRows& rows = game.rows;
  PricedServers found{.report = {},
                      .amount = amounts_within_caps(in, at, tuning),
                      .log_price = ArrayXXd::Constant(in.servers(), in.resources(), -kInfinity)};
  for (Index i = 0; i < in.servers(); ++i) {
    scale_to_fit(rows, i, found.amount.col(i));
    for (Index r = 0; r < in.resources(); ++r) {
      if (!(rows.capacity(i, r) > 0) || at.nu(i, r) < at.s(i, r)) continue;
      found.log_price(i, r) = in.p * std::log(in.price_unit[i] * at.nu(i, r)) +
                              game.alpha * std::log(in.total_weight) - std::log(rows.capacity(i, r));
    }
  }
  found.report.error = relative_regret(game, found.amount, found.log_price, threads, tuning.regret);
  return found;
}

/// How the path is followed.
enum class StepRule {
  bold,     ///< z lags behind its equation, the longest steps: best with few rows
  centred,  ///< after every step each row is put back on its equation with the products it has, and the step
            ///< is halved until use lags by no more than μ allows: best with many rows
  careful   ///< every z is put on its equation and stays within a factor of ten of what it was
};

struct WalkSettings {
  StepRule pace;
  double first_price;  ///< of ν
  double kappa;        ///< s ν goes to κ μ
  int max_steps;
};

/// Follows the path from half of everything in equal parts, until the goal is reached or it does not get on;
/// puts what it finds into `best` where its regret is less, and adds to its iterations.
/// O(N(Km)² + (Km)³) a step.
void walk_prices(const ServerGame& game, const GameInUnits& in, const WalkSettings& manner,
                 const Accuracy& accuracy, int threads, const MarketTuning& tuning, PricedServers& best);

// One walk along the path of prices below, in its letters.
//
// Every step is Mehrotra's predictor and corrector with up to three of Gondzio's further corrections; the
// manners differ in what a step may leave behind.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

class Walk {
 public:
  Walk(const ServerGame& game, const GameInUnits& in, const WalkSettings& manner, int threads,
       const MarketTuning& tuning)
      : game_(game), in_(in), manner_(manner), threads_(threads), tuning_(tuning) {
    start();
  }

  void follow(const Accuracy& accuracy, PricedServers& best) {
    int nothing = 0, stalled = 0;
    double step = 1;
    for (int steps = 0;
         steps < manner_.max_steps && nothing < tuning_.max_no_steps && stalled < tuning_.max_stalled;
         ++steps) {
      ++best.report.iterations;
      mu_ = mean_product(at_);
      if (mu_ < tuning_.measured_from && settle(accuracy, best)) return;
      if (!(mu_ > tuning_.smallest_mu)) return;
      step = advance(step);
      if (step < tuning_.no_step) ++nothing;
      stalled = manner_.pace == StepRule::centred && step < tuning_.stalling ? stalled + 1 : 0;
    }
    settle(accuracy, best);
  }

 private:
  Index servers() const { return in_.servers(); }
  Index resources() const { return in_.resources(); }

  // Half of everything in equal parts, prices above what anybody would pay.
  void start() {
    const ArrayXd everywhere = in_.g.rowwise().sum();
    const ArrayXd room = in_.capped.select(in_.cap - in_.base, kInfinity);
    const ArrayXd part = (everywhere > 0).select((room / everywhere).min(1.0) / 2, 0.0);
    at_.y = in_.may.select(part.replicate(1, servers()), 0.0);
    at_.nu = ArrayXXd::Constant(servers(), resources(), manner_.first_price);
    const ArrayXd total = totals_of(in_, at_.y);
    const ArrayXd pull = total.pow(-in_.q);
    at_.k = in_.capped.select(pull - 0.5 * pull.min(2.0), 0.0);
    at_.left = in_.capped.select(in_.cap - total, kInfinity);
    at_.s = 1 - use_of(in_, at_.y);
    prices_ = price_rows(in_, at_.nu, threads_);
    at_.z = overpaid(in_, prices_, total, at_.k);
    count_ = manner_.kappa * static_cast<double>(at_.nu.size()) + in_.capped.select(in_.weight, 0.0).sum();
    for (Index i = 0; i < servers(); ++i) count_ += in_.may.col(i).select(in_.weight, 0.0).sum();
  }

  double mean_product(const PricePoint& at) const {
    const double of_rows = ((at.y * at.z).rowwise().sum() * in_.weight).sum();
    const double of_caps = in_.capped.select(at.k * at.left * in_.weight, 0.0).sum();
    return (of_rows + of_caps + (at.s * at.nu).sum()) / count_;
  }

  // The change of every product that `wanted(product now, with the step d, da dc, goal)` asks for.
  template <class Wanted>
  PricePoint change_of(double target, const Wanted& wanted) const {
    const auto over = [&](const auto& a, const auto& c, const auto& da, const auto& dc, double goal) {
      return ArrayXXd(ArrayXXd::NullaryExpr(a.rows(), a.cols(), [&](Index i, Index j) {
        return wanted(a(i, j), c(i, j), da(i, j), dc(i, j), goal);
      }));
    };
    const PricePoint& d = direction_;
    PricePoint change{.y = in_.may.select(over(at_.y, at_.z, d.y, d.z, target), 0.0),
                      .z = {},
                      .s = over(at_.s, at_.nu, d.s, d.nu, manner_.kappa * target),
                      .nu = {},
                      .k = {},
                      .left = {}};
    change.k = in_.capped.select(over(at_.k, at_.left, d.k, d.left, target).col(0), 0.0);
    return change;
  }

  PricePoint all_products_to_zero() const {
    return {.y = in_.may.select(-at_.y * at_.z, 0.0),
            .z = {},
            .s = -at_.s * at_.nu,
            .nu = {},
            .k = in_.capped.select(-at_.k * at_.left, 0.0),
            .left = {}};
  }

  // μ aimed at, over μ.
  // σ = (affine μ / μ)³, Mehrotra 1992. Measured: 386 steps in all, 476 with the square, 401 with the fourth
  // power.
  double centring(const PriceNewton& newton, bool only_centre) const {
    if (manner_.pace == StepRule::centred &&
        newton.imbalance().abs().maxCoeff() > tuning_.centre_from_lag * mu_)
      return 1;
    const double affine = mean_product(moved(at_, direction_, std::min(1.0, furthest_step(at_, direction_))));
    const double sigma =
        affine >= 0 && affine < mu_ ? std::max(std::pow(affine / mu_, 3), tuning_.min_sigma) : 1;
    if (only_centre) return std::max(sigma, tuning_.centring_sigma);
    return manner_.pace == StepRule::centred ? std::max(sigma, tuning_.centred_sigma) : sigma;
  }

  double length() const {
    return std::min(1.0, std::max(tuning_.to_boundary, 1 - mu_) * furthest_step(at_, direction_));
  }

  // One step; gives its length.
  double advance(double last_step) {
    const bool only_centre = last_step < tuning_.short_step;
    const PriceNewton newton(in_, prices_, at_, threads_);
    direction_ = newton.direction(all_products_to_zero());
    const double target = centring(newton, only_centre) * mu_;
    const double second = only_centre ? 0 : 1;
    PricePoint change = change_of(target, [&](double a, double c, double da, double dc, double goal) {
      return goal - a * c - second * da * dc;
    });
    direction_ = newton.direction(change);
    double step = length();
    for (int more = 0; more < tuning_.corrections && step < tuning_.corrected_below; ++more) {
      const double hoped = std::min(1.0, std::max(tuning_.hoped_times * step, step + tuning_.hoped_more));
      const PricePoint lacks = change_of(target, [&](double a, double c, double da, double dc, double goal) {
        const double product = (a + hoped * da) * (c + hoped * dc);
        return std::max(std::clamp(product, goal / tuning_.spread, goal * tuning_.spread) - product,
                        -tuning_.spread * goal);
      });
      change.y += lacks.y;
      change.s += lacks.s;
      change.k += lacks.k;
      PricePoint last = std::exchange(direction_, newton.direction(change));
      const double longer = length();
      if (longer < step) direction_ = std::move(last);
      if (longer < tuning_.longer_times * step + tuning_.longer_by) break;
      step = longer;
    }
    if (manner_.pace == StepRule::careful) return careful_step(step);
    if (manner_.pace == StepRule::centred && mu_ > tuning_.rows_lag_from)
      return keep_centred(step, newton.imbalance().abs().maxCoeff());
    place(moved(at_, direction_, step));
    return step;
  }

  void place(PricePoint to) {
    at_ = std::move(to);
    prices_ = price_rows(in_, at_.nu, threads_);
  }

  // Rows back on their equations; a shorter step if use then lags too far behind.
  double keep_centred(double step, double lag) {
    const PricePoint from = at_;
    for (int halvings = 0; halvings < tuning_.max_halvings; ++halvings, step *= 0.5) {
      place(moved(from, direction_, step));
      const double mean = mean_product(at_), lowest = mean / tuning_.row_spread,
                   highest = mean * tuning_.row_spread;
      at_.z = in_.may.select((at_.y * at_.z).max(lowest).min(highest) / at_.y, 1.0);
      at_.k = in_.capped.select((at_.k * at_.left).max(lowest).min(highest) / at_.left, 0.0);
      put_rows_on_equations(in_, prices_, threads_, at_, tuning_.rows);
      const double now = (1 - use_of(in_, at_.y) - at_.s).abs().maxCoeff();
      if (now <= std::min(tuning_.max_lag, tuning_.lag_per_mu * mean) ||
          now < (1 - tuning_.falling_lag * step) * lag)
        return step;
    }
    place(from);
    return 0;
  }

  // Shortens the step until z and its equation agree within a factor.
  double careful_step(double step) {
    const PricePoint from = at_;
    for (int shorter = 0; shorter < tuning_.max_shrinks; ++shorter, step *= tuning_.shrink) {
      place(moved(from, direction_, step));
      ArrayXXd z = overpaid(in_, prices_, totals_of(in_, at_.y), at_.k);
      if (!(!in_.may || (z > 1 / tuning_.agree * at_.z && z < tuning_.agree * at_.z)).all()) continue;
      at_.z = std::move(z);
      return step;
    }
    place(from);
    return 0;
  }

  // Is it what was wanted, or as good as it gets?
  bool settle(const Accuracy& accuracy, PricedServers& best) {
    PricedServers found = repaired(game_, in_, at_, threads_, tuning_);
    found.report.iterations = best.report.iterations;
    no_better_ = found.report.error < best.report.error / 2 ? 0 : no_better_ + 1;
    if (found.report.error < best.report.error) best = std::move(found);
    return best.report.error <= accuracy.target ||
           (no_better_ >= tuning_.measured_in_vain && best.report.error <= accuracy.accepted);
  }

  const ServerGame& game_;
  const GameInUnits& in_;
  WalkSettings manner_;
  int threads_;
  const MarketTuning& tuning_;
  PricePoint at_, direction_;
  RowPrices prices_;  // at at_
  double mu_ = 1, count_ = 0;
  int no_better_ = 0;
};

}  // namespace

void walk_prices(const ServerGame& game, const GameInUnits& in, const WalkSettings& manner,
                 const Accuracy& accuracy, int threads, const MarketTuning& tuning, PricedServers& best) {
  Walk(game, in, manner, threads, tuning).follow(accuracy, best);
}

// An equilibrium of the game among servers, by a primal-dual path.
//
// Source: docs/explanation/mathematics.md, section 6; predictor and corrector after Mehrotra 1992, further
// corrections after Gondzio 1996.
//
// In the units of price_newton.hpp, with y = x/g, the conditions become
//   z_{n,i} = ρ_{n,i} - g_{n,i}^q (X_n^(-q) - k_n) ≥ 0  ⊥  y ≥ 0,  ρ = (Σ_r ν_{i,r}^p b_{n,i,r})^(1/p),  q =
//   α/p, s_{i,r} = 1 - Σ_n w_n/Σw b y ≥ 0  ⊥  ν ≥ 0,    cap_n - X_n ≥ 0  ⊥  k_n ≥ 0.
// ρ and X^(-q) bend little however far the prices go; a step in X - Y(ν), which goes to infinity as ν does to
// 0, leads nowhere with many rows. All products start near each other and are driven to zero together: y z
// and k left to μ, s ν to κ μ.
//
// There is no potential for α ≠ 1, and the path may bend, so there are three ways to walk it:
//   bold      z lags behind its equation, the longest steps: best with few rows;
//   centred   after every step each row is put back on its equation with the products it has, and the step is
//             halved until use lags by no more than μ allows: best with many rows, where a lag of (ΔX/X)² is
//             more than z itself. κ = (Km)^(-1/p) is what prices are, so that s shifts them by μ of them;
//   careful   every z is put on its equation and stays within a factor of ten of what it was.
// One follows the other until one arrives. The end is judged by the regret of the repaired amounts
// above, nothing else.
//
// Known failures: 2 of 2,000 small random problems at α = 10; demands over nine orders of magnitude, or whole
// numbers on servers 10⁴ apart, 1 to 4 of 1,000 (16 at α = 50). The regret says so.

namespace {

// One after the other until one arrives. With few rows a start from elsewhere is cheap, and the last ones
// rescue what the first ones miss.
std::vector<WalkSettings> walk_settings_for(const GameInUnits& in, const MarketTuning& tuning) {
  const double first = tuning.first_price;
  const double kappa = std::pow(static_cast<double>(in.servers() * in.resources()), -1 / in.p);
  const int few = tuning.careful_steps, many = tuning.careful_steps_of_many;
  const WalkSettings centred{StepRule::centred, first, kappa, tuning.centred_steps};
  const WalkSettings bold{StepRule::bold, first, 1, tuning.bold_steps};
  if (in.g.size() > tuning.many_placements) {
    return {centred,
            {StepRule::careful, first, kappa, many},
            bold,
            {StepRule::careful, tuning.higher_price * first, 1, many}};
  }
  return {bold,
          {StepRule::careful, first, 1, few},
          {StepRule::careful, tuning.higher_price * first, 1, few},
          centred,
          {StepRule::careful, first, kappa, few},
          {StepRule::centred, tuning.higher_price * first, 1, tuning.centred_steps},
          {StepRule::bold, tuning.highest_price * first, 1, tuning.bold_steps},
          {StepRule::careful, tuning.highest_price * first, 0.1, few}};
}

}  // namespace

PricedServers follow_price_path(const ServerGame& game, const Accuracy& accuracy, int threads,
                                const MarketTuning& tuning) {
  const GameInUnits in(game, tuning.rows);
  PricedServers best{.report = {},
                     .amount = Eigen::ArrayXXd::Zero(in.rows(), in.servers()),
                     .log_price = Eigen::ArrayXXd::Constant(in.servers(), in.resources(), -kInfinity)};
  for (const WalkSettings& manner : walk_settings_for(in, tuning)) {
    walk_prices(game, in, manner, accuracy, threads, tuning, best);
    if (best.report.error <= accuracy.accepted) break;
  }
  best.report = report_of(best.report.error, accuracy, Stop::stalled, best.report.iterations);
  return best;
}

// Sweeps of best responses: the distributed algorithm for the game among servers.
//
// Source: docs/explanation/mathematics.md, section 6; the published mechanism's iterative algorithm is of
// this kind. Server i takes its amounts away, X_n of the others stay, and it maximises its own U_i, a concave
// problem with m prices, which is the game of one server above. Gauss-Seidel: the next server sees the
// answer.
//
// Known failure: it creeps where rows are tied between servers, the more so the larger α is, and then ends at
// the bound of 300 sweeps, with the best of them.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

ServerRows only(const ServerRows& rows, Index i) {
  return {.demand = {rows.demand_on(i)},
          .capacity = rows.capacity.row(i),
          .alone = rows.alone.col(i),
          .cap = rows.cap};
}

// What the rows have besides, when server i has nothing.
ArrayXd elsewhere_than(const ServerGame& game, const ArrayXXd& amount, Index i) {
  ArrayXd elsewhere =
      amount.leftCols(i).rowwise().sum() + amount.rightCols(amount.cols() - i - 1).rowwise().sum();
  if (game.elsewhere.size() > 0) elsewhere += game.elsewhere;
  return elsewhere;
}

// max over rows and servers of |Δx| / X.
double largest_move(const ArrayXXd& from, const ArrayXXd& to) {
  const ArrayXd total = to.rowwise().sum();
  const ArrayXd moved = (to - from).abs().rowwise().maxCoeff();
  return (moved > 0).select(moved / total, 0.0).maxCoeff();
}

}  // namespace

PricedServers sweep_best_responses(const ServerGame& game, const Accuracy& accuracy, int threads,
                                   const MarketTuning& tuning) {
  const ServerRows& rows = game.rows;
  std::vector<ServerRows> alone;
  for (Index i = 0; i < rows.servers(); ++i) alone.push_back(only(rows, i));
  PricedServers at{.report = {},
                   .amount = ArrayXXd::Zero(rows.rows(), rows.servers()),
                   .log_price = ArrayXXd::Constant(rows.servers(), rows.resources(), -kInfinity)};
  PricedServers best = at;
  Stop otherwise = Stop::limit;
  int no_better = 0, sweeps = 0;
  while (sweeps < tuning.max_sweeps && !(best.report.error <= accuracy.target)) {
    const ArrayXXd before = at.amount;
    for (Index i = 0; i < rows.servers(); ++i) {
      const PricedServers answer = follow_price_path(
          {alone[static_cast<std::size_t>(i)], game.weight, game.alpha, elsewhere_than(game, at.amount, i)},
          tuning.answer, threads, tuning);
      at.amount.col(i) = answer.amount.col(0);
      at.log_price.row(i) = answer.log_price.row(0);
    }
    ++sweeps;
    at.report.error = relative_regret(game, at.amount, at.log_price, threads, tuning.regret);
    no_better = at.report.error < best.report.error / 2 ? 0 : no_better + 1;
    if (at.report.error < best.report.error || sweeps == 1) best = at;
    if (largest_move(before, at.amount) <= tuning.still) {
      otherwise = Stop::stalled;
      break;
    }
    if (no_better >= tuning.sweeps_in_vain && best.report.error <= accuracy.accepted) break;
  }
  best.report = report_of(best.report.error, accuracy, otherwise, sweeps);
  return best;
}

}  // namespace mirab::numerics
