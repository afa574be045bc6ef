// The regret of a game among servers, from amounts and prices alone.
//
// Server i, the others' amounts fixed: U_i is concave, so for any prices λ_i ≥ 0
//   D_i(λ_i) = λ_i·c_i + Σ_n max over x_{n,i} of [w_n g_α(X_n / (w_n γ_{n,i})) - x_{n,i} λ_i·d_{n,i}]
// bounds what it can reach, and
//   D_i - U_i = λ_i·(c_i - use_i) + Σ_n X_n max over η of [h_n g(η) - η λ_i·d_{n,i}] ≥ 0
// with h_n = S_n^(-α) / γ_{n,i} the marginal utility at S_n = X_n / (w_n γ_{n,i}), g(η) = ((1+η)^(1-α) - 1) /
// (1-α), and η the change of X_n in parts of it: at best (h_n / λ_i·d_{n,i})^(1/α) - 1, not below
// -x_{n,i}/X_n nor above (cap_n - X_n)/X_n. Every term is ≥ 0 and small as η is, so that nothing cancels.
// With one server and α = 1 it is the duality gap of proportional fairness.
//
// All of a server is computed in units of its largest price (of its largest marginal utility, when nothing
// there is scarce), as a large α takes both beyond what a double holds.
//
// Known failure: with a large α the scale is that of the dearest resource and the poorest rows, and says
// little of the others. A row within RegretTuning::at_cap of its cap counts as there.
#include "numerics/market/regret.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/base/blocks.hpp"
#include "numerics/base/rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// Of one server, or of a block of its rows, in the server's units.
struct Sums {
  double regret = 0;
  double worth = 0;  // Σ_n x_{n,i} h_n
};

class Measure {
 public:
  Measure(const ServerGame& game, const ArrayXXd& amount, const RegretTuning& tuning)
      : game_(game), amount_(amount), tuning_(tuning) {
    total_ = amount.rowwise().sum();
    if (game.elsewhere.size() > 0) total_ += game.elsewhere;
  }

  double of_server(Index i, const ArrayXd& log_price, int threads) const {
    const ServerRows& rows = game_.rows;
    double unit = log_price.maxCoeff();
    if (unit == -kInfinity) unit = largest_marginal(i);
    if (unit == -kInfinity) return 0;
    const ArrayXd price = (log_price - unit).unaryExpr([](double l) { return std::exp(l); });
    std::vector<Sums> parts(static_cast<std::size_t>(block_count(rows.rows())));
    for_each_block(rows.rows(), threads, [&](const Block& block) {
      parts[static_cast<std::size_t>(block.index)] = add(i, price, unit, block);
    });
    Sums sums;
    for (const Sums& part : parts) {
      sums.regret += part.regret;
      sums.worth += part.worth;
    }
    double scale = 0;
    for (Index r = 0; r < price.size(); ++r) {
      const double used = (amount_.col(i) * rows.demand_on(i).col(r)).sum();
      sums.regret += price[r] * std::max(0.0, rows.capacity(i, r) - used);
      scale += price[r] * rows.capacity(i, r);
    }
    scale = std::max(scale, sums.worth);
    return sums.regret == 0 ? 0 : sums.regret / (scale > 0 ? scale : largest_alone(i));
  }

 private:
  // May the row have anything, and may it be here?
  bool plays(Index n, Index i) const {
    return game_.rows.alone(n, i) > 0 && (game_.rows.cap.size() == 0 || game_.rows.cap[n] > 0);
  }
  double log_marginal(Index n, Index i) const {
    const double alone = game_.rows.alone(n, i);
    return -game_.alpha * std::log(total_[n] / (game_.weight[n] * alone)) - std::log(alone);
  }
  double largest_marginal(Index i) const {
    double largest = -kInfinity;
    for (Index n = 0; n < total_.size(); ++n) {
      if (plays(n, i)) largest = std::max(largest, log_marginal(n, i));
    }
    return largest;
  }
  double largest_alone(Index i) const { return game_.rows.alone.col(i).maxCoeff(); }

  Sums add(Index i, const ArrayXd& price, double unit, const Block& block) const {
    Sums sums;
    for (Index n = block.first; n < block.first + block.rows; ++n) {
      if (!plays(n, i)) continue;
      if (total_[n] == 0) return {.regret = kInfinity, .worth = 0};
      const double pays = (game_.rows.demand_on(i).row(n).transpose() * price).sum();
      const double marginal = std::exp(std::min(log_marginal(n, i) - unit, tuning_.log_max));
      const double room = game_.rows.cap.size() > 0 ? game_.rows.cap[n] / total_[n] - 1 : kInfinity;
      const double wanted = std::expm1(std::log(marginal / pays) / game_.alpha);
      const double change =
          std::max(std::min(wanted, room > tuning_.at_cap ? room : 0), -amount_(n, i) / total_[n]);
      sums.worth += amount_(n, i) * marginal;
      if (change == kInfinity) return {.regret = kInfinity, .worth = 0};
      if (change != 0) sums.regret += std::max(0.0, total_[n] * (marginal * gain(change) - change * pays));
    }
    return sums;
  }

  // ((1+η)^(1-α) - 1) / (1-α)
  double gain(double change) const {
    const double log_ratio = std::log1p(change);
    if (game_.alpha == 1) return log_ratio;
    return std::expm1((1 - game_.alpha) * log_ratio) / (1 - game_.alpha);
  }

  const ServerGame& game_;
  const ArrayXXd& amount_;
  const RegretTuning& tuning_;
  ArrayXd total_;  // X
};

}  // namespace

double relative_regret(const ServerGame& game, const ArrayXXd& amount, const ArrayXXd& log_price, int threads,
                       const RegretTuning& tuning) {
  if (!(amount.isFinite() && amount >= 0).all()) return kInfinity;
  const Measure measure(game, amount, tuning);
  double worst = 0;
  for (Index i = 0; i < amount.cols(); ++i) {
    const double regret = measure.of_server(i, log_price.row(i).transpose(), threads);
    if (!(regret <= worst)) worst = std::isnan(regret) ? kInfinity : regret;
  }
  return worst;
}

}  // namespace mirab::numerics
