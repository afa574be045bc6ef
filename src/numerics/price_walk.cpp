// One walk along the path of price_path.cpp, in its letters.
//
// Every step is Mehrotra's predictor and corrector with up to three of Gondzio's further corrections; the
// manners differ in what a step may leave behind (price_walk.hpp).
#include "numerics/price_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/price_newton.hpp"
#include "numerics/price_repair.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMeasuredFrom = 1e-6;  // μ, below which the regret is looked at
constexpr double kSmallestMu = 1e-17;
constexpr double kShortStep = 0.1;  // after it the next one only centres
constexpr double kNextToNothing = 1e-8;
constexpr int kNextToNothingMost = 5;
constexpr int kCorrections = 3;
constexpr double kSpread = 10;    // of the products about their mean, beyond which they are corrected
constexpr int kNoBetterMost = 3;  // measurements, after which a tolerated regret is taken

// Of a centred walk.
constexpr double kRowsLagFrom = 1e-9;  // μ, below which rows keep up by themselves, to more digits
constexpr double kRowSpread = 100;     // of a product about the mean
constexpr double kLargestLag = 0.3;    // of use
constexpr double kLagPerMu = 100;      // of use, that a step may leave
constexpr double kCentreFromLag = 30;  // times μ, of use
constexpr double kSmallestSigma = 0.01;
constexpr int kStalled = 12;  // short steps one after the other
constexpr double kStalling = 0.3;

class Walk {
 public:
  Walk(const ServerGame& game, const GameInUnits& in, const Manner& manner, int threads)
      : game_(game), in_(in), manner_(manner), threads_(threads) {
    start();
  }

  void follow(const RegretGoal& goal, PricedServers& best) {
    int nothing = 0, stalled = 0;
    double step = 1;
    for (int steps = 0; steps < manner_.steps_most && nothing < kNextToNothingMost && stalled < kStalled;
         ++steps) {
      ++best.iterations;
      mu_ = mean_product(at_);
      if (mu_ < kMeasuredFrom && settle(goal, best)) return;
      if (!(mu_ > kSmallestMu)) return;
      step = advance(step);
      if (step < kNextToNothing) ++nothing;
      stalled = manner_.pace == Pace::centred && step < kStalling ? stalled + 1 : 0;
    }
    settle(goal, best);
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
  double centring(const PriceNewton& newton, bool only_centre) const {
    if (manner_.pace == Pace::centred && newton.imbalance().abs().maxCoeff() > kCentreFromLag * mu_) return 1;
    const double affine = mean_product(moved(at_, direction_, std::min(1.0, furthest_step(at_, direction_))));
    const double sigma = affine >= 0 && affine < mu_ ? std::max(std::pow(affine / mu_, 3), 1e-6) : 1;
    if (only_centre) return std::max(sigma, 0.5);
    return manner_.pace == Pace::centred ? std::max(sigma, kSmallestSigma) : sigma;
  }

  double length() const { return std::min(1.0, std::max(0.9, 1 - mu_) * furthest_step(at_, direction_)); }

  // One step; gives its length.
  double advance(double last_step) {
    const bool only_centre = last_step < kShortStep;
    const PriceNewton newton(in_, prices_, at_, threads_);
    direction_ = newton.direction(all_products_to_zero());
    const double target = centring(newton, only_centre) * mu_;
    const double second = only_centre ? 0 : 1;
    PricePoint change = change_of(target, [&](double a, double c, double da, double dc, double goal) {
      return goal - a * c - second * da * dc;
    });
    direction_ = newton.direction(change);
    double step = length();
    for (int more = 0; more < kCorrections && step < 0.95; ++more) {
      const double hoped = std::min(1.0, std::max(2 * step, step + 0.1));
      const PricePoint lacks = change_of(target, [&](double a, double c, double da, double dc, double goal) {
        const double product = (a + hoped * da) * (c + hoped * dc);
        return std::max(std::clamp(product, goal / kSpread, goal * kSpread) - product, -kSpread * goal);
      });
      change.y += lacks.y;
      change.s += lacks.s;
      change.k += lacks.k;
      PricePoint last = std::exchange(direction_, newton.direction(change));
      const double longer = length();
      if (longer < step) direction_ = std::move(last);
      if (longer < 1.01 * step + 0.01) break;
      step = longer;
    }
    if (manner_.pace == Pace::careful) return tread(step);
    if (manner_.pace == Pace::centred && mu_ > kRowsLagFrom)
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
    for (int halvings = 0; halvings < 20; ++halvings, step *= 0.5) {
      place(moved(from, direction_, step));
      const double mean = mean_product(at_), least = mean / kRowSpread, most = mean * kRowSpread;
      at_.z = in_.may.select((at_.y * at_.z).max(least).min(most) / at_.y, 1.0);
      at_.k = in_.capped.select((at_.k * at_.left).max(least).min(most) / at_.left, 0.0);
      put_rows_on_equations(in_, prices_, threads_, at_);
      const double now = (1 - use_of(in_, at_.y) - at_.s).abs().maxCoeff();
      if (now <= std::min(kLargestLag, kLagPerMu * mean) || now < (1 - 0.1 * step) * lag) return step;
    }
    place(from);
    return 0;
  }

  // Shortens the step until z and its equation agree within a factor of ten.
  double tread(double step) {
    const PricePoint from = at_;
    for (int shorter = 0; shorter < 60; ++shorter, step *= 0.6) {
      place(moved(from, direction_, step));
      ArrayXXd z = overpaid(in_, prices_, totals_of(in_, at_.y), at_.k);
      if (!(!in_.may || (z > 0.1 * at_.z && z < 10 * at_.z)).all()) continue;
      at_.z = std::move(z);
      return step;
    }
    place(from);
    return 0;
  }

  // Is it what was wanted, or as good as it gets?
  bool settle(const RegretGoal& goal, PricedServers& best) {
    PricedServers found = repaired(game_, in_, at_, threads_);
    found.iterations = best.iterations;
    no_better_ = found.regret < best.regret / 2 ? 0 : no_better_ + 1;
    if (found.regret < best.regret) best = std::move(found);
    return best.regret <= goal.wanted || (no_better_ >= kNoBetterMost && best.regret <= goal.tolerated);
  }

  const ServerGame& game_;
  const GameInUnits& in_;
  Manner manner_;
  int threads_;
  PricePoint at_, direction_;
  RowPrices prices_;  // at at_
  double mu_ = 1, count_ = 0;
  int no_better_ = 0;
};

}  // namespace

void walk_prices(const ServerGame& game, const GameInUnits& in, const Manner& manner, const RegretGoal& goal,
                 int threads, PricedServers& best) {
  Walk(game, in, manner, threads).follow(goal, best);
}

}  // namespace mirab::numerics
