// The central path of the game among servers at one point: units in which all is near 1, the rows'
// equations at given prices, and the Newton system.
#include "numerics/market/price_newton.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/base/blocks.hpp"
#include "numerics/base/rows.hpp"

namespace mirab::numerics {

// The units of equilibrium.cpp, and the points on its way.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// γ, 0 for rows whose cap is reached elsewhere.
ArrayXXd alone_with_room(const ServerGame& game, double at_cap) {
  ArrayXXd alone = game.rows.alone;
  if (game.rows.cap.size() == 0) return alone;
  for (Index n = 0; n < alone.rows(); ++n) {
    const double elsewhere = game.elsewhere.size() > 0 ? game.elsewhere[n] : 0;
    if (!(elsewhere < (1 - at_cap) * game.rows.cap[n])) alone.row(n) = 0;
  }
  return alone;
}

}  // namespace

GameInUnits::GameInUnits(const ServerGame& game, const PriceRowTuning& tuning)
    : p(std::max(1.0, game.alpha)), q(game.alpha / p), total_weight(game.weight.sum()) {
  const ServerRows& given = game.rows;
  const ArrayXXd alone = alone_with_room(game, tuning.at_cap);
  const ArrayXd largest = alone.rowwise().maxCoeff();
  const ArrayXd divisor = (largest > 0).select(largest, 1.0);
  weight = game.weight / total_weight;
  unit = weight * divisor;
  g = alone.colwise() / divisor;
  gq = (g > 0).select(g.pow(q), 0.0);
  price_unit = gq.colwise().maxCoeff();
  for (double& u : price_unit) u = u > 0 ? u : 1;
  gq.rowwise() /= price_unit.transpose();
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
  may = g > 0;
  capped = cap < kInfinity;
}

double furthest_step(const PricePoint& at, const PricePoint& direction) {
  const auto of = [](const auto& value, const auto& change) {
    return (change < 0).select(-value / change, kInfinity).minCoeff();
  };
  return std::min({of(at.y, direction.y), of(at.z, direction.z), of(at.s, direction.s),
                   of(at.nu, direction.nu), of(at.k, direction.k), of(at.left, direction.left)});
}

PricePoint moved(const PricePoint& at, const PricePoint& direction, double step) {
  return {.y = at.y + step * direction.y,
          .z = at.z + step * direction.z,
          .s = at.s + step * direction.s,
          .nu = at.nu + step * direction.nu,
          .k = at.k + step * direction.k,
          .left = at.left + step * direction.left};
}

ArrayXd totals_of(const GameInUnits& game, const ArrayXXd& y) {
  const ArrayXd total = game.base + (game.g * y).rowwise().sum();
  return game.may.rowwise().any().select(total, 1.0);
}

ArrayXXd use_of(const GameInUnits& game, const ArrayXXd& y) {
  ArrayXXd used(game.servers(), game.resources());
  for (Index i = 0; i < game.servers(); ++i) {
    used.row(i) =
        ((game.weight * y.col(i)).matrix().transpose() * game.b[static_cast<std::size_t>(i)].matrix())
            .array();
  }
  return used;
}

// Rows at given prices.
//
// On its equations a row has one unknown. With c = min_i ρ_i/g_i^q and Δ_i = ρ_i/g_i^q - c, z_i = g_i^q (Δ_i
// + t), and t solves
//   base + Σ_i g_i m_i / z_i(t) = X(c - t),   m = y z,
// where X(Z) solves X^(-q) - m_k / (cap - X) = Z, m_k = k left; without a cap it is Z^(-1/q). The left side
// falls, the right side rises: Newton in ln t within a bracket, from the t that the row has.
//
// Known failure: Δ_i is a difference, good to 1e-16 of ρ; a z far below that is noise.

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

struct Total {
  double x;
  double slope;  // dX/dZ
};

double pull_of(double total, double q) { return q == 1 ? 1 / total : std::pow(total, -q); }
double answer_to(double pull, double q) { return q == 1 ? 1 / pull : std::pow(pull, -1 / q); }

// X(Z) of a row, the whole Newton iteration within a bracket where there is a cap.
Total total_at(double pull, double q, double cap, double product, const PriceRowTuning& tuning) {
  if (cap == kInfinity) {
    const double x = answer_to(pull, q);
    return {.x = x, .slope = -x / (q * pull)};
  }
  double low = 0, high = cap, slope = 0;
  double x = pull > 0 ? std::min(answer_to(pull, q), tuning.inside * cap) : cap / 2;
  for (int steps = 0; steps < tuning.max_steps; ++steps) {
    const double left = cap - x, own = pull_of(x, q);
    const double excess = own - product / left - pull;
    slope = 1 / (-q * own / x - product / (left * left));
    (excess > 0 ? low : high) = x;
    const double last = x;
    x -= excess * slope;
    if (!(x > low && x < high)) x = (low + high) / 2;
    if (std::abs(x - last) <= tuning.solved * std::min(x, cap - x)) break;
  }
  return {.x = x, .slope = slope};
}

class Row {
 public:
  Row(const GameInUnits& game, const RowPrices& prices, Index n, PricePoint& at, const PriceRowTuning& tuning)
      : game_(game), n_(n), at_(at), tuning_(tuning) {
    for (Index i = 0; i < game.servers(); ++i) {
      if (game.may(n, i)) cheapest_ = std::min(cheapest_, prices.rho(n, i) / game.gq(n, i));
    }
    gap_ = prices.rho.row(n).transpose() / game.gq.row(n).transpose() - cheapest_;
    part_ =
        (game.may.row(n).select(at.y.row(n) * at.z.row(n) * game.g.row(n) / game.gq.row(n), 0.0)).transpose();
    product_ = game.capped[n] ? at.k[n] * at.left[n] : 0;
  }

  void solve() {
    if (cheapest_ == kInfinity) return;
    double low = 0, high = game_.capped[n_] ? kInfinity : cheapest_, t = first();
    for (int steps = 0; steps < tuning_.max_steps; ++steps) {
      const Total total = total_at(cheapest_ - t, game_.q, game_.cap[n_], product_, tuning_);
      double excess = game_.base[n_] - total.x, slope = total.slope;
      for (Index i = 0; i < part_.size(); ++i) {
        if (part_[i] == 0) continue;
        const double of_z = 1 / (gap_[i] + t);
        excess += part_[i] * of_z;
        slope -= part_[i] * of_z * of_z;
      }
      (excess > 0 ? low : high) = t;
      const double last = t;
      t *= std::exp(std::clamp(-excess / (slope * t), -tuning_.longest_step, tuning_.longest_step));
      if (!(t > low && t < high)) t = high < kInfinity ? (low + high) / 2 : 4 * last;
      if (std::abs(t - last) <= tuning_.solved * t) break;
    }
    write(t);
  }

 private:
  double first() const {
    const double total = game_.base[n_] + (game_.g.row(n_) * at_.y.row(n_)).sum();
    const double t = cheapest_ - pull_of(total, game_.q) + (game_.capped[n_] ? at_.k[n_] : 0);
    const double lowest = tuning_.lowest_start * part_.sum() / total;
    const double highest = game_.capped[n_] ? kInfinity : tuning_.inside * cheapest_;
    return std::min(t > lowest ? t : lowest / tuning_.lowest_start, highest);
  }

  void write(double t) {
    for (Index i = 0; i < part_.size(); ++i) {
      if (part_[i] == 0) continue;
      const double product = at_.y(n_, i) * at_.z(n_, i);
      at_.z(n_, i) = game_.gq(n_, i) * (gap_[i] + t);
      at_.y(n_, i) = product / at_.z(n_, i);
    }
    if (!game_.capped[n_]) return;
    at_.left[n_] = game_.cap[n_] - total_at(cheapest_ - t, game_.q, game_.cap[n_], product_, tuning_).x;
    at_.k[n_] = product_ / at_.left[n_];
  }

  const GameInUnits& game_;
  Index n_;
  PricePoint& at_;
  const PriceRowTuning& tuning_;
  double cheapest_ = kInfinity;  // c
  ArrayXd gap_, part_;           // Δ, and g m / g^q
  double product_ = 0;           // m_k
};

}  // namespace

RowPrices price_rows(const GameInUnits& game, const ArrayXXd& nu, int threads) {
  RowPrices prices{.rho = ArrayXXd(game.rows(), game.servers()),
                   .slope = ArrayXXd(game.rows(), game.servers())};
  for_each_block(game.rows(), threads, [&](const Block& block) {
    for (Index i = 0; i < game.servers(); ++i) {
      const double top = nu.row(i).maxCoeff();
      const Eigen::VectorXd price = (nu.row(i) / top).pow(game.p).transpose().matrix();
      const auto b = game.b[static_cast<std::size_t>(i)].middleRows(block.first, block.rows);
      const auto may = game.may.col(i).segment(block.first, block.rows);
      const ArrayXd paid = (b.matrix() * price).array();
      const ArrayXd rho = game.p == 1 ? ArrayXd(top * paid) : ArrayXd(top * (paid.log() / game.p).exp());
      prices.rho.col(i).segment(block.first, block.rows) = rho;
      prices.slope.col(i).segment(block.first, block.rows) = may.select(rho / (top * paid), 0.0);
    }
  });
  return prices;
}

void put_rows_on_equations(const GameInUnits& game, const RowPrices& prices, int threads, PricePoint& at,
                           const PriceRowTuning& tuning) {
  for_each_block(game.rows(), threads, [&](const Block& block) {
    for (Index n = block.first; n < block.first + block.rows; ++n) Row(game, prices, n, at, tuning).solve();
  });
}

// The Newton system of a primal-dual path on prices.
//
// In dy, dz, dX, dk and the Km relative price changes dν/ν. A row's part is a diagonal and one rank,
// diag(z/y) + stiff g^q gᵀ, which Sherman-Morrison takes out: damp = 1 + stiff Σ_i g v g^q, v = y/z. What is
// left is the derivative of use by prices, no symmetry, LU with scaled rows.

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ArrayXXd overpaid(const GameInUnits& game, const RowPrices& prices, const ArrayXd& total, const ArrayXd& k) {
  const ArrayXd pull = total.pow(-game.q) - k;
  return game.may.select(prices.rho - game.gq.colwise() * pull, 1.0);
}

PriceNewton::PriceNewton(const GameInUnits& game, const RowPrices& prices, const PricePoint& at, int threads)
    : game_(game), prices_(prices), at_(at) {
  const ArrayXd x = totals_of(game, at.y);
  z_missing_ = overpaid(game, prices_, x, at.k) - at.z;
  s_missing_ = 1 - use_of(game, at.y) - at.s;
  left_missing_ = game.capped.select(game.cap - x - at.left, 0.0);
  v_ = at.y / at.z;
  bend_ = game.q * x.pow(-game.q - 1);
  stiff_ = bend_ + game.capped.select(at.k / at.left, 0.0);
  assemble(threads);
}

// ∂ρ/∂ν_r over slope · b_r, whose power is kept from overflow.
ArrayXd PriceNewton::tilt(Index i) const {
  return (at_.nu.row(i) / at_.nu.row(i).maxCoeff()).pow(game_.p - 1).transpose();
}

// -∂use/∂ν of a block of rows. A pair's own part, v (1 + stiff Σ_{j≠i} g v g^q) / (1 + stiff Σ_j …), is
// summed without the difference that it would be.
MatrixXd PriceNewton::block_slope(Index first, Index rows) {
  const Index m = game_.resources(), servers = game_.servers();
  const auto part = [&](const auto& array) { return array.segment(first, rows); };
  const ArrayXXd answers =
      game_.g.middleRows(first, rows) * v_.middleRows(first, rows) * game_.gq.middleRows(first, rows);
  ArrayXXd others = ArrayXXd::Zero(rows, servers);
  ArrayXd sum = ArrayXd::Zero(rows);
  for (Index i = servers - 1; i >= 0; --i) {
    others.col(i) = sum;
    sum += answers.col(i);
  }
  const ArrayXd damp = 1 + part(stiff_) * sum;
  damp_.segment(first, rows) = damp;
  sum.setZero();
  MatrixXd left(rows, servers * m), right(rows, servers * m);
  std::vector<MatrixXd> own;
  for (Index i = 0; i < servers; ++i) {
    others.col(i) += sum;
    sum += answers.col(i);
    const auto b = game_.b[static_cast<std::size_t>(i)].middleRows(first, rows);
    const ArrayXd tilts = tilt(i);
    const ArrayXd wv = part(game_.weight) * part(v_.col(i)) / damp;
    const ArrayXd l = wv * part(game_.gq.col(i)) * part(stiff_);
    const ArrayXd r = part(game_.g.col(i)) * part(v_.col(i)) * part(prices_.slope.col(i));
    const ArrayXd alone = wv * (1 + part(stiff_) * others.col(i)) * part(prices_.slope.col(i));
    left.middleCols(i * m, m) = (b.colwise() * l).matrix();
    right.middleCols(i * m, m) = (b.colwise() * r).matrix() * tilts.matrix().asDiagonal();
    own.emplace_back(b.matrix().transpose() * (b.colwise() * alone).matrix() * tilts.matrix().asDiagonal());
  }
  MatrixXd whole = -(left.transpose() * right);
  for (Index i = 0; i < servers; ++i) whole.block(i * m, i * m, m, m) = own[static_cast<std::size_t>(i)];
  return whole;
}

void PriceNewton::assemble(int threads) {
  damp_.resize(game_.rows());
  std::vector<MatrixXd> parts(static_cast<std::size_t>(block_count(game_.rows())));
  for_each_block(game_.rows(), threads, [&](const Block& block) {
    parts[static_cast<std::size_t>(block.index)] = block_slope(block.first, block.rows);
  });
  MatrixXd slope = MatrixXd::Zero(at_.nu.size(), at_.nu.size());
  for (const MatrixXd& part : parts) slope += part;
  const Index m = game_.resources();
  for (Index i = 0; i < game_.servers(); ++i) {
    for (Index r = 0; r < m; ++r) {
      slope(i * m + r, i * m + r) += at_.s(i, r) / at_.nu(i, r);
      slope.col(i * m + r) *= at_.nu(i, r);
    }
  }
  row_scale_ = slope.cwiseAbs().rowwise().maxCoeff().cwiseInverse();
  lu_.compute(row_scale_.asDiagonal() * slope);
}

PricePoint PriceNewton::direction(const PricePoint& change) const {
  const Index m = game_.resources();
  const ArrayXd extra = game_.capped.select((change.k - at_.k * left_missing_) / at_.left, 0.0);
  ArrayXXd free(game_.rows(), game_.servers());  // dy at the present prices and totals
  for (Index i = 0; i < game_.servers(); ++i) {
    free.col(i) = game_.may.col(i).select(
        change.y.col(i) / at_.z.col(i) - v_.col(i) * (z_missing_.col(i) + game_.gq.col(i) * extra), 0.0);
  }
  const ArrayXd free_total = (game_.g * free).rowwise().sum();
  VectorXd rhs(at_.nu.size());
  for (Index i = 0; i < game_.servers(); ++i) {
    const ArrayXd stays =
        game_.weight * (free.col(i) - v_.col(i) * game_.gq.col(i) * stiff_ * free_total / damp_);
    rhs.segment(i * m, m) = game_.b[static_cast<std::size_t>(i)].matrix().transpose() * stays.matrix();
    rhs.segment(i * m, m) += (change.s.row(i) / at_.nu.row(i) - s_missing_.row(i)).matrix().transpose();
  }
  const VectorXd relative = lu_.solve(row_scale_.asDiagonal() * rhs);
  PricePoint d{.y = ArrayXXd(game_.rows(), game_.servers()),
               .z = z_missing_,
               .s = {},
               .nu = at_.nu,
               .k = {},
               .left = {}};
  ArrayXd answer = ArrayXd::Zero(game_.rows());
  for (Index i = 0; i < game_.servers(); ++i) {
    d.nu.row(i) *= relative.segment(i * m, m).transpose().array();
    const VectorXd tilted = (tilt(i) * d.nu.row(i).transpose()).matrix();
    const ArrayXd rise =
        prices_.slope.col(i) * (game_.b[static_cast<std::size_t>(i)].matrix() * tilted).array();
    d.z.col(i) += rise;
    answer += game_.g.col(i) * v_.col(i) * rise;
  }
  d.s = (change.s - at_.s * d.nu) / at_.nu;
  const ArrayXd dx = (free_total - answer) / damp_;
  d.k = extra + (stiff_ - bend_) * dx;
  d.left = game_.capped.select(left_missing_ - dx, 0.0);
  const ArrayXd pull = bend_ * dx + d.k;
  for (Index i = 0; i < game_.servers(); ++i) {
    d.z.col(i) = game_.may.col(i).select(d.z.col(i) + game_.gq.col(i) * pull, 0.0);
    d.y.col(i) = game_.may.col(i).select((change.y.col(i) - at_.y.col(i) * d.z.col(i)) / at_.z.col(i), 0.0);
  }
  return d;
}

}  // namespace mirab::numerics
