// Sweeps of best responses: the distributed algorithm for the game among servers.
//
// Source: docs/mathematics.md, αPF-VDS; the published mechanism's iterative algorithm is of this kind. Server
// i takes its amounts away, X_n of the others stay, and it maximises its own U_i, a concave problem with m
// prices, which is the game of one server (price_path.hpp). Gauss-Seidel: the next server sees the answer.
//
// Known failure: it creeps where rows are tied between servers, the more so the larger α is.
#include "numerics/price_sweeps.hpp"

#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr int kMostSweeps = 300;
constexpr int kMeasuredEvery = 5;
constexpr RegretGoal kAnswer{.wanted = 1e-12, .tolerated = 1e-9};

ServerRows only(const ServerRows& rows, Index i) {
  return {.demand = {rows.demand_on(i)},
          .capacity = rows.capacity.row(i),
          .alone = rows.alone.col(i),
          .cap = rows.cap};
}

}  // namespace

PricedServers sweep_best_responses(const ServerGame& game, const RegretGoal& goal, int threads) {
  const ServerRows& rows = game.rows;
  std::vector<ServerRows> alone;
  for (Index i = 0; i < rows.servers(); ++i) alone.push_back(only(rows, i));
  PricedServers at{.amount = ArrayXXd::Zero(rows.rows(), rows.servers()),
                   .log_price = ArrayXXd::Constant(rows.servers(), rows.resources(),
                                                   -std::numeric_limits<double>::infinity()),
                   .regret = std::numeric_limits<double>::infinity(),
                   .iterations = 0};
  for (int sweep = 1; sweep <= kMostSweeps && !(at.regret <= goal.wanted); ++sweep) {
    for (Index i = 0; i < rows.servers(); ++i) {
      ArrayXd elsewhere = at.amount.rowwise().sum() - at.amount.col(i);
      if (game.elsewhere.size() > 0) elsewhere += game.elsewhere;
      const PricedServers answer = follow_price_path(
          {alone[static_cast<std::size_t>(i)], game.weight, game.alpha, elsewhere.max(0)}, kAnswer, threads);
      at.amount.col(i) = answer.amount.col(0);
      at.log_price.row(i) = answer.log_price.row(0);
    }
    ++at.iterations;
    if (sweep <= kMeasuredEvery || sweep % kMeasuredEvery == 0 || sweep == kMostSweeps)
      at.regret = relative_regret(game, at.amount, at.log_price, threads);
  }
  return at;
}

}  // namespace mirab::numerics
