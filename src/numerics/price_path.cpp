// An equilibrium of the game among servers, by a primal-dual path.
//
// Source: docs/mathematics.md, αPF-VDS; predictor and corrector after Mehrotra 1992, further corrections
// after Gondzio 1996.
//
// In units: a row's tasks in w_n Γ_n / Σw with Γ_n = max_i γ_{n,i}, g = γ/Γ; b = γ d/c, the parts of a
// server's resources that a row takes alone (the largest is 1); y = x/g; prices λ_{i,r} c_{i,r} = (Σw)^α ν^p
// with p = max(1, α), so that nothing is raised to a large power before its root is taken. The conditions
// become
//   z_{n,i} = ρ_{n,i} - g_{n,i}^q (X_n^(-q) - k_n) ≥ 0  ⊥  y ≥ 0,  ρ = (Σ_r ν_{i,r}^p b_{n,i,r})^(1/p),  q =
//   α/p, s_{i,r} = 1 - Σ_n w_n/Σw b y ≥ 0  ⊥  ν ≥ 0,    cap_n - X_n ≥ 0  ⊥  k_n ≥ 0.
// ρ and X^(-q) bend little however far the prices go; a step in X - Y(ν), which goes to infinity as ν does to
// 0, leads nowhere with many rows. All products start near each other and are driven to zero together. A
// row's part of a Newton step is a diagonal and one rank (Sherman-Morrison), which leaves Km prices, no
// symmetry, LU.
//
// There is no potential for α ≠ 1, and the path may bend. A bold walk lets z lag behind its equation and
// takes the longest steps; when that leads nowhere, a careful one starts anew and keeps every z within a
// factor of ten of its equation. The end is judged by the regret of the repaired amounts (regret.hpp),
// nothing else.
//
// Known failures: from some ten thousand rows on, 2 < α < 40 can need hundreds of iterations, or not arrive;
// so do 3 of 2,000 small random problems at α = 10. The regret says so.
#include "numerics/price_path.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/blocks.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFirstPrice = 4;  // of ν: above what any row would pay for half of everything
constexpr double kOtherFirstPrice = 40;
constexpr double kMeasuredFrom = 1e-6;  // μ, below which the regret is looked at
constexpr double kSmallestMu = 1e-17;
constexpr double kShortStep = 0.1;  // after it the next one only centres
constexpr double kNextToNothing = 1e-8;
constexpr int kNextToNothingMost = 5;
constexpr int kBoldSteps = 100;
constexpr int kCarefulSteps = 400;
constexpr int kCorrections = 3;
constexpr double kSpread = 10;            // of the products about their mean, beyond which they are corrected
constexpr double kJustBelow = 1 - 1e-15;  // so that no rounding passes a cap
constexpr int kNoBetterMost = 3;          // measurements, after which a tolerated regret is taken
constexpr double kDropped = 1e-12;        // of a row's total: smaller placements are none

enum class Pace { bold, careful };

// The game in units (see above).
struct Scaled {
  explicit Scaled(const ServerGame& game);
  Index rows() const { return g.rows(); }
  Index servers() const { return g.cols(); }

  double p, q, total_weight;
  ArrayXd weight;  // w / Σw
  ArrayXd unit;    // tasks
  ArrayXd cap;     // infinite without one
  ArrayXd base;
  ArrayXXd g, gq;           // 0 where a row may not go, or may not have more
  std::vector<ArrayXXd> b;  // [i]: [n][r]
};

Scaled::Scaled(const ServerGame& game)
    : p(std::max(1.0, game.alpha)), q(game.alpha / p), total_weight(game.weight.sum()) {
  const ServerRows& given = game.rows;
  weight = game.weight / total_weight;
  ArrayXXd alone = given.alone;
  if (given.cap.size() > 0) {
    ArrayXd room = given.cap;
    if (game.elsewhere.size() > 0) room -= game.elsewhere;
    for (Index i = 0; i < alone.cols(); ++i) alone.col(i) = (room > 0).select(alone.col(i), 0.0);
  }
  const ArrayXd largest = alone.rowwise().maxCoeff();
  const ArrayXd divisor = (largest > 0).select(largest, 1.0);
  g = alone.colwise() / divisor;
  gq = (g > 0).select(g.pow(q), 0.0);
  unit = weight * divisor;
  cap = ArrayXd::Constant(g.rows(), kInfinity);
  if (given.cap.size() > 0) cap = (largest > 0).select(given.cap / unit, kInfinity);
  base = ArrayXd::Zero(g.rows());
  if (game.elsewhere.size() > 0) base = game.elsewhere / unit;
  for (Index i = 0; i < g.cols(); ++i) {
    ArrayXXd part = ArrayXXd::Zero(g.rows(), given.resources());
    for (Index r = 0; r < part.cols(); ++r) {
      if (given.capacity(i, r) > 0)
        part.col(r) = alone.col(i) * given.demand_on(i).col(r) / given.capacity(i, r);
    }
    b.push_back(std::move(part));
  }
}

// What is complementary, or a direction of it, or products.
struct State {
  ArrayXXd y, z;    // [n][i]
  ArrayXXd s, nu;   // [i][r]
  ArrayXd k, left;  // [n]: left = cap - X
};

// The furthest step that keeps everything ≥ 0.
double furthest(const State& at, const State& direction) {
  const auto of = [](const auto& value, const auto& change) {
    return (change < 0).select(-value / change, kInfinity).minCoeff();
  };
  return std::min({of(at.y, direction.y), of(at.z, direction.z), of(at.s, direction.s),
                   of(at.nu, direction.nu), of(at.k, direction.k),
                   (direction.left < 0).select(-at.left / direction.left, kInfinity).minCoeff()});
}

class Walk {
 public:
  Walk(const ServerGame& game, const Scaled& scaled, double first_price, int threads)
      : game_(game), in_(scaled), threads_(threads), may_(scaled.g > 0), capped_(scaled.cap < kInfinity) {
    start(first_price);
  }

  void follow(Pace pace, const RegretGoal& goal, PricedServers& best) {
    int short_steps = 0;
    double step = 1;
    const int steps_most = pace == Pace::bold ? kBoldSteps : kCarefulSteps;
    for (int steps = 0; steps < steps_most && short_steps < kNextToNothingMost; ++steps) {
      ++best.iterations;
      linearise();
      if (mu_ < kMeasuredFrom && settle(goal, best)) return;
      if (!(mu_ > kSmallestMu)) return;
      step = advance(step, pace);
      if (step < kNextToNothing) ++short_steps;
    }
    linearise();
    settle(goal, best);
  }

 private:
  Index servers() const { return in_.servers(); }
  Index resources() const { return at_.nu.cols(); }
  Index prices() const { return at_.nu.size(); }

  // Half of everything in equal parts, prices above what anybody would pay.
  void start(double first_price) {
    const ArrayXd everywhere = in_.g.rowwise().sum();
    const ArrayXd room = capped_.select(in_.cap - in_.base, kInfinity);
    const ArrayXd part = (everywhere > 0).select((room / everywhere).min(1.0) / 2, 0.0);
    at_.y = may_.select(part.replicate(1, servers()), 0.0);
    at_.nu = ArrayXXd::Constant(servers(), in_.b[0].cols(), first_price);
    total();
    const ArrayXd pull = x_.pow(-in_.q);
    at_.k = capped_.select(pull - 0.5 * pull.min(2.0), 0.0);
    at_.left = capped_.select(in_.cap - x_, kInfinity);
    at_.s = 1 - use();
    at_.z = equation();
    count_ = static_cast<double>(prices()) + capped_.select(in_.weight, 0.0).sum();
    for (Index i = 0; i < servers(); ++i) count_ += may_.col(i).select(in_.weight, 0.0).sum();
  }

  void total() {
    x_ = in_.base + (in_.g * at_.y).rowwise().sum();
    x_ = may_.rowwise().any().select(x_, 1.0);
  }

  ArrayXXd use() const {
    ArrayXXd used(servers(), resources());
    for (Index i = 0; i < servers(); ++i) {
      used.row(i) =
          ((in_.weight * at_.y.col(i)).matrix().transpose() * in_.b[static_cast<std::size_t>(i)].matrix())
              .array();
    }
    return used;
  }

  // ρ of a block on one server, and dρ/dν_r = slope · b_r · tilt_r.
  void price(Index i, const Block& block, Eigen::Ref<ArrayXd> rho, Eigen::Ref<ArrayXd> slope) const {
    const double top = at_.nu.row(i).maxCoeff();
    const VectorXd price = (at_.nu.row(i) / top).pow(in_.p).transpose().matrix();
    const auto may = may_.col(i).segment(block.first, block.rows);
    const ArrayXd paid =
        (in_.b[static_cast<std::size_t>(i)].middleRows(block.first, block.rows).matrix() * price).array();
    rho = in_.p == 1 ? ArrayXd(top * paid) : ArrayXd(top * (paid.log() / in_.p).exp());
    slope = may.select(rho / (top * paid), 0.0);
  }
  ArrayXd tilt(Index i) const {
    return (at_.nu.row(i) / at_.nu.row(i).maxCoeff()).pow(in_.p - 1).transpose();
  }

  // What z ought to be; 1 where nothing may be.
  ArrayXXd equation() {
    ArrayXXd z(in_.rows(), servers());
    slope_.resize(in_.rows(), servers());
    const ArrayXd pull = x_.pow(-in_.q) - at_.k;
    for_each_block(in_.rows(), threads_, [&](const Block& block) {
      ArrayXd rho(block.rows), slope(block.rows);
      for (Index i = 0; i < servers(); ++i) {
        price(i, block, rho, slope);
        const auto part = [&](const auto& array) { return array.segment(block.first, block.rows); };
        slope_.col(i).segment(block.first, block.rows) = slope;
        z.col(i).segment(block.first, block.rows) =
            part(may_.col(i)).select(rho - part(in_.gq.col(i)) * part(pull), 1.0);
      }
    });
    return z;
  }

  // Everything of the Newton system that does not depend on its right-hand side.
  void linearise() {
    z_missing_ = equation() - at_.z;
    s_missing_ = 1 - use() - at_.s;
    left_missing_ = capped_.select(in_.cap - x_ - at_.left, 0.0);
    mu_ = mean_product(at_);
    v_ = at_.y / at_.z;
    bend_ = in_.q * x_.pow(-in_.q - 1);
    stiff_ = bend_ + capped_.select(at_.k / at_.left, 0.0);
    assemble();
  }

  double mean_product(const State& at) const {
    const double of_rows = ((at.y * at.z).rowwise().sum() * in_.weight).sum();
    const double of_caps = capped_.select(at.k * at.left * in_.weight, 0.0).sum();
    return (of_rows + of_caps + (at.s * at.nu).sum()) / count_;
  }

  // The Km equations in dν/ν. The pair's own part of a row, v (1 + stiff Σ_{j≠i} g v g^q) / (1 + stiff Σ_j
  // …), is summed without the difference that it would be.
  void assemble() {
    const Index m = resources();
    damp_.resize(in_.rows());
    std::vector<MatrixXd> parts(static_cast<std::size_t>(block_count(in_.rows())));
    for_each_block(in_.rows(), threads_, [&](const Block& block) {
      const auto part = [&](const auto& array) { return array.segment(block.first, block.rows); };
      const ArrayXXd answers = in_.g.middleRows(block.first, block.rows) *
                               v_.middleRows(block.first, block.rows) *
                               in_.gq.middleRows(block.first, block.rows);
      ArrayXXd others = ArrayXXd::Zero(block.rows, servers());
      ArrayXd sum = ArrayXd::Zero(block.rows);
      for (Index i = servers() - 1; i >= 0; --i) {
        others.col(i) = sum;
        sum += answers.col(i);
      }
      const ArrayXd damp = 1 + part(stiff_) * sum;
      damp_.segment(block.first, block.rows) = damp;
      sum.setZero();
      MatrixXd left(block.rows, prices()), right(block.rows, prices());
      MatrixXd own = MatrixXd::Zero(prices(), prices());
      for (Index i = 0; i < servers(); ++i) {
        others.col(i) += sum;
        sum += answers.col(i);
        const auto b = in_.b[static_cast<std::size_t>(i)].middleRows(block.first, block.rows);
        const ArrayXd tilts = tilt(i);
        const ArrayXd l = part(in_.weight) * part(v_.col(i)) * part(in_.gq.col(i)) * part(stiff_) / damp;
        const ArrayXd r = part(in_.g.col(i)) * part(v_.col(i)) * part(slope_.col(i));
        const ArrayXd alone = part(in_.weight) * part(v_.col(i)) * (1 + part(stiff_) * others.col(i)) / damp *
                              part(slope_.col(i));
        left.middleCols(i * m, m) = (b.colwise() * l).matrix();
        right.middleCols(i * m, m) = (b.colwise() * r).matrix() * tilts.matrix().asDiagonal();
        own.block(i * m, i * m, m, m) =
            b.matrix().transpose() * (b.colwise() * alone).matrix() * tilts.matrix().asDiagonal();
      }
      MatrixXd& whole = parts[static_cast<std::size_t>(block.index)];
      whole.noalias() = -(left.transpose() * right);
      for (Index i = 0; i < servers(); ++i) whole.block(i * m, i * m, m, m) = own.block(i * m, i * m, m, m);
    });
    MatrixXd slope = MatrixXd::Zero(prices(), prices());
    for (const MatrixXd& part : parts) slope += part;
    for (Index i = 0; i < servers(); ++i) {
      for (Index r = 0; r < m; ++r) {
        slope(i * m + r, i * m + r) += at_.s(i, r) / at_.nu(i, r);
        slope.col(i * m + r) *= at_.nu(i, r);
      }
    }
    row_scale_ = slope.cwiseAbs().rowwise().maxCoeff().cwiseInverse();
    lu_.compute(row_scale_.asDiagonal() * slope);
  }

  // The Newton direction towards the products `change` more than they are; z's lag is made good.
  State direction(const State& change) {
    const Index m = resources();
    const ArrayXd extra = capped_.select((change.k - at_.k * left_missing_) / at_.left, 0.0);
    ArrayXXd free(in_.rows(), servers());  // dy at the present prices and totals
    for (Index i = 0; i < servers(); ++i) {
      free.col(i) = may_.col(i).select(
          change.y.col(i) / at_.z.col(i) - v_.col(i) * (z_missing_.col(i) + in_.gq.col(i) * extra), 0.0);
    }
    const ArrayXd free_total = (in_.g * free).rowwise().sum();
    VectorXd rhs(prices());
    for (Index i = 0; i < servers(); ++i) {
      const ArrayXd moved =
          in_.weight * (free.col(i) - v_.col(i) * in_.gq.col(i) * stiff_ * free_total / damp_);
      rhs.segment(i * m, m) = in_.b[static_cast<std::size_t>(i)].matrix().transpose() * moved.matrix();
      rhs.segment(i * m, m) += (change.s.row(i) / at_.nu.row(i) - s_missing_.row(i)).matrix().transpose();
    }
    const VectorXd relative = lu_.solve(row_scale_.asDiagonal() * rhs);
    State d{
        .y = ArrayXXd(in_.rows(), servers()), .z = z_missing_, .s = at_.s, .nu = at_.nu, .k = {}, .left = {}};
    ArrayXd answer = ArrayXd::Zero(in_.rows());
    for (Index i = 0; i < servers(); ++i) {
      d.nu.row(i) *= relative.segment(i * m, m).transpose().array();
      const VectorXd tilted = (tilt(i) * d.nu.row(i).transpose()).matrix();
      const ArrayXd rise = slope_.col(i) * (in_.b[static_cast<std::size_t>(i)].matrix() * tilted).array();
      d.z.col(i) += rise;
      answer += in_.g.col(i) * v_.col(i) * rise;
    }
    d.s = (change.s - at_.s * d.nu) / at_.nu;
    const ArrayXd dx = (free_total - answer) / damp_;
    d.k = extra + (stiff_ - bend_) * dx;
    d.left = capped_.select(left_missing_ - dx, 0.0);
    const ArrayXd pull = bend_ * dx + d.k;
    for (Index i = 0; i < servers(); ++i) {
      d.z.col(i) = may_.col(i).select(d.z.col(i) + in_.gq.col(i) * pull, 0.0);
      d.y.col(i) = may_.col(i).select((change.y.col(i) - at_.y.col(i) * d.z.col(i)) / at_.z.col(i), 0.0);
    }
    return d;
  }

  State moved(const State& d, double step) const {
    State to{.y = at_.y + step * d.y,
             .z = at_.z + step * d.z,
             .s = at_.s + step * d.s,
             .nu = at_.nu + step * d.nu,
             .k = at_.k + step * d.k,
             .left = at_.left + step * d.left};
    return to;
  }

  // The change of every product that `wanted(y, z, dy, dz)` asks for.
  template <class Wanted>
  State change_of(const State& d, const Wanted& wanted) const {
    const auto over = [&](const ArrayXXd& a, const ArrayXXd& c, const ArrayXXd& da, const ArrayXXd& dc) {
      return ArrayXXd(ArrayXXd::NullaryExpr(a.rows(), a.cols(), [&](Index i, Index j) {
        return wanted(a(i, j), c(i, j), da(i, j), dc(i, j));
      }));
    };
    State change{.y = may_.select(over(at_.y, at_.z, d.y, d.z), 0.0),
                 .z = {},
                 .s = over(at_.s, at_.nu, d.s, d.nu),
                 .nu = {},
                 .k = {},
                 .left = {}};
    change.k = capped_.select(over(at_.k, at_.left, d.k, d.left).col(0), 0.0);
    return change;
  }

  // One step; gives its length.
  double advance(double last_step, Pace pace) {
    const bool only_centre = last_step < kShortStep;
    State none{
        .y = 0 * at_.y, .z = 0 * at_.z, .s = 0 * at_.s, .nu = 0 * at_.nu, .k = 0 * at_.k, .left = 0 * at_.k};
    State d = direction(change_of(none, [](double a, double c, double, double) { return -a * c; }));
    const double affine = mean_product(moved(d, std::min(1.0, furthest(at_, d))));
    double sigma = affine >= 0 && affine < mu_ ? std::max(std::pow(affine / mu_, 3), 1e-6) : 1;
    if (only_centre) sigma = std::max(sigma, 0.5);
    const double target = sigma * mu_;
    const double second = only_centre ? 0 : 1;
    State change = change_of(
        d, [&](double a, double c, double da, double dc) { return target - a * c - second * da * dc; });
    d = direction(change);
    const auto length = [&] { return std::min(1.0, std::max(0.9, 1 - mu_) * furthest(at_, d)); };
    double step = length();
    for (int more = 0; more < kCorrections && step < 0.95; ++more) {
      const double hoped = std::min(1.0, std::max(2 * step, step + 0.1));
      const State lacks = change_of(d, [&](double a, double c, double da, double dc) {
        const double product = (a + hoped * da) * (c + hoped * dc);
        return std::max(std::clamp(product, target / kSpread, target * kSpread) - product, -kSpread * target);
      });
      change.y += lacks.y;
      change.s += lacks.s;
      change.k += lacks.k;
      State last = std::exchange(d, direction(change));
      const double longer = length();
      if (longer < step) d = std::move(last);
      if (longer < 1.01 * step + 0.01) break;
      step = longer;
    }
    return pace == Pace::bold ? leap(d, step) : tread(d, step);
  }

  void place(State to) {
    at_ = std::move(to);
    total();
  }

  double leap(const State& d, double step) {
    place(moved(d, step));
    return step;
  }

  // Shortens the step until z and its equation agree within a factor of ten.
  double tread(const State& d, double step) {
    const State from = at_;
    for (int halvings = 0; halvings < 60; ++halvings, step *= 0.6) {
      at_ = from;
      place(moved(d, step));
      ArrayXXd z = equation();
      if (!(!may_ || (z > 0.1 * at_.z && z < 10 * at_.z)).all()) continue;
      at_.z = std::move(z);
      return step;
    }
    at_ = from;
    total();
    return 0;
  }

  // Amounts that fit, prices, and their regret; is it what was wanted, or as good as it gets?
  bool settle(const RegretGoal& goal, PricedServers& best) {
    const ServerRows& rows = game_.rows;
    PricedServers found{.amount = at_.y * in_.g,
                        .log_price = ArrayXXd(servers(), resources()),
                        .regret = 0,
                        .iterations = best.iterations};
    found.amount.colwise() *= in_.unit;
    for (Index i = 0; i < servers(); ++i) {
      found.amount.col(i) = (found.amount.col(i) > kDropped * x_ * in_.unit).select(found.amount.col(i), 0.0);
    }
    for (Index n = 0; n < in_.rows(); ++n) {
      const bool at_cap = capped_[n] && at_.k[n] * std::pow(x_[n], in_.q) > at_.left[n] / in_.cap[n];
      if (!at_cap && !(x_[n] > in_.cap[n])) continue;
      const double room = in_.unit[n] * (in_.cap[n] - in_.base[n]);
      found.amount.row(n) *= kJustBelow * room / found.amount.row(n).sum();
    }
    for (Index i = 0; i < servers(); ++i) {
      double fullest = 1;
      for (Index r = 0; r < resources(); ++r) {
        if (rows.capacity(i, r) > 0)
          fullest =
              std::max(fullest, (found.amount.col(i) * rows.demand_on(i).col(r)).sum() / rows.capacity(i, r));
        const bool scarce = rows.capacity(i, r) > 0 && at_.nu(i, r) >= at_.s(i, r);
        found.log_price(i, r) = scarce ? in_.p * std::log(at_.nu(i, r)) +
                                             game_.alpha * std::log(in_.total_weight) -
                                             std::log(rows.capacity(i, r))
                                       : -kInfinity;
      }
      found.amount.col(i) /= fullest;
    }
    found.regret = found.amount.isFinite().all()
                       ? relative_regret(game_, found.amount, found.log_price, threads_)
                       : kInfinity;
    no_better_ = found.regret < best.regret / 2 ? 0 : no_better_ + 1;
    if (found.regret < best.regret || best.amount.size() == 0) best = std::move(found);
    return best.regret <= goal.wanted || (no_better_ >= kNoBetterMost && best.regret <= goal.tolerated);
  }

  const ServerGame& game_;
  const Scaled& in_;
  int threads_;
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> may_;
  Eigen::Array<bool, Eigen::Dynamic, 1> capped_;
  State at_;
  ArrayXd x_;  // X
  double mu_ = 1, count_ = 0;
  int no_better_ = 0;
  // The linear system: what the equations lack, and its coefficients.
  ArrayXXd z_missing_, s_missing_, v_, slope_;
  ArrayXd left_missing_, bend_, stiff_, damp_;
  VectorXd row_scale_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

}  // namespace

PricedServers follow_price_path(const ServerGame& game, const RegretGoal& goal, int threads) {
  const Scaled scaled(game);
  PricedServers best{.amount = {}, .log_price = {}, .regret = kInfinity, .iterations = 0};
  constexpr std::pair<Pace, double> kWalks[] = {
      {Pace::bold, kFirstPrice}, {Pace::careful, kFirstPrice}, {Pace::careful, kOtherFirstPrice}};
  for (const auto& [pace, first_price] : kWalks) {
    Walk(game, scaled, first_price, threads).follow(pace, goal, best);
    if (best.regret <= goal.tolerated) break;
  }
  return best;
}

}  // namespace mirab::numerics
