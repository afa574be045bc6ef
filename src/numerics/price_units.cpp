// The units of price_path.cpp, and the points on its way.
#include "numerics/price_units.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAtCap = 1 - 1e-12;  // of a cap, as in regret.cpp

// γ, 0 for rows whose cap is reached elsewhere.
ArrayXXd alone_with_room(const ServerGame& game) {
  ArrayXXd alone = game.rows.alone;
  if (game.rows.cap.size() == 0) return alone;
  for (Index n = 0; n < alone.rows(); ++n) {
    const double elsewhere = game.elsewhere.size() > 0 ? game.elsewhere[n] : 0;
    if (!(elsewhere < kAtCap * game.rows.cap[n])) alone.row(n) = 0;
  }
  return alone;
}

}  // namespace

GameInUnits::GameInUnits(const ServerGame& game)
    : p(std::max(1.0, game.alpha)), q(game.alpha / p), total_weight(game.weight.sum()) {
  const ServerRows& given = game.rows;
  const ArrayXXd alone = alone_with_room(game);
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

}  // namespace mirab::numerics
