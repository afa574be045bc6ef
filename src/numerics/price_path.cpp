// An equilibrium of the game among servers, by a primal-dual path.
//
// Source: docs/mathematics.md, section 6; predictor and corrector after Mehrotra 1992, further corrections
// after Gondzio 1996.
//
// In the units of price_units.hpp, with y = x/g, the conditions become
//   z_{n,i} = ρ_{n,i} - g_{n,i}^q (X_n^(-q) - k_n) ≥ 0  ⊥  y ≥ 0,  ρ = (Σ_r ν_{i,r}^p b_{n,i,r})^(1/p),  q =
//   α/p, s_{i,r} = 1 - Σ_n w_n/Σw b y ≥ 0  ⊥  ν ≥ 0,    cap_n - X_n ≥ 0  ⊥  k_n ≥ 0.
// ρ and X^(-q) bend little however far the prices go; a step in X - Y(ν), which goes to infinity as ν does to
// 0, leads nowhere with many rows. All products start near each other and are driven to zero together: y z
// and k left to μ, s ν to κ μ.
//
// There is no potential for α ≠ 1, and the path may bend, so there are three ways to walk it:
//   bold      z lags behind its equation, the longest steps: best with few rows;
//   centred   after every step each row is put back on its equation with the products it has, and the step is
//             halved until use lags by no more than μ allows: best with many rows, where a lag of (ΔX/X)² is
//             more than z itself. κ = (Km)^(-1/p) is what prices are, so that s shifts them by μ of them;
//   careful   every z is put on its equation and stays within a factor of ten of what it was.
// One follows the other until one arrives. The end is judged by the regret of the repaired amounts
// (price_repair.hpp), nothing else.
//
// Known failures: 2 of 2,000 small random problems at α = 10; demands over nine orders of magnitude, or whole
// numbers on servers 10⁴ apart, 1 to 4 of 1,000 (16 at α = 50). The regret says so.
#include "numerics/price_path.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "numerics/price_units.hpp"
#include "numerics/price_walk.hpp"

namespace mirab::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFirstPrice = 4;               // of ν: above what any row would pay for half of everything
constexpr Eigen::Index kManyPlacements = 2000;  // from which a bold walk seldom arrives

// One after the other until one arrives. With few rows a start from elsewhere is cheap, and the last ones
// rescue what the first ones miss.
std::vector<Manner> manners_for(const GameInUnits& in) {
  const double kappa = std::pow(static_cast<double>(in.servers() * in.resources()), -1 / in.p);
  const Manner centred{Pace::centred, kFirstPrice, kappa, 150};
  const Manner bold{Pace::bold, kFirstPrice, 1, 100};
  if (in.g.size() > kManyPlacements) {
    return {
        centred, {Pace::careful, kFirstPrice, kappa, 300}, bold, {Pace::careful, 10 * kFirstPrice, 1, 300}};
  }
  return {bold,
          {Pace::careful, kFirstPrice, 1, 400},
          {Pace::careful, 10 * kFirstPrice, 1, 400},
          centred,
          {Pace::careful, kFirstPrice, kappa, 400},
          {Pace::centred, 10 * kFirstPrice, 1, 150},
          {Pace::bold, 100 * kFirstPrice, 1, 100},
          {Pace::careful, 100 * kFirstPrice, 0.1, 400}};
}

}  // namespace

PricedServers follow_price_path(const ServerGame& game, const RegretGoal& goal, int threads) {
  const GameInUnits in(game);
  PricedServers best{.amount = Eigen::ArrayXXd::Zero(in.rows(), in.servers()),
                     .log_price = Eigen::ArrayXXd::Constant(in.servers(), in.resources(), -kInfinity),
                     .regret = kInfinity,
                     .iterations = 0};
  for (const Manner& manner : manners_for(in)) {
    walk_prices(game, in, manner, goal, threads, best);
    if (best.regret <= goal.tolerated) break;
  }
  return best;
}

}  // namespace mirab::numerics
