// From the numerics of a game among servers to a mechanism's shares.
#include "mechanisms/market.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/price_sweeps.hpp"

namespace mirab {
namespace {

constexpr double kTolerated = 1e-7;
constexpr double kPolished = 1e-15;  // asked for when an iteration costs next to nothing
constexpr double kGood = 1e-9;
constexpr Eigen::Index kPlacementsPolished = 10'000;
constexpr Eigen::Index kPlacementsSwept = 1000;  // sweeps after a path that fails take a second or so
constexpr double kLogMost = 700;                 // e^±700 are normal doubles

bool fits_double(double log_price) {
  return log_price < 0 ? log_price > -kLogMost || std::isinf(log_price) : log_price < kLogMost;
}

}  // namespace

ServerShares settle_market(const numerics::ServerGame& game, MarketSolver solver, int threads) {
  const bool cheap = game.rows.alone.size() < kPlacementsPolished;
  const numerics::RegretGoal goal{.wanted = cheap ? kPolished : kGood, .tolerated = kTolerated};
  numerics::PricedServers found = solver == MarketSolver::path
                                      ? numerics::follow_price_path(game, goal, threads)
                                      : numerics::sweep_best_responses(game, goal, threads);
  const bool swept_too = game.rows.alone.size() <= kPlacementsSwept && game.rows.cap.size() == 0;
  if (solver == MarketSolver::path && swept_too && found.regret > kTolerated) {
    numerics::PricedServers swept = numerics::sweep_best_responses(game, goal, threads);
    if (swept.regret < found.regret) found = std::move(swept);
  }
  ServerShares shares{.tasks = found.amount,
                      .prices = {},
                      .price_power = game.alpha - 1,
                      .status = found.regret <= kTolerated ? Status::converged : Status::not_converged,
                      .certificate = {.kind = "relative-regret", .value = found.regret}};
  if (std::all_of(found.log_price.data(), found.log_price.data() + found.log_price.size(), fits_double)) {
    shares.prices = found.log_price.unaryExpr([](double l) { return std::exp(l); });
  } else {
    shares.notices.emplace_back(kPricesLeftOut);
  }
  return shares;
}

}  // namespace mirab
