// Rows at given prices.
//
// On its equations a row has one unknown. With c = min_i ρ_i/g_i^q and Δ_i = ρ_i/g_i^q - c, z_i = g_i^q (Δ_i
// + t), and t solves
//   base + Σ_i g_i m_i / z_i(t) = X(c - t),   m = y z,
// where X(Z) solves X^(-q) - m_k / (cap - X) = Z, m_k = k left; without a cap it is Z^(-1/q). The left side
// falls, the right side rises: Newton in ln t within a bracket, from the t that the row has.
//
// Known failure: Δ_i is a difference, good to 1e-16 of ρ; a z far below that is noise.
#include "numerics/price_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/blocks.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSolved = 1e-13;
constexpr int kStepsMost = 80;
constexpr double kLongestStep = 3;  // of ln t

struct Total {
  double x;
  double slope;  // dX/dZ
};

double pull_of(double total, double q) { return q == 1 ? 1 / total : std::pow(total, -q); }
double answer_to(double pull, double q) { return q == 1 ? 1 / pull : std::pow(pull, -1 / q); }

// X(Z) of a row, the whole Newton iteration within a bracket where there is a cap.
Total total_at(double pull, double q, double cap, double product) {
  if (cap == kInfinity) {
    const double x = answer_to(pull, q);
    return {.x = x, .slope = -x / (q * pull)};
  }
  double low = 0, high = cap, slope = 0;
  double x = pull > 0 ? std::min(answer_to(pull, q), 0.999 * cap) : cap / 2;
  for (int steps = 0; steps < kStepsMost; ++steps) {
    const double left = cap - x, own = pull_of(x, q);
    const double excess = own - product / left - pull;
    slope = 1 / (-q * own / x - product / (left * left));
    (excess > 0 ? low : high) = x;
    const double last = x;
    x -= excess * slope;
    if (!(x > low && x < high)) x = (low + high) / 2;
    if (std::abs(x - last) <= kSolved * std::min(x, cap - x)) break;
  }
  return {.x = x, .slope = slope};
}

class Row {
 public:
  Row(const GameInUnits& game, const RowPrices& prices, Index n, PricePoint& at)
      : game_(game), n_(n), at_(at) {
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
    for (int steps = 0; steps < kStepsMost; ++steps) {
      const Total total = total_at(cheapest_ - t, game_.q, game_.cap[n_], product_);
      double excess = game_.base[n_] - total.x, slope = total.slope;
      for (Index i = 0; i < part_.size(); ++i) {
        if (part_[i] == 0) continue;
        const double of_z = 1 / (gap_[i] + t);
        excess += part_[i] * of_z;
        slope -= part_[i] * of_z * of_z;
      }
      (excess > 0 ? low : high) = t;
      const double last = t;
      t *= std::exp(std::clamp(-excess / (slope * t), -kLongestStep, kLongestStep));
      if (!(t > low && t < high)) t = high < kInfinity ? (low + high) / 2 : 4 * last;
      if (std::abs(t - last) <= kSolved * t) break;
    }
    write(t);
  }

 private:
  double first() const {
    const double total = game_.base[n_] + (game_.g.row(n_) * at_.y.row(n_)).sum();
    const double t = cheapest_ - pull_of(total, game_.q) + (game_.capped[n_] ? at_.k[n_] : 0);
    const double least = 0.01 * part_.sum() / total;
    const double most = game_.capped[n_] ? kInfinity : 0.999 * cheapest_;
    return std::min(t > least ? t : 100 * least, most);
  }

  void write(double t) {
    for (Index i = 0; i < part_.size(); ++i) {
      if (part_[i] == 0) continue;
      const double product = at_.y(n_, i) * at_.z(n_, i);
      at_.z(n_, i) = game_.gq(n_, i) * (gap_[i] + t);
      at_.y(n_, i) = product / at_.z(n_, i);
    }
    if (!game_.capped[n_]) return;
    at_.left[n_] = game_.cap[n_] - total_at(cheapest_ - t, game_.q, game_.cap[n_], product_).x;
    at_.k[n_] = product_ / at_.left[n_];
  }

  const GameInUnits& game_;
  Index n_;
  PricePoint& at_;
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

void put_rows_on_equations(const GameInUnits& game, const RowPrices& prices, int threads, PricePoint& at) {
  for_each_block(game.rows(), threads, [&](const Block& block) {
    for (Index n = block.first; n < block.first + block.rows; ++n) Row(game, prices, n, at).solve();
  });
}

}  // namespace mirab::numerics
