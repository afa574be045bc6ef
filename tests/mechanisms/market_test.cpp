// αPF-VDS and PS-DSF with time division against what docs/explanation/mathematics.md, sections 5 and 6, says
// of them.
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "mechanisms/pool_case.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/random_game.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using ::testing::HasSubstr;
using testing::PoolCase;
using testing::RandomGame;

constexpr std::uint64_t market_seed = 1703;

std::vector<double> tasks_of(const Problem& problem, const std::string& mechanism) {
  const Result<Outcome> outcome = allocate(problem, mechanism);
  EXPECT_TRUE(outcome);
  EXPECT_EQ(outcome->status, Status::converged) << outcome->certificate.value;
  EXPECT_EQ(outcome->certificate.kind, "relative-regret");
  return outcome->allocation.tasks;
}

void expect_alike(const std::vector<double>& ours, const std::vector<double>& theirs, double tolerance) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t n = 0; n < ours.size(); ++n)
    ASSERT_NEAR(ours[n], theirs[n], tolerance * theirs[n]) << "user " << n;
}

// The same server in parts of 1/8, 1/4 and 5/8 of it.
Problem in_three_parts(const PoolCase& pool) {
  const Problem whole = testing::problem_of(pool);
  Cluster cluster{.resources = whole.resources(), .servers = {}, .users = whole.users()};
  for (const double part : {0.125, 0.25, 0.625}) {
    Server server{.name = fmt::format("part {}", part), .capacity = {}};
    for (const double capacity : pool.capacity) server.capacity.push_back(*Quantity::from(part * capacity));
    cluster.servers.push_back(server);
  }
  return *Problem::from(std::move(cluster));
}

// Capacities with few digits, which can be cut into eighths.
PoolCase rounded_pool(Random& random) {
  PoolCase pool = testing::random_pool(random, {.capped_users = 0});
  for (double& capacity : pool.capacity) capacity = std::ceil(capacity);
  return pool;
}

TEST(AlphaPfVds, OnOneServerIsAlphaFairInDominantShares) {
  for (const char* alpha : {"0.5", "1", "2", "5"}) {
    Random random(market_seed);
    for (int i = 0; i < random_cases(100); ++i) {
      const Problem problem = testing::problem_of(testing::random_pool(random, {}));
      SCOPED_TRACE(fmt::format("α = {}, problem {}", alpha, i));
      ASSERT_NO_FATAL_FAILURE(expect_alike(
          tasks_of(problem, fmt::format("alpha-pf-vds:alpha={}", alpha)),
          allocate(problem, fmt::format("alpha-fair:alpha={},yardstick=dominant", alpha))->allocation.tasks,
          1e-4));
    }
  }
}

TEST(AlphaPfVds, OnProportionalServersIsAlphaFairInDominantSharesOfThePool) {
  for (const char* alpha : {"0.5", "1", "3"}) {
    Random random(market_seed);
    for (int i = 0; i < random_cases(100); ++i) {
      const PoolCase pool = rounded_pool(random);
      SCOPED_TRACE(fmt::format("α = {}, problem {}: {}", alpha, i, testing::text_of(pool)));
      ASSERT_NO_FATAL_FAILURE(expect_alike(
          tasks_of(in_three_parts(pool), fmt::format("alpha-pf-vds:alpha={}", alpha)),
          allocate(testing::problem_of(pool), fmt::format("alpha-fair:alpha={},yardstick=dominant", alpha))
              ->allocation.tasks,
          1e-4));
    }
  }
}

// The paper's figures 1 and 2 (tests/golden/paper_cases.json), where PS-DSF is unique.
TEST(AlphaPfVds, AtAlphaFiftyIsNearPsDsf) {
  const auto amounts = [](std::vector<double> values) {
    ResourceVector vector;
    for (const double value : values) vector.push_back(*Quantity::from(value));
    return vector;
  };
  Cluster cluster{.resources = {"cpu", "memory", "network"},
                  .servers = {{.name = "s1", .capacity = amounts({12, 4, 75})},
                              {.name = "s2", .capacity = amounts({8, 16, 0})}},
                  .users = {{.name = "1", .demand = amounts({1.5, 1, 6})},
                            {.name = "2", .demand = amounts({0.5, 0.3333333333333333, 6})},
                            {.name = "3", .demand = amounts({0.25, 1, 0})},
                            {.name = "4", .demand = amounts({0.5, 1, 0})}}};
  expect_alike(tasks_of(*Problem::from(cluster), "alpha-pf-vds:alpha=50"), {2, 6, 8, 8}, 1e-3);
  cluster.users[3].demand = amounts({1, 0.5, 0});
  expect_alike(tasks_of(*Problem::from(cluster), "alpha-pf-vds:alpha=50"), {2, 6, 32.0 / 3, 16.0 / 3}, 1e-2);
}

// max Σ_n φ_n y_n / X_n over all feasible y, which is Φ where Σ φ_n ln X_n is largest, and more anywhere
// else.
double best_relative_gain(const RandomGame& game, const ArrayXd& total) {
  const auto n = static_cast<int>(game.rows.rows()), k = static_cast<int>(game.rows.servers()),
             m = static_cast<int>(game.rows.resources());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, n * k);
  std::vector<double> row_lower, row_upper, lower(static_cast<std::size_t>(n * k), 0.0), upper, objective;
  for (int i = 0; i < k; ++i) {
    for (int r = 0; r < m; ++r) {
      CoinPackedVector row;
      for (int j = 0; j < n; ++j) row.insert(i * n + j, game.rows.demand_on(i)(j, r));
      matrix.appendRow(row);
      row_lower.push_back(-COIN_DBL_MAX);
      row_upper.push_back(game.rows.capacity(i, r));
    }
    for (int j = 0; j < n; ++j) {
      upper.push_back(game.rows.alone(j, i));
      objective.push_back(game.weight[j] / total[j]);
    }
  }
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.loadProblem(matrix, lower.data(), upper.data(), objective.data(), row_lower.data(),
                      row_upper.data());
  simplex.setOptimizationDirection(-1);
  simplex.primal();
  MIRAB_ASSERT(simplex.isProvenOptimal(), "the oracle's linear program has an optimum");
  return simplex.objectiveValue();
}

TEST(AlphaPfVds, AtAlphaOneIsWeightedProportionalFairnessOverServers) {
  Random random(market_seed);
  for (int i = 0; i < random_cases(500); ++i) {
    const RandomGame game = testing::random_game(random, {.caps = false});
    const ServerShares shares = solve_market(game.with(1), MarketSolver::path, 1);
    ASSERT_LE(best_relative_gain(game, shares.tasks.rowwise().sum()), game.weight.sum() * (1 + 1e-5))
        << "problem " << i << " of seed " << market_seed;
    ASSERT_NEAR((shares.prices * game.rows.capacity).sum(), game.weight.sum(), 1e-5 * game.weight.sum())
        << "Σ_i λ_i·c_i = Φ";
  }
}

TEST(AlphaPfVds, AnAlphaThatIsNotAboveZeroIsAnError) {
  const Problem problem = testing::problem_of({.capacity = {1}, .demand = {{1}}, .weight = {}, .cap = {}});
  for (const char* choice :
       {"alpha-pf-vds", "alpha-pf-vds:alpha=0", "alpha-pf-vds:alpha=-1", "alpha-pf-vds:alpha=nan"}) {
    const Result<Outcome> outcome = allocate(problem, choice);
    ASSERT_FALSE(outcome) << choice;
    EXPECT_THAT(outcome.error().message, HasSubstr("alpha")) << choice;
  }
  EXPECT_FALSE(allocate(problem, "alpha-pf-vds:alpha=1,algorithm=magic"));
}

// docs/reference/mechanisms/alpha-pf-vds.md: user 1 could have 2.60 tasks (2.29 + 0.31) and user 2 at
// once 1.78 (0.42
// + 1.36).
TEST(AlphaPfVds, IsNotParetoEfficientAtAlphaThree) {
  const auto two = [](int cpu, int memory) { return ResourceVector{Quantity(cpu), Quantity(memory)}; };
  const Cluster cluster{
      .resources = {"cpu", "memory"},
      .servers = {{.name = "a", .capacity = two(5, 5)}, {.name = "b", .capacity = two(8, 2)}},
      .users = {{.name = "1", .demand = two(1, 2)}, {.name = "2", .demand = two(5, 1)}}};
  expect_alike(tasks_of(*Problem::from(cluster), "alpha-pf-vds:alpha=3"), {2.459, 1.682}, 1e-3);
}

}  // namespace
}  // namespace mirab
