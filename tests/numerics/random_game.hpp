#pragma once

#include <cmath>
#include <limits>

#include <mirab/model/random.hpp>

#include "numerics/market/regret.hpp"

namespace mirab::testing {

/// How a random game among servers looks. Every row may go somewhere.
struct GameStyle {
  Eigen::Index rows_max = 8, servers_max = 5, resources_max = 4;
  double orders = 1;  ///< powers of ten between the smallest and the largest amount
  bool caps = true;
};

/// A game that owns its arrays.
struct RandomGame {
  numerics::ServerRows rows;
  Eigen::ArrayXd weight, elsewhere;
  numerics::ServerGame with(double alpha) const { return {rows, weight, alpha, elsewhere}; }
};

/// Half of them with zero demands, half with weights, half with ineligible pairs, a third with caps (where
/// the style has them), a quarter with other demands on each server.
inline RandomGame random_game(Random& random, const GameStyle& style) {
  using Eigen::ArrayXd;
  using Eigen::ArrayXXd;
  using Eigen::Index;
  const auto one_to = [&](Index most) {
    return static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(most)));
  };
  const auto one_in = [&](std::uint64_t times) { return random.below(times) == 0; };
  const auto draw = [&] { return std::pow(10.0, style.orders * (random.unit() - 0.5)); };
  const Index n = one_to(style.rows_max), k = one_to(style.servers_max), m = one_to(style.resources_max);
  const bool zeros = one_in(2), weights = one_in(2), constrained = one_in(2), caps = style.caps && one_in(3);
  RandomGame game;
  numerics::ServerRows& rows = game.rows;
  rows.capacity = ArrayXXd::NullaryExpr(k, m, [&] { return 10 * draw(); });
  rows.demand.resize(one_in(4) ? static_cast<std::size_t>(k) : 1);
  for (ArrayXXd& demand : rows.demand) {
    demand = ArrayXXd::NullaryExpr(n, m, [&] { return zeros && one_in(3) ? 0.0 : draw(); });
    for (Index row = 0; row < n; ++row) demand(row, one_to(m) - 1) += draw();
  }
  // A resource that some servers lack bars the rows that demand it there.
  for (Index i = 1; zeros && i < k; ++i) {
    if (one_in(4)) rows.capacity(i, one_to(m) - 1) = 0;
  }
  rows.alone = ArrayXXd::Zero(n, k);
  for (Index row = 0; row < n; ++row) {
    const Index kept = one_to(k) - 1;
    for (Index i = 0; i < k; ++i) {
      if (constrained && one_in(3) && i != kept && i != 0) continue;
      double alone = std::numeric_limits<double>::infinity();
      for (Index r = 0; r < m; ++r) {
        if (rows.demand_on(i)(row, r) > 0)
          alone = std::min(alone, rows.capacity(i, r) / rows.demand_on(i)(row, r));
      }
      rows.alone(row, i) = alone;
    }
  }
  game.weight = ArrayXd::NullaryExpr(n, [&] { return weights ? 0.2 + 4 * random.unit() : 1.0; });
  if (caps) {
    rows.cap = rows.alone.rowwise().maxCoeff();
    for (double& cap : rows.cap)
      cap *= one_in(3) ? 2 * random.unit() : std::numeric_limits<double>::infinity();
  }
  return game;
}

}  // namespace mirab::testing
