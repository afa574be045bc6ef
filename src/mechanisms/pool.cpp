// The one equation over a pool: max Σ_n φ_n g_α(x_n / (φ_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap.
//
// Sources: Ghodsi et al. 2011; Bonald and Roberts, "Multi-Resource Fairness", sections 2.3 to 2.5;
// docs/mathematics.md, sections 1 to 3.
//
// α = ∞ raises all users at rates φ_n u_n (numerics/water_filling). A finite α is solved by prices, with
// coefficients φ_n u_n^(1 - 1/α) (numerics/dual_newton); u_n cancels at α = 1.
#include "mechanisms/pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "numerics/dual_newton.hpp"
#include "numerics/water_filling.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kTolerance = 1e-9;  // of the relative gap
constexpr double kPolished = 1e-12;  // asked for when an iteration costs next to nothing
constexpr Index kUsersPolished = 1 << 15;

PoolShares raise_together(const Pool& pool, Yardstick yardstick) {
  const auto rate = [&](Index first, Eigen::Ref<ArrayXd> rates) {
    yardstick(pool.demand.middleRows(first, rates.size()), pool.capacity, rates);
    if (pool.weight.size() > 0) rates *= pool.weight.segment(first, rates.size());
  };
  numerics::WaterLevels levels = numerics::fill_with_water(pool.demand, pool.capacity, pool.cap, rate);
  return {.tasks = std::move(levels.amount),
          .used = std::move(levels.used),
          .prices = {},
          .status = Status::exact,
          .certificate = {.kind = "saturation-residual", .value = levels.residual}};
}

// φ_n u_n^(1 - 1/α); empty when all are 1.
ArrayXd price_coefficients(const Pool& pool, const PoolRule& rule) {
  if (rule.alpha == 1 || rule.yardstick == one_task) return pool.weight;
  ArrayXd coefficient(pool.demand.rows());
  rule.yardstick(pool.demand, pool.capacity, coefficient);
  coefficient = coefficient.pow(1 - 1 / rule.alpha);
  if (pool.weight.size() > 0) coefficient *= pool.weight;
  return coefficient;
}

PoolShares price(const Pool& pool, const PoolRule& rule) {
  const ArrayXd coefficient = price_coefficients(pool, rule);
  const double goal = pool.demand.rows() <= kUsersPolished ? kPolished : kTolerance;
  numerics::PricedAmounts priced =
      numerics::solve_dual({pool.demand, pool.capacity, coefficient, pool.cap, rule.alpha}, goal, kTolerance);
  return {.tasks = std::move(priced.amount),
          .used = std::move(priced.used),
          .prices = priced.log_price.exp(),
          .status = priced.converged ? Status::converged : Status::not_converged,
          .certificate = {.kind = "relative-duality-gap", .value = priced.relative_gap}};
}

// [m] in the pool's resources to the problem's, 0 for those that the pool lacks.
std::vector<double> spread(const Pool& pool, const ArrayXd& values, std::size_t resource_count) {
  std::vector<double> all(resource_count, 0.0);
  for (std::size_t r = 0; r < pool.resources.size(); ++r)
    all[pool.resources[r]] = values[static_cast<Index>(r)];
  return all;
}

Allocation allocation_of(const Problem& problem, const Pool& pool, const PoolShares& shares) {
  const std::size_t m = problem.resource_count();
  Allocation allocation;
  allocation.tasks.assign(shares.tasks.begin(), shares.tasks.end());
  for (std::size_t n = 0; n < allocation.tasks.size(); ++n) {
    const double tasks = allocation.tasks[n];
    if (tasks <= 0) continue;
    const ArrayXd bundle = tasks * pool.demand.row(static_cast<Index>(n)).transpose();
    allocation.grants.push_back(
        {.user = n, .server = 0, .tasks = tasks, .resources = spread(pool, bundle, m)});
  }
  allocation.servers.push_back({.name = "pool",
                                .count = 1,
                                .capacity = problem.pool(),
                                .used = spread(pool, shares.used, m),
                                .prices = {}});
  if (shares.prices.size() > 0 && shares.prices.isFinite().all()) {
    allocation.servers[0].prices = spread(pool, shares.prices, m);
  }
  return allocation;
}

std::vector<std::string> notices_of(const Problem& problem, const Choice& choice, const PoolShares& shares) {
  std::vector<std::string> notices;
  if (problem.has_placement_constraints()) {
    notices.push_back(
        fmt::format("{} pours all servers into one pool and does not honour the placement constraints "
                    "(servers, select) of users",
                    choice.name));
  }
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.pool()[r] > 0) continue;
    notices.push_back(fmt::format("no server has any {}: the resource is left out", problem.resources()[r]));
  }
  if (!shares.prices.isFinite().all()) {
    notices.emplace_back("the prices at so large an α exceed what a double holds, and are left out");
  }
  return notices;
}

}  // namespace

void one_task(const Eigen::Ref<const Eigen::ArrayXXd>&, const ArrayXd&, Eigen::Ref<ArrayXd> u) {
  u.setOnes();
}

// Four columns at a time, so that u stays in registers between them.
void dominant_share_of_one(const Eigen::Ref<const Eigen::ArrayXXd>& demand, const ArrayXd& capacity,
                           Eigen::Ref<ArrayXd> u) {
  const auto share = [&](Index r) { return demand.col(r) * (1 / capacity[r]); };
  const auto largest_of_four = [&](Index r) {
    return (share(r).max(share(r + 1))).max(share(r + 2).max(share(r + 3)));
  };
  Index r = 0;
  if (demand.cols() < 4) {
    u = share(r++);
  } else {
    u = largest_of_four(r);
    r = 4;
  }
  for (; r + 4 <= demand.cols(); r += 4) u = u.max(largest_of_four(r));
  for (; r < demand.cols(); ++r) u = u.max(share(r));
  u = u.inverse();
}

Pool pool_of(const Problem& problem) {
  const auto users = static_cast<Index>(problem.user_count());
  Pool pool;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.pool()[r] > 0) pool.resources.push_back(r);
  }
  const auto m = static_cast<Index>(pool.resources.size());
  pool.demand.resize(users, m);
  pool.capacity.resize(m);
  pool.weight.resize(users);
  pool.cap.resize(users);
  for (Index r = 0; r < m; ++r)
    pool.capacity[r] = problem.pool()[pool.resources[static_cast<std::size_t>(r)]];
  for (Index n = 0; n < users; ++n) {
    const User& user = problem.users()[static_cast<std::size_t>(n)];
    for (Index r = 0; r < m; ++r) {
      pool.demand(n, r) = user.demand[pool.resources[static_cast<std::size_t>(r)]].value();
    }
    pool.weight[n] = user.weight.value();
    pool.cap[n] = user.tasks ? user.tasks->value() : std::numeric_limits<double>::infinity();
  }
  if ((pool.weight == 1).all()) pool.weight.resize(0);
  if (!pool.cap.isFinite().any()) pool.cap.resize(0);
  return pool;
}

PoolShares divide(const Pool& pool, const PoolRule& rule) {
  return std::isinf(rule.alpha) ? raise_together(pool, rule.yardstick) : price(pool, rule);
}

Outcome share_pool(const Problem& problem, const Choice& choice, const PoolRule& rule) {
  const Pool pool = pool_of(problem);
  const auto start = std::chrono::steady_clock::now();
  const PoolShares shares = divide(pool, rule);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return {.mechanism = choice.text,
          .status = shares.status,
          .certificate = shares.certificate,
          .seconds = spent.count(),
          .allocation = allocation_of(problem, pool, shares),
          .notices = notices_of(problem, choice, shares)};
}

}  // namespace mirab
