// The Newton system of a primal-dual path on prices.
//
// In dy, dz, dX, dk and the Km relative price changes dν/ν. A row's part is a diagonal and one rank,
// diag(z/y) + stiff g^q gᵀ, which Sherman-Morrison takes out: damp = 1 + stiff Σ_i g v g^q, v = y/z. What is
// left is the derivative of use by prices, no symmetry, LU with scaled rows.
#include "numerics/price_newton.hpp"

#include <vector>

#include "numerics/blocks.hpp"

namespace mirab::numerics {

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
