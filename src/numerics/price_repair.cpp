// From a point of the path, near an equilibrium, to amounts that fit.
//
// Dust is dropped. A row that would pay for more than its cap, or is above it, gets its cap; a server that is
// overused shrinks to what it has. A resource is scarce, and has a price, when ν ≥ s.
#include "numerics/price_repair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kJustBelow = 1 - 1e-15;  // so that no rounding passes a cap
constexpr double kDropped = 1e-12;        // of a row's total: smaller placements are none

ArrayXXd amounts_within_caps(const GameInUnits& in, const PricePoint& at) {
  const ArrayXd total = totals_of(in, at.y);
  ArrayXXd amount = at.y * in.g;
  amount.colwise() *= in.unit;
  for (Index i = 0; i < in.servers(); ++i) {
    amount.col(i) = (amount.col(i) > kDropped * total * in.unit).select(amount.col(i), 0.0);
  }
  for (Index n = 0; n < in.rows(); ++n) {
    const bool at_cap = in.capped[n] && at.k[n] * std::pow(total[n], in.q) > at.left[n] / in.cap[n];
    if (!at_cap && !(total[n] > in.cap[n])) continue;
    const double room = in.unit[n] * (in.cap[n] - in.base[n]), sum = amount.row(n).sum();
    if (sum > 0) amount.row(n) *= kJustBelow * room / sum;  // else all of it was dust
  }
  return amount;
}

void shrink_to_fit(const ServerRows& rows, Index i, Eigen::Ref<ArrayXd> amount) {
  double fullest = 1;
  for (Index r = 0; r < rows.resources(); ++r) {
    if (rows.capacity(i, r) > 0)
      fullest = std::max(fullest, (amount * rows.demand_on(i).col(r)).sum() / rows.capacity(i, r));
  }
  amount /= fullest;
}

}  // namespace

PricedServers repaired(const ServerGame& game, const GameInUnits& in, const PricePoint& at, int threads) {
  const ServerRows& rows = game.rows;
  PricedServers found{.amount = amounts_within_caps(in, at),
                      .log_price = ArrayXXd::Constant(in.servers(), in.resources(), -kInfinity),
                      .regret = kInfinity,
                      .iterations = 0};
  for (Index i = 0; i < in.servers(); ++i) {
    shrink_to_fit(rows, i, found.amount.col(i));
    for (Index r = 0; r < in.resources(); ++r) {
      if (!(rows.capacity(i, r) > 0) || at.nu(i, r) < at.s(i, r)) continue;
      found.log_price(i, r) = in.p * std::log(in.price_unit[i] * at.nu(i, r)) +
                              game.alpha * std::log(in.total_weight) - std::log(rows.capacity(i, r));
    }
  }
  found.regret = relative_regret(game, found.amount, found.log_price, threads);
  return found;
}

}  // namespace mirab::numerics
