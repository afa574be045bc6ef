// Lexicographic max-min over servers in rounds: the core of DRFH, TSF and CMMF.
//
// Source: docs/mathematics.md, section 4. A round raises the level t of all active users,
//
//     max t,  X_n = min(cap_n, t w_n) for the active, X_n = what they have for the others,  Σ_n x_{n,i}
//     d_{n,i} ≤ c_i,
//
// and its dual prices tell who is saturated, never tight rows alone: for any λ ≥ 0 and π_n = min_i
// λ_i·d_{n,i} every feasible y has Σ_n Y_n π_n ≤ C·λ, so that nobody can have more than gap / π_n more than
// at level t while all others keep what they are due, gap = C·λ - Σ_n min(X_n, t w_n) π_n. A user is fixed
// when that is next to nothing. Totals are fixed, placements are not. At a vertex with ambiguous prices some
// of the saturated are found in a later round, at the same level. The certificate is computed again from what
// is returned and the prices by which everybody was fixed: nothing that a round believed goes into it.
#include "mechanisms/levels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "numerics/level_pricing.hpp"
#include "numerics/level_simplex.hpp"
#include "numerics/level_start.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using numerics::LevelSimplex;
using numerics::ServerRows;

constexpr double kFixedWithin = 1e-5;  // a user who can gain less is saturated
constexpr double kExactWithin = 1e-8;
constexpr double kAboutNearest = 10;  // when nobody is saturated, who is so many times as far as the nearest
constexpr long double kRounding = 1e-17L;     // of C·λ, in long double
constexpr double kAboutCheapest = 1 + 1e-14;  // times the least cost in doubles: perhaps less
constexpr double kBelowCap = 1 - 2e-15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The prices of a round, and whom they showed to be saturated.
struct Round {
  ArrayXXd price;
  std::vector<Index> fixed;
};

// x within the capacities, above which sums of parts may be by rounding: server by server, since what is much
// for a small server is next to nothing for all.
ArrayXXd within_capacities(const ServerRows& rows, ArrayXXd x) {
  for (Index i = 0; i < rows.servers(); ++i) {
    double most = 1;
    for (Index r = 0; r < rows.resources(); ++r) {
      const double capacity = rows.capacity(i, r);
      if (capacity > 0) most = std::max(most, (x.col(i) * rows.demand_on(i).col(r)).sum() / capacity);
    }
    x.col(i) /= most;
  }
  return x;
}

// x within the caps, above which a sum of parts may be by rounding.
ArrayXXd within_caps(const ServerRows& rows, ArrayXXd x) {
  for (Index n = 0; n < rows.cap.size(); ++n) {
    const double total = x.row(n).sum();
    if (total > kBelowCap * rows.cap[n]) x.row(n) *= kBelowCap * rows.cap[n] / total;
  }
  return x;
}

// b_n of everybody, when `total` is what all have at a level; in long double, since the gap is a difference
// of large sums. Infinite where it is not a number.
ArrayXd bounds(const ServerRows& rows, const ArrayXXd& price, const ArrayXd& total) {
  const ArrayXXd cost = numerics::level_costs(rows, price);
  long double worth = 0;
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index r = 0; r < rows.resources(); ++r)
      worth += static_cast<long double>(rows.capacity(i, r)) * price(i, r);
  }
  const ArrayXd cheapest = cost.rowwise().minCoeff();
  long double paid = 0;
  for (Index n = 0; n < rows.rows(); ++n) {
    long double least = cheapest[n];
    for (Index i = 0; i < rows.servers(); ++i) {
      if (cost(n, i) > kAboutCheapest * cheapest[n]) continue;
      long double exact = 0;
      for (Index r = 0; r < rows.resources(); ++r)
        exact += static_cast<long double>(rows.demand_on(i)(n, r)) * price(i, r);
      least = std::min(least, exact);
    }
    paid += total[n] * least;
  }
  const long double over = worth - paid;
  const auto gap = static_cast<double>((over < 0 ? 0 : over) + kRounding * worth);
  const ArrayXd bound = gap / (cheapest * total);
  return bound.isNaN().select(kInfinity, bound);
}

// b_n of everybody in the allocation x: by the prices of the round that fixed a user, and never more than its
// cap leaves.
ArrayXd final_bounds(const ServerRows& rows, const ArrayXd& unit, const ArrayXXd& x,
                     const std::vector<Round>& rounds) {
  const ArrayXd total = x.rowwise().sum();
  ArrayXd bound = ArrayXd::Constant(rows.rows(), kInfinity);
  for (const Round& round : rounds) {
    if (round.fixed.empty()) continue;
    const double level = (total(round.fixed) / unit(round.fixed)).minCoeff();
    bound(round.fixed) = bounds(rows, round.price, total.min(unit * level))(round.fixed);
  }
  for (Index n = 0; n < rows.cap.size(); ++n) {
    const double more = rows.cap[n] > total[n] ? rows.cap[n] / total[n] - 1 : 0;
    bound[n] = std::min(bound[n], more);
  }
  return bound;
}

// Active users whose bound is next to nothing; or, rather than nobody, those about the nearest to it.
std::vector<Index> saturated(const LevelSimplex& simplex, const ArrayXd& bound) {
  double nearest = kInfinity;
  for (Index n = 0; n < bound.size(); ++n) {
    if (simplex.active(n)) nearest = std::min(nearest, bound[n]);
  }
  const double most = std::max(kFixedWithin, kAboutNearest * nearest);
  std::vector<Index> users;
  for (Index n = 0; n < bound.size(); ++n) {
    if (simplex.active(n) && bound[n] <= most) users.push_back(n);
  }
  return users;
}

}  // namespace

Levels raise_levels(const MergedServers& merged, const ArrayXd& unit) {
  const ServerRows& rows = merged.rows;
  LevelSimplex simplex(rows, unit, numerics::starting_keys(rows, unit));
  std::vector<Round> rounds;
  while (simplex.anybody_active()) {
    Round& round = rounds.emplace_back();
    const bool raised = simplex.raise();
    round.price = simplex.price();
    const ArrayXd total = within_capacities(rows, simplex.amount()).rowwise().sum();
    const ArrayXd everybody = ArrayXd::Constant(rows.rows(), kInfinity);
    round.fixed = saturated(simplex, raised ? bounds(rows, round.price, total) : everybody);
    simplex.fix(round.fixed);
  }
  const ArrayXXd x = simplex.amount();
  Levels levels;
  levels.rounds = static_cast<int>(rounds.size());
  levels.pivots = simplex.pivots();
  levels.shares.tasks = within_caps(rows, within_capacities(rows, x.isFinite().select(x, 0)));
  const double most = final_bounds(rows, unit, levels.shares.tasks, rounds).maxCoeff();
  levels.shares.status = most <= kExactWithin ? Status::exact : Status::not_converged;
  levels.shares.certificate = {.kind = "level-bound", .value = most};
  return levels;
}

}  // namespace mirab
