// Sweeps of best responses: the distributed algorithm for the game among servers.
//
// Source: docs/mathematics.md, section 6; the published mechanism's iterative algorithm is of this kind.
// Server i takes its amounts away, X_n of the others stay, and it maximises its own U_i, a concave problem
// with m prices, which is the game of one server (price_path.hpp). Gauss-Seidel: the next server sees the
// answer.
//
// Known failure: it creeps where rows are tied between servers, the more so the larger α is, and then ends at
// the bound of 300 sweeps, with the best of them.
#include "numerics/price_sweeps.hpp"

#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostSweeps = 300;
constexpr double kStill = 1e-9;    // of X: who moves less does not move
constexpr int kNoBetterMost = 10;  // sweeps, after which a tolerated regret is taken
constexpr RegretGoal kAnswer{.wanted = 1e-12, .tolerated = 1e-9};

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

PricedServers sweep_best_responses(const ServerGame& game, const RegretGoal& goal, int threads) {
  const ServerRows& rows = game.rows;
  std::vector<ServerRows> alone;
  for (Index i = 0; i < rows.servers(); ++i) alone.push_back(only(rows, i));
  PricedServers at{.amount = ArrayXXd::Zero(rows.rows(), rows.servers()),
                   .log_price = ArrayXXd::Constant(rows.servers(), rows.resources(), -kInfinity),
                   .regret = kInfinity,
                   .iterations = 0};
  PricedServers best = at;
  int no_better = 0;
  while (at.iterations < kMostSweeps && !(best.regret <= goal.wanted)) {
    const ArrayXXd before = at.amount;
    for (Index i = 0; i < rows.servers(); ++i) {
      const PricedServers answer = follow_price_path(
          {alone[static_cast<std::size_t>(i)], game.weight, game.alpha, elsewhere_than(game, at.amount, i)},
          kAnswer, threads);
      at.amount.col(i) = answer.amount.col(0);
      at.log_price.row(i) = answer.log_price.row(0);
    }
    ++at.iterations;
    at.regret = relative_regret(game, at.amount, at.log_price, threads);
    no_better = at.regret < best.regret / 2 ? 0 : no_better + 1;
    if (at.regret < best.regret || at.iterations == 1) best = at;
    if (largest_move(before, at.amount) <= kStill) break;
    if (no_better >= kNoBetterMost && best.regret <= goal.tolerated) break;
  }
  best.iterations = at.iterations;
  return best;
}

}  // namespace mirab::numerics
