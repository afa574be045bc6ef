// The pool mechanisms against linear programs that know nothing of water-filling or prices.
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

#include "mechanisms/pool_case.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::PoolCase;

constexpr std::uint64_t pool_seed = 20110330;
constexpr int pools = random_cases(2000);

// max objective·(x_0 … x_{N-1}, t) under capacities, lower_n ≤ x_n ≤ cap_n, and x_n - rate_n t ≥ 0 where
// active.
struct LinearProgram {
  std::vector<double> solution;  // [N + 1]
  std::vector<double> duals;     // of the rows of the active users, [N], 0 for others
};

LinearProgram solve(const PoolCase& pool, const std::vector<double>& objective,
                    const std::vector<double>& lower, const std::vector<double>& rate,
                    const std::vector<bool>& active) {
  const int users = static_cast<int>(pool.demand.size());
  const int resources = static_cast<int>(pool.capacity.size());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, users + 1);
  std::vector<double> row_lower, row_upper;
  for (int r = 0; r < resources; ++r) {
    CoinPackedVector row;
    for (int n = 0; n < users; ++n) row.insert(n, pool.demand[n][r]);
    matrix.appendRow(row);
    row_lower.push_back(-COIN_DBL_MAX);
    row_upper.push_back(pool.capacity[r]);
  }
  for (int n = 0; n < users; ++n) {
    CoinPackedVector row;
    row.insert(n, 1);
    if (active[n]) row.insert(users, -rate[n]);
    matrix.appendRow(row);
    row_lower.push_back(active[n] ? 0 : -COIN_DBL_MAX);
    row_upper.push_back(COIN_DBL_MAX);
  }
  std::vector<double> column_lower = lower, column_upper;
  for (int n = 0; n < users; ++n) column_upper.push_back(pool.has_cap(n) ? pool.cap[n] : COIN_DBL_MAX);
  column_lower.push_back(0);
  column_upper.push_back(COIN_DBL_MAX);
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.setPrimalTolerance(1e-9);
  simplex.setDualTolerance(1e-9);
  simplex.loadProblem(matrix, column_lower.data(), column_upper.data(), objective.data(), row_lower.data(),
                      row_upper.data());
  simplex.setOptimizationDirection(-1);
  simplex.primal();
  MIRAB_ASSERT(simplex.isProvenOptimal(), "the oracle's linear program has an optimum");
  LinearProgram solved;
  solved.solution.assign(simplex.primalColumnSolution(), simplex.primalColumnSolution() + users + 1);
  solved.duals.assign(simplex.dualRowSolution() + resources, simplex.dualRowSolution() + resources + users);
  return solved;
}

// Lexicographic max-min of x_n / rate_n: rounds of max t, in which a user whose row has a positive dual is
// saturated in every optimum (docs/explanation/mathematics.md, section 4).
std::vector<double> lexicographic_max_min(const PoolCase& pool, const std::vector<double>& rate) {
  const std::size_t users = pool.demand.size();
  std::vector<double> level(users, 0.0);
  std::vector<bool> active(users, true);
  std::vector<double> highest_level(users + 1, 0.0);
  highest_level[users] = 1;
  for (std::size_t fixed = 0; fixed < users;) {
    std::vector<double> lower = level;  // a little less, or its rounding could make the next round infeasible
    for (std::size_t n = 0; n < users; ++n) {
      lower[n] = (1 - 1e-10) * (pool.has_cap(n) ? std::min(level[n], pool.cap[n]) : level[n]);
    }
    const LinearProgram round = solve(pool, highest_level, lower, rate, active);
    for (std::size_t n = 0; n < users; ++n) {
      if (!active[n] || std::abs(round.duals[n]) * rate[n] < 1e-6) continue;
      level[n] = round.solution[users] * rate[n];
      active[n] = false;
      ++fixed;
    }
  }
  return level;
}

double share_of_one_task(const PoolCase& pool, std::size_t n, const std::string& mechanism) {
  double largest = 0, sum = 0;
  for (std::size_t r = 0; r < pool.capacity.size(); ++r) {
    largest = std::max(largest, pool.demand[n][r] / pool.capacity[r]);
    sum += pool.demand[n][r] / pool.capacity[r];
  }
  return mechanism == "drf" ? largest : mechanism == "asset" ? sum : 1;
}

class AgreesWithLinearProgramsInRounds : public ::testing::TestWithParam<std::string> {};

TEST_P(AgreesWithLinearProgramsInRounds, OnRandomPoolsWithZerosWeightsAndCaps) {
  Random random(pool_seed);
  for (int i = 0; i < pools; ++i) {
    const PoolCase pool = testing::random_pool(random, {});
    std::vector<double> rate;
    for (std::size_t n = 0; n < pool.demand.size(); ++n) {
      rate.push_back(pool.weight_of(n) / share_of_one_task(pool, n, GetParam()));
    }
    const std::vector<double> expected = lexicographic_max_min(pool, rate);
    const std::vector<double> tasks = testing::tasks_of(pool, GetParam());
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      ASSERT_NEAR(tasks[n], expected[n], 1e-7 * std::max(1.0, expected[n]))
          << fmt::format("user {} in pool {} of seed {}: {}", n, i, pool_seed, testing::text_of(pool));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pool, AgreesWithLinearProgramsInRounds, ::testing::Values("max-min", "drf", "asset"),
                         [](const auto& name) { return name.param == "max-min" ? "MaxMin" : name.param; });

class NoLinearDirectionImprovesIt : public ::testing::TestWithParam<std::tuple<double, std::string>> {};

// x maximises a concave P over a polytope iff no feasible y has ∇P(x)·y > ∇P(x)·x. The gradient is 1/u_n
// s_n^(-α) with s_n = x_n/(φ_n u_n); the best y is a linear program.
TEST_P(NoLinearDirectionImprovesIt, OnRandomPoolsWithZerosWeightsAndCaps) {
  const auto [alpha, yardstick] = GetParam();
  Random random(pool_seed);
  for (int i = 0; i < pools; ++i) {
    const PoolCase pool = testing::random_pool(random, {});
    const std::size_t users = pool.demand.size();
    const std::vector<double> tasks =
        testing::tasks_of(pool, fmt::format("alpha-fair:alpha={},yardstick={}", alpha, yardstick));
    std::vector<double> gradient(users + 1, 0.0);
    double largest = 0, ours = 0, best = 0;
    for (std::size_t n = 0; n < users; ++n) {
      const double u = yardstick == "tasks" ? 1 : 1 / share_of_one_task(pool, n, "drf");
      gradient[n] = std::pow(tasks[n] / (pool.weight_of(n) * u), -alpha) / u;
      largest = std::max(largest, gradient[n]);
    }
    const std::vector<double> none(users, 0.0);
    for (double& slope : gradient) slope /= largest;
    const LinearProgram other = solve(pool, gradient, none, none, std::vector<bool>(users, false));
    for (std::size_t n = 0; n < users; ++n) {
      ours += gradient[n] * tasks[n];
      best += gradient[n] * other.solution[n];
    }
    ASSERT_LE(best, ours * (1 + 1e-7))
        << fmt::format("pool {} of seed {}: {}", i, pool_seed, testing::text_of(pool));
  }
}

INSTANTIATE_TEST_SUITE_P(Pool, NoLinearDirectionImprovesIt,
                         ::testing::Combine(::testing::Values(0.5, 1, 2, 5),
                                            ::testing::Values("tasks", "dominant")),
                         [](const auto& name) {
                           return fmt::format("Alpha{}{}", static_cast<int>(10 * std::get<0>(name.param)),
                                              std::get<1>(name.param));
                         });

// The Karush-Kuhn-Tucker conditions, from the tasks and prices alone. The marginal utility of user n's task
// is (x_n/φ_n)^(-α) u_n^(α-1); x_n is where it meets the cost d_n·λ, or n's cap where that is more than the
// cost.
class MeetsTheOptimalityConditionsOfAPool : public ::testing::TestWithParam<std::tuple<double, std::string>> {
};

TEST_P(MeetsTheOptimalityConditionsOfAPool, OnRandomPoolsWithZerosWeightsAndCaps) {
  const auto [alpha, yardstick] = GetParam();
  const std::string mechanism =
      yardstick == "pf" ? "pf" : fmt::format("alpha-fair:alpha={},yardstick={}", alpha, yardstick);
  Random random(pool_seed);
  int priced = 0;
  for (int i = 0; i < pools; ++i) {
    const PoolCase pool = testing::random_pool(random, {});
    SCOPED_TRACE(fmt::format("pool {} of seed {}: {}", i, pool_seed, testing::text_of(pool)));
    const Result<Outcome> outcome = allocate(testing::problem_of(pool), mechanism);
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->status, Status::converged);
    const std::vector<double>& x = outcome->allocation.tasks;
    const std::vector<double>& prices = outcome->allocation.servers[0].prices;
    std::vector<double> used(pool.capacity.size(), 0.0);
    for (std::size_t n = 0; n < x.size(); ++n) {
      ASSERT_LE(x[n], pool.has_cap(n) ? pool.cap[n] : COIN_DBL_MAX);
      for (std::size_t r = 0; r < used.size(); ++r) used[r] += x[n] * pool.demand[n][r];
    }
    for (std::size_t r = 0; r < used.size(); ++r) ASSERT_LE(used[r], pool.capacity[r] * (1 + 1e-9));
    if (prices.empty()) continue;  // beyond what a double holds
    ++priced;
    double spent = 0, worth = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const double u = yardstick == "dominant" ? 1 / share_of_one_task(pool, n, "drf") : 1;
      double cost = 0;
      for (std::size_t r = 0; r < used.size(); ++r) cost += pool.demand[n][r] * prices[r];
      spent += x[n] * cost;
      const double wanted = pool.weight_of(n) * std::pow(u, 1 - 1 / alpha) * std::pow(cost, -1 / alpha);
      const double expected = pool.has_cap(n) ? std::min(pool.cap[n], wanted) : wanted;
      ASSERT_NEAR(x[n], expected, 1e-7 * (1 + expected)) << "user " << n;
    }
    for (std::size_t r = 0; r < used.size(); ++r) {
      worth += prices[r] * pool.capacity[r];
      ASSERT_GE(prices[r], 0);
    }
    ASSERT_NEAR(worth, spent, 1e-7 * worth);  // λ_r (C_r - used_r) = 0
  }
  EXPECT_GT(priced, pools / 2);
}

INSTANTIATE_TEST_SUITE_P(Pool, MeetsTheOptimalityConditionsOfAPool,
                         ::testing::Combine(::testing::Values(0.5, 1, 2, 5, 20),
                                            ::testing::Values("tasks", "dominant")),
                         [](const auto& name) {
                           return fmt::format("Alpha{}{}", static_cast<int>(10 * std::get<0>(name.param)),
                                              std::get<1>(name.param));
                         });
INSTANTIATE_TEST_SUITE_P(Pf, MeetsTheOptimalityConditionsOfAPool,
                         ::testing::Values(std::tuple(1.0, std::string("pf"))));

TEST(AlphaFair, PricesOfAllCapacityAreWhatUncappedUsersSpendOrAreLeftOut) {
  Random random(pool_seed);
  for (const double alpha : {0.5, 1.0, 2.0, 5.0, 20.0, 50.0}) {
    for (int i = 0; i < random_cases(300); ++i) {
      const PoolCase pool = testing::random_pool(random, {.capped_users = 0});
      const Result<Outcome> outcome =
          allocate(testing::problem_of(pool), fmt::format("alpha-fair:alpha={}", alpha));
      ASSERT_TRUE(outcome);
      const std::vector<double>& prices = outcome->allocation.servers[0].prices;
      double worth = 0, spent = 0;
      for (std::size_t r = 0; r < prices.size(); ++r) {
        worth += prices[r] * pool.capacity[r];
        for (std::size_t n = 0; n < pool.demand.size(); ++n) {
          spent += outcome->allocation.tasks[n] * pool.demand[n][r] * prices[r];
        }
      }
      ASSERT_NEAR(worth, spent, 1e-8 * worth)
          << fmt::format("α = {}, pool {} of seed {}: {}", alpha, i, pool_seed, testing::text_of(pool));
    }
  }
}

TEST(AlphaFair, OfOneResourceSharesInClosedForm) {
  // x_n = φ_n d_n^(-1/α) · C / Σ_k φ_k d_k^(1 - 1/α)
  Random random(pool_seed);
  for (const double alpha : {0.2, 0.5, 1.0, 3.0, 50.0, 1000.0, 1e6}) {
    for (int i = 0; i < random_cases(200); ++i) {
      const PoolCase pool =
          testing::random_pool(random, {.resources_max = 1, .zero_demands = 0, .capped_users = 0});
      double sum = 0;
      for (std::size_t n = 0; n < pool.demand.size(); ++n) {
        sum += pool.weight[n] * std::pow(pool.demand[n][0], 1 - 1 / alpha);
      }
      const std::vector<double> tasks = testing::tasks_of(pool, fmt::format("alpha-fair:alpha={}", alpha));
      for (std::size_t n = 0; n < tasks.size(); ++n) {
        const double expected =
            pool.weight[n] * std::pow(pool.demand[n][0], -1 / alpha) * pool.capacity[0] / sum;
        ASSERT_NEAR(tasks[n], expected, 1e-8 * expected) << "α = " << alpha << ", " << testing::text_of(pool);
      }
    }
  }
}

TEST(AlphaFair, ApproachesMaxMinAndDrfAsAlphaGrows) {
  Random random(pool_seed);
  for (int i = 0; i < random_cases(500); ++i) {
    const PoolCase pool = testing::random_pool(random, {});
    for (const auto& [limit, steep] : {std::pair("max-min", "alpha-fair:alpha=1e6"),
                                       std::pair("drf", "alpha-fair:alpha=1e6,yardstick=dominant")}) {
      const std::vector<double> expected = testing::tasks_of(pool, limit);
      const std::vector<double> tasks = testing::tasks_of(pool, steep);
      for (std::size_t n = 0; n < tasks.size(); ++n) {
        ASSERT_NEAR(tasks[n], expected[n], 1e-4 * (1 + expected[n]))
            << limit << ", " << testing::text_of(pool);
      }
    }
  }
}

}  // namespace
}  // namespace mirab
