// The dual of α-fairness in one pool: how the amounts follow the prices, Newton's method on the prices
// with the certificate, and the gradient method as the baseline that experiments compare it with.
#include "numerics/pool/dual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/base/dense_programs.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/pool/water_filling.hpp"

namespace mirab::numerics {

// The response of amounts to prices, x_n = min(cap_n, c_n (d_n·λ)^(-1/α)), its use and its slope.
//
// With λ_r C_r = ν_r^p the sum d_n·λ can be out of range for a large α, so the largest price is factored out:
//
//   d_n·λ = ν_top^p · y_n,   y_n = Σ_r d_{n,r}/C_r (ν_r/ν_top)^p,   x_n = c_n ν_top^(-p/α) y_n^(-1/α)
//
// One pass over the rows keeps all sums in registers: with up to four columns it is written out for that
// number of columns, two rows at a time. Where prices lie so far apart that the cheap ones would underflow,
// each row factors out the dearest price of its own resources instead, which is slower.

namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr int kAnyNumber = 0;  // of columns, known at run time only

// Prices over the largest one, and what that one contributes to every x_n.
struct Frame {
  ArrayXd price;  // λ_r / ν_top^p, [m]
  double scale;   // ν_top^(-p/α)
};

Frame frame_of(const PricedProblem& problem, const ArrayXd& root, double top) {
  const double power = price_power(problem.alpha);
  return {.price = (root / top).pow(power) / problem.capacity,
          .scale = std::pow(top, -power / problem.alpha)};
}

// In units of amounts and demands: capacities come in at the end.
struct Sums {
  explicit Sums(Index m) : use(Eigen::VectorXd::Zero(m)), slope(Eigen::MatrixXd::Zero(m, m)) {}
  Eigen::VectorXd use;    // Σ x_n d_n
  Eigen::MatrixXd slope;  // Σ_elastic x_n d_{n,r} d_{n,k} λ_k / (d_n·λ)
};

// Rows first … last - 1, a multiple of `Width` of them, that many at a time.
template <int Columns, int Width>
// NOLINTNEXTLINE(readability-non-const-parameter): amounts are written through an Eigen::Map
void add_rows(const PricedProblem& problem, const Frame& frame, Index first, Index last, double* amount,
              Sums& sums) {
  using Lane = Eigen::Array<double, Width, 1>;
  using Lanes = std::conditional_t<Columns == kAnyNumber, std::vector<Lane>,
                                   std::array<Lane, static_cast<std::size_t>(Columns * (Columns + 1) / 2)>>;
  const auto m = static_cast<std::size_t>(Columns == kAnyNumber ? problem.demand.cols() : Columns);
  Lanes d, use, curvature;  // curvature: Σ x_n/y_n d_n d_nᵀ, the lower triangle row by row
  if constexpr (Columns == kAnyNumber) {
    d.resize(m);
    use.resize(m);
    curvature.resize(m * (m + 1) / 2);
  }
  std::fill(use.begin(), use.end(), Lane::Zero());
  std::fill(curvature.begin(), curvature.end(), Lane::Zero());
  const auto load = [](const double* from) { return Eigen::Map<const Lane>(from); };

  for (Index n = first; n < last; n += Width) {
    Lane y = Lane::Zero();
    for (std::size_t r = 0; r < m; ++r) {
      d[r] = load(problem.demand.col(static_cast<Index>(r)).data() + n);
      y += d[r] * frame.price[static_cast<Index>(r)];
    }
    const Lane inverse = y.inverse();
    Lane x = frame.scale * inverse;
    if (problem.alpha != 1) x = frame.scale * (y.log() * (-1 / problem.alpha)).exp();
    if (problem.coefficient.size() > 0) x *= load(problem.coefficient.data() + n);
    Lane pull = x * inverse;
    if (problem.cap.size() > 0) {
      const Lane cap = load(problem.cap.data() + n);
      pull = (x < cap).select(pull, 0);
      x = (x < cap).select(x, cap);
    }
    Eigen::Map<Lane>{amount + n} = x;
    for (std::size_t r = 0, entry = 0; r < m; ++r) {
      use[r] += d[r] * x;
      const Lane pulled = d[r] * pull;
      for (std::size_t k = 0; k <= r; ++k) curvature[entry++] += pulled * d[k];
    }
  }
  std::size_t entry = 0;
  for (Index r = 0; r < sums.use.size(); ++r) {
    sums.use[r] += use[static_cast<std::size_t>(r)].sum();
    for (Index k = 0; k <= r; ++k, ++entry) {
      const double sum = curvature[entry].sum();
      sums.slope(r, k) += sum * frame.price[k];
      if (k < r) sums.slope(k, r) += sum * frame.price[r];
    }
  }
}

template <int Columns>
void add_all_rows(const PricedProblem& problem, const Frame& frame, double* amount, Sums& sums) {
  const Index rows = problem.demand.rows();
  const Index pairs = rows - rows % 2;
  add_rows<Columns, 2>(problem, frame, 0, pairs, amount, sums);
  add_rows<Columns, 1>(problem, frame, pairs, rows, amount, sums);
}

// The same, with the dearest price of each row's own resources factored out.
void add_rows_apart(const PricedProblem& problem, const ArrayXd& root, double* amount, Sums& sums) {
  std::vector<Frame> frames;
  for (const double price : root) frames.push_back(frame_of(problem, root.min(price), price));
  for (Index n = 0; n < problem.demand.rows(); ++n) {
    const ArrayXd d = problem.demand.row(n).transpose();
    Index top = 0;
    (d > 0).select(root, 0).maxCoeff(&top);
    const Frame& frame = frames[static_cast<std::size_t>(top)];
    const ArrayXd part = (d > 0).select(d * frame.price, 0);
    double x = frame.scale * std::pow(part.sum(), -1 / problem.alpha);
    if (problem.coefficient.size() > 0) x *= problem.coefficient[n];
    const bool elastic = problem.cap.size() == 0 || x < problem.cap[n];
    amount[n] = elastic ? x : problem.cap[n];
    sums.use += amount[n] * d.matrix();
    if (elastic) sums.slope += (x / part.sum() * d).matrix() * part.matrix().transpose();
  }
}

}  // namespace

double price_power(double alpha) { return std::max(1.0, alpha); }

PriceResponse respond(const PricedProblem& problem, const ArrayXd& price_root, Eigen::Ref<ArrayXd> amount,
                      double far_apart) {
  const double power = price_power(problem.alpha);
  const double top = price_root.maxCoeff();
  const Frame frame = frame_of(problem, price_root, top);
  Sums sums(problem.demand.cols());
  if ((price_root < top * std::exp(far_apart / power)).any() && power > 1) {
    add_rows_apart(problem, price_root, amount.data(), sums);
  } else {
    switch (problem.demand.cols()) {
      case 1:
        add_all_rows<1>(problem, frame, amount.data(), sums);
        break;
      case 2:
        add_all_rows<2>(problem, frame, amount.data(), sums);
        break;
      case 3:
        add_all_rows<3>(problem, frame, amount.data(), sums);
        break;
      case 4:
        add_all_rows<4>(problem, frame, amount.data(), sums);
        break;
      default:
        add_all_rows<kAnyNumber>(problem, frame, amount.data(), sums);
    }
  }
  const auto per_capacity = problem.capacity.inverse().matrix().asDiagonal();
  return {.use = per_capacity * sums.use,
          .elastic_use = per_capacity * sums.slope.rowwise().sum(),
          .slope = power / problem.alpha * (per_capacity * sums.slope)};
}

// The dual of max Σ_n w_n g_α(x_n / (w_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap: m prices, projected Newton.
//
// Source: Kelly, Maulloo and Tan 1998 (prices); Mo and Walrand 2000 (g_α); Bertsekas 1982 (projected Newton).
//
// D(λ) = C·λ + Σ_n max_x [w_n g_α(x/(w_n u_n)) - x d_n·λ] is convex with gradient C - Σ_n x_n(λ) d_n. In
// capacities and in ν (dual.hpp) the gradient is F = 1 - use and the Newton step ν_k (1 + Δ_k)
// solves slope · Δ = -F over prices ≥ 0 (base/dense_programs.hpp); a trace of the diagonal is added, so that
// resources used in proportion to each other do no harm. A step is accepted when F⁺·Δλ ≤ σ |F·Δλ|: D is
// convex, so it falls for certain when F⁺·Δλ ≤ 0, and no value of D, with its rounding, is ever compared. The
// price of an overused resource that governs nobody is found again by bisection in that one coordinate.
//
// A large α is reached by doubling it from 2, each time from the last ν, which hardly moves: 1/ν_r is the
// level at which resource r stops its rows. A large N starts from the prices of a sixteenth of the rows,
// and starts again without them when that leads nowhere.
//
// Certificate, without cancellation: with ρ = max(1, max_r use_r), x̂ = x/ρ and S = Σ_n w_n s_n^(1-α),
//   gap = D(λ) - P(x̂) = λ·(C - Σ_n x_n d_n) + S expm1((α-1) ln ρ)/(α-1).
// The relative gap divides by the part of S that is not at its caps, Σ x_n d_n·λ, and so bounds gap/S (at α =
// 1 without caps: gap/Φ). Prices of a large α differ so much that this says nothing of the cheap resources;
// there the idle part of each resource counts too, times the part of its use that its own price governs.
//
// Known failure: among random problems of up to 16 resources over nine orders of magnitude one in some five
// thousand with 1 < α ≤ 1000 ends above the tolerance (none in 20,000 at α = 0.1 to 1). The result says so.

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

struct Point {
  ArrayXd root;  // ν
  PriceResponse response;
  double gap = kInfinity;
  int evaluation = 0;  // which one it was
};

double measure_gap(double alpha, const ArrayXd& root, const PriceResponse& response) {
  if (!response.use.isFinite().all()) return kInfinity;
  const ArrayXd idle = 1 - response.use;
  const double top = root.maxCoeff();
  const ArrayXd price = (root / top).pow(price_power(alpha));
  const double worth = (price * response.elastic_use).sum();
  const double log_rho = std::log(std::max(1.0, response.use.maxCoeff()));
  const double shrink = alpha == 1 ? log_rho : std::expm1((alpha - 1) * log_rho) / (alpha - 1);
  const double slack = std::max(0.0, (price * idle).sum());
  double gap = (slack > 0 ? slack / worth : 0) + shrink;
  if (alpha > 1) {
    const ArrayXd governed = response.slope.diagonal().array() / response.use;
    for (Index r = 0; r < root.size(); ++r) {
      if (root[r] > 0 && idle[r] > 0) gap = std::max(gap, idle[r] * governed[r]);
    }
  }
  return gap;
}

// The step Δ to the minimum of the quadratic model of D over prices ≥ 0; -1 takes a price to zero.
VectorXd newton_step(const Point& at, const DualTuning& tuning) {
  const VectorXd gradient = 1 - at.response.use;
  VectorXd step = VectorXd::Zero(at.root.size());
  std::vector<Index> governing;
  for (Index r = 0; r < step.size(); ++r) {
    if (at.response.slope(r, r) > tuning.levenberg * at.response.use[r]) {
      governing.push_back(r);
    } else if (gradient[r] > 0) {
      step[r] = -1;
    }
  }
  Eigen::MatrixXd slope = at.response.slope(governing, governing);
  slope.diagonal() *= 1 + tuning.levenberg;
  // slope · Δ + F ≥ 0, with z = 1 + Δ ≥ 0
  const VectorXd constant = gradient(governing) - slope.rowwise().sum();
  step(governing) = solve_complementarity(slope, constant, tuning.complementarity).z.array() - 1;
  return step;
}

// Walks over prices; every evaluation leaves its amounts in `amount`.
class DualNewton {
 public:
  DualNewton(const PricedProblem& problem, const DualTuning& tuning)
      : problem_(problem), tuning_(tuning), amount_(problem.demand.rows()) {}

  // The same prices up to a factor, which makes λ·C = Σ x_n d_n·λ: the lowest D on their ray when nobody is
  // capped.
  ArrayXd scaled(const ArrayXd& root) {
    const double power = price_power(problem_.alpha);
    const ArrayXd price = (root / root.maxCoeff()).pow(power);
    const double spent = (price * evaluate(root).response.use).sum() / price.sum();
    return root * std::pow(spent, problem_.alpha / power);
  }

  // Improves prices until the gap is at most the target; below what is accepted it stops once that is hard.
  Point descend(const ArrayXd& root, const Accuracy& accuracy) {
    Point at = evaluate(root);
    for (int steps = 0; steps < tuning_.max_steps && at.gap > accuracy.target; ++steps) {
      const Index lost = overused_without_say(at);
      std::optional<Point> next = lost >= 0 ? find_price(at, lost) : search(at, steps);
      const bool hard = !next || !(next->gap <= at.gap / 2);
      if (hard && at.gap <= accuracy.accepted) break;
      if (!next) next = find_price(at, worst_price(at));
      at = *std::move(next);
    }
    return at;
  }

  PricedAmounts finish(const Point& at, const Accuracy& accuracy) {
    if (!std::isfinite(at.gap)) return out_of_range(at);
    if (at.evaluation != evaluations_) evaluate(at.root);
    const double rho = std::max(1.0, at.response.use.maxCoeff());
    if (rho > 1) amount_ /= rho;
    const ArrayXd log_price = at.root.log() * price_power(problem_.alpha) - problem_.capacity.log();
    return {.report = report_of(at.gap, accuracy, Stop::limit, evaluations_),
            .amount = std::move(amount_),
            .used = at.response.use * problem_.capacity / rho,
            .log_price = log_price};
  }

 private:
  // At an α near 0 the amounts (d_n·λ)^(-1/α) may exceed what a double holds. Their proportions do not: the
  // answer raises all rows in these proportions until nothing more fits, and it is not converged.
  PricedAmounts out_of_range(const Point& at) {
    const ArrayXd rate = proportions(at.root);
    WaterLevels levels =
        fill_with_water(problem_.demand, problem_.capacity, problem_.cap,
                        [&](Index first, Eigen::Ref<ArrayXd> r) { r = rate.segment(first, r.size()); });
    return {
        .report = {.error = kInfinity, .stop = Stop::stalled, .iterations = evaluations_},
        .amount = std::move(levels.amount),
        .used = std::move(levels.used),
        .log_price = ArrayXd::Constant(problem_.capacity.size(), std::numeric_limits<double>::quiet_NaN())};
  }

  // c_n (d_n·λ)^(-1/α) over the largest of them, in logarithms; prices that are of no use count as even.
  ArrayXd proportions(const ArrayXd& root) const {
    const bool usable = (root.isFinite() && root > 0).all();
    ArrayXd log_price = -problem_.capacity.log();
    if (usable) log_price += price_power(problem_.alpha) * root.log();
    ArrayXd log_amount(problem_.demand.rows());
    for (Index n = 0; n < log_amount.size(); ++n) {
      const ArrayXd term = problem_.demand.row(n).transpose().log() + log_price;
      log_amount[n] = -term.maxCoeff() - std::log((term - term.maxCoeff()).exp().sum());
    }
    log_amount = (log_amount - log_amount.maxCoeff()) / problem_.alpha;
    if (problem_.coefficient.size() > 0) log_amount += problem_.coefficient.log();
    return (log_amount - log_amount.maxCoeff()).max(tuning_.log_least).exp();
  }

  Point evaluate(const ArrayXd& root) {
    Point at{.root = root,
             .response = respond(problem_, root, amount_, tuning_.far_apart),
             .gap = kInfinity,
             .evaluation = ++evaluations_};
    at.gap = measure_gap(problem_.alpha, at.root, at.response);
    return at;
  }

  // The Newton step, halved until D falls, or until the cheap prices of a large α improve, of which D takes
  // no notice.
  std::optional<Point> search(const Point& at, int steps) {
    const VectorXd step = newton_step(at, tuning_);
    for (double t = 1; t > tuning_.shortest_step; t /= 2) {
      const ArrayXd root = (at.root * (1 + t * step.array())).max(0);
      if (!(root > 0).any()) continue;
      Point next = evaluate(root);
      const double sigma = steps < tuning_.certain_after ? tuning_.decrease : 0;
      if (falls(at, next, price_power(problem_.alpha), sigma)) return next;
      if (problem_.alpha > tuning_.steep_alpha && steps < tuning_.certain_after && falls(at, next, 1, sigma))
        return next;
    }
    return {};
  }

  // F⁺·Δ(ν^power) ≤ σ |F·Δ(ν^power)|
  static bool falls(const Point& at, const Point& next, double power, double sigma) {
    const double top = std::max(at.root.maxCoeff(), next.root.maxCoeff());
    const ArrayXd change = (next.root / top).pow(power) - (at.root / top).pow(power);
    return ((1 - next.response.use) * change).sum() <= -sigma * ((1 - at.response.use) * change).sum();
  }

  // The most overused of the resources whose own price governs next to nothing of their use.
  Index overused_without_say(const Point& at) const {
    const ArrayXd governed =
        at.response.slope.diagonal().array() * problem_.alpha / price_power(problem_.alpha);
    const auto lost =
        at.response.use > 1 + tuning_.overused && !(governed >= tuning_.lost_say * at.response.use);
    Index most = -1;
    const bool any = lost.select(at.response.use, 0).maxCoeff(&most) > 0;
    return any ? most : -1;
  }

  // The resource that is most overused, or most idle for one that has a price.
  static Index worst_price(const Point& at) {
    Index worst = 0;
    (at.root > 0 || at.response.use > 1).select((at.response.use - 1).abs(), 0).maxCoeff(&worst);
    return worst;
  }

  // Bisection in one price until its resource is full to within `bisected`, or its price does not matter:
  // use_r falls in it. Until there is a bracket the price is doubled, or divided by 16: a price that is too
  // high is usually far too high.
  Point find_price(Point at, Index r) {
    double low = at.response.use[r] > 1 ? at.root[r] : 0;
    double high = at.response.use[r] > 1 ? kInfinity : at.root[r];
    const double scale = at.root.maxCoeff();
    for (int halvings = 0; halvings < tuning_.max_bisections; ++halvings) {
      const double above = low > 0 ? 2 * low : scale;
      const double below = high < kInfinity ? high / 16 : scale;
      ArrayXd root = at.root;
      root[r] = high == kInfinity ? above : (low == 0 ? below : std::sqrt(low * high));
      if (root[r] == low || root[r] == high) break;
      at = evaluate(root);
      if (std::abs(at.response.use[r] - 1) < tuning_.bisected) break;
      (at.response.use[r] > 1 ? low : high) = root[r];
    }
    return at;
  }

  const PricedProblem& problem_;
  const DualTuning& tuning_;
  ArrayXd amount_;
  int evaluations_ = 0;
};

bool caps_fit(const PricedProblem& problem) {
  if (problem.cap.size() == 0 || !problem.cap.isFinite().all()) return false;
  const VectorXd used = problem.demand.matrix().transpose() * problem.cap.matrix();
  return (used.array() <= problem.capacity).all();
}

PricedAmounts all_at_caps(const PricedProblem& problem) {
  return {.report = {.error = 0, .stop = Stop::target, .iterations = 0},
          .amount = problem.cap,
          .used = problem.demand.matrix().transpose() * problem.cap.matrix(),
          .log_price = ArrayXd::Constant(problem.capacity.size(), -kInfinity)};
}

// Runs of neighbouring rows at even distances, the first and the last among them.
ArrayXd sampled(const RowValues& rows, const DualTuning& tuning) {
  if (rows.size() == 0) return {};
  const Index runs = rows.size() / (tuning.sample_run * tuning.sample_every);
  ArrayXd some(runs * tuning.sample_run);
  for (Index run = 0; run < runs; ++run) {
    const Index first = run * (rows.size() - tuning.sample_run) / (runs - 1);
    some.segment(run * tuning.sample_run, tuning.sample_run) = rows.segment(first, tuning.sample_run);
  }
  return some;
}

// Prices near the solution: those at half the α, and so on.
ArrayXd find_near_prices(const PricedProblem& problem, const DualTuning& tuning) {
  PricedProblem tamer = problem;
  tamer.alpha = std::min(problem.alpha, tuning.tame_alpha);
  ArrayXd root = DualNewton(tamer, tuning).scaled(ArrayXd::Ones(problem.capacity.size()));
  while (tamer.alpha < problem.alpha) {
    root = DualNewton(tamer, tuning).descend(root, {tuning.stage_goal, tuning.stage_goal}).root;
    tamer.alpha = std::min(2 * tamer.alpha, problem.alpha);
    root = DualNewton(tamer, tuning).scaled(root);
  }
  return root;
}

// The prices of every sixteenth row, with a capacity in proportion to their coefficients; none when these
// rows want too little for prices.
std::optional<ArrayXd> find_sampled_prices(const PricedProblem& problem, const DualTuning& tuning) {
  const Index m = problem.demand.cols();
  const ArrayXd coefficient = sampled(problem.coefficient, tuning);
  const ArrayXd cap = sampled(problem.cap, tuning);
  Eigen::ArrayXXd demand(sampled(problem.demand.col(0), tuning).size(), m);
  for (Index r = 0; r < m; ++r) demand.col(r) = sampled(problem.demand.col(r), tuning);
  const double part = coefficient.size() > 0
                          ? coefficient.sum() / problem.coefficient.sum()
                          : static_cast<double>(demand.rows()) / static_cast<double>(problem.demand.rows());
  const ArrayXd capacity = part * problem.capacity;
  const PricedProblem sample{demand, capacity, coefficient, cap, problem.alpha};
  if (caps_fit(sample)) return {};
  const Point at = DualNewton(sample, tuning)
                       .descend(find_near_prices(sample, tuning), {tuning.sample_goal, tuning.sample_goal});
  const ArrayXd root = at.root * std::pow(part, -1 / price_power(problem.alpha));  // λ of larger capacities
  if (!root.isFinite().all() || !(root > 0).any()) return {};
  return root;
}

PricedAmounts solve_from(const PricedProblem& problem, const ArrayXd& root, const Accuracy& accuracy,
                         const DualTuning& tuning) {
  DualNewton newton(problem, tuning);
  return newton.finish(newton.descend(root, accuracy), accuracy);
}

}  // namespace

PricedAmounts solve_dual(const PricedProblem& problem, const Accuracy& accuracy, const DualTuning& tuning) {
  MIRAB_ASSERT(problem.alpha > 0 && (problem.capacity > 0).all(),
               "a finite fairness, and something of every resource");
  if (caps_fit(problem)) return all_at_caps(problem);
  if (problem.demand.rows() >= tuning.sampled_from) {
    if (const std::optional<ArrayXd> root = find_sampled_prices(problem, tuning)) {
      PricedAmounts priced = solve_from(problem, *root, accuracy, tuning);
      if (priced.report.converged()) return priced;
    }
  }
  return solve_from(problem, find_near_prices(problem, tuning), accuracy, tuning);
}

// Prices of proportional fairness by the gradient projection
//
//   ν_r ← (ν_r + γ (Σ_n ψ_n b_n,r - 1))⁺,  ψ_n = w_n / Σ_r b_n,r ν_r
//
// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
// equation 9. "γ > 0 is a sufficiently small step size": for N users the slopes of the use are of the order
// of 1/N, so a γ below N is small enough mostly, and a fixed γ takes of the order of N/γ iterations.
// Known failure: with a γ too large the prices swing, or fall to 0 together, whereupon ψ is infinite and
// there is no way back.

namespace {

double residual_of(const Eigen::ArrayXd& excess, const Eigen::ArrayXd& price) {
  double residual = 0;
  for (Eigen::Index r = 0; r < price.size(); ++r)
    residual = std::max(residual, price[r] > 0 ? std::abs(excess[r]) : excess[r]);
  return residual;
}

}  // namespace

GradientPrices descend_to_prices(const Demands& demand, const Eigen::ArrayXd& weight, double step,
                                 const Accuracy& accuracy, int max_iterations) {
  const Eigen::Index m = demand.cols();
  GradientPrices found{.report = {},
                       .price = Eigen::ArrayXd::Constant(m, weight.sum() / static_cast<double>(m))};
  for (int iterations = 0;; ++iterations) {
    const Eigen::ArrayXd spent = (demand.matrix() * found.price.matrix()).array();
    const Eigen::ArrayXd excess = (demand.matrix().transpose() * (weight / spent).matrix()).array() - 1;
    const Stop otherwise = excess.allFinite() ? Stop::limit : Stop::stalled;
    found.report = report_of(residual_of(excess, found.price), accuracy, otherwise, iterations);
    const bool done = found.report.error <= accuracy.target;
    if (done || iterations == max_iterations || !excess.allFinite()) return found;
    found.price = (found.price + step * excess).max(0);
  }
}

}  // namespace mirab::numerics
