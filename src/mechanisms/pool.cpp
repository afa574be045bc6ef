// The one equation over a pool: max Σ_n φ_n g_α(x_n / (φ_n u_n)) under Σ_n x_n d_n ≤ C, x ≤ cap.
//
// Sources: Ghodsi et al. 2011; Bonald and Roberts, Enhanced Cluster Computing Performance through
// Proportional Fairness, 2014, sections 2.3 to 2.5; docs/explanation/mathematics.md, sections 1 to 3.
//
// α = ∞ raises all users at rates φ_n u_n (numerics/pool/water_filling). A finite α is solved by prices
// (numerics/pool/dual) in shares s_n = x_n / u_n of demand u_n d_n: the prices are the same, and u_n^(1 -
// 1/α), which no double holds when α is small, never arises. u_n cancels at α = 1.
#include "mechanisms/pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "mechanisms/registry.hpp"
#include "model/names.hpp"
#include "numerics/pool/dual.hpp"
#include "numerics/pool/water_filling.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

// Of the relative gap. Derived: tasks are right to about its root. A target of 1e-12 costs an iteration or
// two, next to nothing up to some 30,000 users; harmless from 1e-9 to 1e-13.
constexpr numerics::Accuracy kFewUsers{.target = 1e-12, .accepted = 1e-9};
constexpr numerics::Accuracy kManyUsers{.target = 1e-9, .accepted = 1e-9};
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
          .status = status_of(levels.report, Status::exact),
          .certificate = {.kind = "saturation-residual", .value = levels.report.error},
          .notice = {}};
}

numerics::PricedAmounts solve(const Pool& pool, double alpha) {
  return numerics::solve_dual({pool.demand, pool.capacity, pool.weight, pool.cap, alpha},
                              pool.demand.rows() <= kUsersPolished ? kFewUsers : kManyUsers);
}

numerics::PricedAmounts solve_in_shares(const Pool& pool, const PoolRule& rule) {
  ArrayXd u(pool.demand.rows());
  rule.yardstick(pool.demand, pool.capacity, u);
  Pool shares{.demand = pool.demand.colwise() * u,
              .capacity = pool.capacity,
              .weight = pool.weight,
              .cap = pool.cap,
              .resources = {}};
  if (shares.cap.size() > 0) shares.cap /= u;
  numerics::PricedAmounts priced = solve(shares, rule.alpha);
  const ArrayXd tasks = priced.amount * u;
  priced.amount =
      pool.cap.size() == 0 ? tasks : (priced.amount < shares.cap).select(tasks.min(pool.cap), pool.cap);
  return priced;
}

// λ from ln λ, element by element: a vectorised exp stops short of 0. No prices at all, and a notice, when
// some price is no normal double.
void set_prices(PoolShares& shares, const ArrayXd& log_price) {
  if (log_price.isNaN().any()) {
    shares.notice =
        "the amounts at so small an α are beyond what a double holds: an approximation is given, "
        "without prices";
  } else if (!std::all_of(log_price.begin(), log_price.end(), has_normal_exp)) {
    shares.notice = "the prices at this α are beyond what a double holds, and are left out";
  } else {
    shares.prices = log_price.unaryExpr([](double l) { return std::exp(l); });
  }
}

PoolShares price(const Pool& pool, const PoolRule& rule) {
  const bool cancels = rule.alpha == 1 || rule.yardstick == one_task;
  numerics::PricedAmounts priced = cancels ? solve(pool, rule.alpha) : solve_in_shares(pool, rule);
  PoolShares shares{.tasks = std::move(priced.amount),
                    .used = std::move(priced.used),
                    .prices = {},
                    .status = status_of(priced.report, Status::converged),
                    .certificate = {.kind = "relative-duality-gap", .value = priced.report.error},
                    .notice = {}};
  set_prices(shares, priced.log_price);
  return shares;
}

// [m] in the pool's resources to the problem's, 0 for those that the pool lacks.
std::vector<double> in_problem_order(const Pool& pool, const ArrayXd& values, std::size_t resource_count) {
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
    allocation.grants.add(n, 0, tasks, in_problem_order(pool, bundle, m));
  }
  allocation.servers.push_back({.name = "pool",
                                .count = 1,
                                .capacity = problem.pool(),
                                .used = in_problem_order(pool, shares.used, m),
                                .prices = {}});
  if (shares.prices.size() > 0) {
    allocation.servers[0].prices = in_problem_order(pool, shares.prices, m);
  }
  return allocation;
}

// Without the mechanism's name: a notice that holds for several outcomes is printed once.
std::vector<std::string> notices_of(const Problem& problem, const PoolShares& shares) {
  std::vector<std::string> notices;
  if (has_several_servers(problem)) notices.push_back(pool_warning(problem));
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.pool()[r] > 0) continue;
    notices.push_back(fmt::format("no server has any {}: the resource is left out", problem.resources()[r]));
  }
  if (!shares.notice.empty()) notices.push_back(shares.notice);
  return notices;
}

template <class Divide>
Outcome timed(const Problem& problem, const Choice& choice, const Divide& divide) {
  const Pool pool = pool_of(problem);
  const auto start = std::chrono::steady_clock::now();
  const PoolShares shares = divide(pool);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return {.mechanism = choice.text,
          .status = shares.status,
          .certificate = shares.certificate,
          .seconds = spent.count(),
          .allocation = allocation_of(problem, pool, shares),
          .notices = notices_of(problem, shares)};
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
  return timed(problem, choice, [&](const Pool& pool) { return divide(pool, rule); });
}

Outcome share_pool(const Problem& problem, const Choice& choice,
                   const std::function<PoolShares(const Pool&)>& divide) {
  return timed(problem, choice, divide);
}

bool stands_alone(const Problem& problem, std::size_t user) {
  const Tree& tree = problem.tree();
  const std::size_t v = tree.node_of_user(user);
  const bool has_quota = !(tree.guarantee(v).empty() && tree.reserve(v).empty() && tree.limit(v).empty());
  return has_quota || tree.weight(v) == 0;
}

numerics::RowTree groups_above(const Problem& problem, const std::vector<std::size_t>& first_users,
                               const std::vector<std::size_t>& resources) {
  const Tree& tree = problem.tree();
  const auto parts = [&](std::span<const double> amounts) {
    ArrayXd of(amounts.empty() ? 0 : static_cast<Index>(resources.size()));
    for (Index r = 0; r < of.size(); ++r) {
      const std::size_t resource = resources[static_cast<std::size_t>(r)];
      const double pool = problem.pool()[resource];
      of[r] = pool > 0 ? amounts[resource] / pool : 0;  // nobody takes what the pool has not
    }
    return of;
  };
  const auto node_of = [&](std::size_t v) {
    return numerics::TreeNode{.parent = static_cast<Index>(tree.parent(v)),
                              .weight = tree.weight(v),
                              .guarantee = parts(tree.guarantee(v)),
                              .reserve = parts(tree.reserve(v)),
                              .limit = parts(tree.limit(v))};
  };
  numerics::RowTree rows;
  for (std::size_t v = 0; v <= tree.group_count(); ++v) rows.nodes.push_back(node_of(v));
  for (const std::size_t user : first_users) {
    const std::size_t v = tree.node_of_user(user);
    if (stands_alone(problem, user)) {
      rows.node_of.push_back(static_cast<Index>(rows.nodes.size()));
      rows.nodes.push_back(node_of(v));
    } else {
      rows.node_of.push_back(static_cast<Index>(tree.parent(v)));
    }
  }
  return rows;
}

}  // namespace mirab
