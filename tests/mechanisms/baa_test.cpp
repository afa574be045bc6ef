// Bottleneck-Aware Allocation against its linear program with every pair of users written out, by Clp.
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <gmock/gmock.h>

#include "mechanisms/pool_case.hpp"
#include "mechanisms/servers.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PoolCase;

constexpr std::uint64_t seed = 2014;

// d̂ and the dominant resource of every user.
struct Scaled {
  std::vector<std::vector<double>> demand;  // [n][r]
  std::vector<int> dominant;                // [n]
  double weight = 0;                        // Φ
};

Scaled scale(const PoolCase& pool) {
  Scaled scaled;
  for (std::size_t n = 0; n < pool.demand.size(); ++n) {
    std::vector<double> part;
    for (std::size_t r = 0; r < pool.capacity.size(); ++r)
      part.push_back(pool.demand[n][r] / pool.capacity[r]);
    const auto largest = std::max_element(part.begin(), part.end());
    scaled.dominant.push_back(static_cast<int>(largest - part.begin()));
    const double most = *largest;
    for (double& each : part) each /= most;
    scaled.demand.push_back(part);
    scaled.weight += pool.weight_of(n);
  }
  return scaled;
}

double worth(const std::vector<double>& own, const std::vector<double>& other) {
  double least = COIN_DBL_MAX;
  for (std::size_t r = 0; r < own.size(); ++r) {
    if (own[r] > 0) least = std::min(least, other[r] / own[r]);
  }
  return least;
}

// The largest Σ_r use_r/C_r; the variables are the levels g_r of all m resources.
double most_use(const PoolCase& pool, const Scaled& scaled) {
  const int m = static_cast<int>(pool.capacity.size());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, m);
  std::vector<double> row_lower, row_upper, use(m, 0.0);
  for (int r = 0; r < m; ++r) {
    std::vector<double> taken(m, 0.0);
    for (std::size_t n = 0; n < pool.demand.size(); ++n) {
      taken[scaled.dominant[n]] += pool.weight_of(n) * scaled.demand[n][r];
    }
    CoinPackedVector row;
    for (int k = 0; k < m; ++k) {
      row.insert(k, taken[k]);
      use[k] += taken[k];
    }
    matrix.appendRow(row);
    row_lower.push_back(-COIN_DBL_MAX);
    row_upper.push_back(1);
  }
  for (std::size_t n = 0; n < pool.demand.size(); ++n) {
    for (std::size_t q = 0; q < pool.demand.size(); ++q) {
      if (scaled.dominant[n] == scaled.dominant[q]) continue;
      CoinPackedVector row;  // g_k - worth g_l ≥ 0
      row.insert(scaled.dominant[n], 1);
      row.insert(scaled.dominant[q], -worth(scaled.demand[n], scaled.demand[q]));
      matrix.appendRow(row);
      row_lower.push_back(0);
      row_upper.push_back(COIN_DBL_MAX);
    }
  }
  const std::vector<double> least(m, 1 / scaled.weight), most(m, 1e6);
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.setPrimalTolerance(1e-9);
  simplex.setDualTolerance(1e-9);
  simplex.loadProblem(matrix, least.data(), most.data(), use.data(), row_lower.data(), row_upper.data());
  simplex.setOptimizationDirection(-1);
  simplex.primal();
  MIRAB_ASSERT(simplex.isProvenOptimal(), "equal levels will do");
  return simplex.objectiveValue();
}

TEST(Baa, UsesAsMuchAsItsLinearProgramThroughClpAndKeepsItsConstraints) {
  Random random(seed);
  for (int i = 0; i < random_cases(2000); ++i) {
    const PoolCase pool = testing::random_pool(random, {.resources_max = 5, .capped_users = 0});
    SCOPED_TRACE("pool " + std::to_string(i) + " of seed " + std::to_string(seed) + ": " +
                 testing::text_of(pool));
    const Scaled scaled = scale(pool);
    const std::vector<double> tasks = testing::tasks_of(pool, "baa");
    std::vector<double> level;  // g of every user's group
    double use = 0;
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      const std::size_t k = scaled.dominant[n];
      level.push_back(tasks[n] * pool.demand[n][k] / pool.capacity[k] / pool.weight_of(n));
      for (std::size_t r = 0; r < pool.capacity.size(); ++r)
        use += tasks[n] * pool.demand[n][r] / pool.capacity[r];
    }
    ASSERT_NEAR(use, most_use(pool, scaled), 1e-7);
    for (std::size_t n = 0; n < tasks.size(); ++n) {
      ASSERT_GE(level[n], (1 - 1e-9) / scaled.weight);
      for (std::size_t q = 0; q < tasks.size(); ++q) {
        if (scaled.dominant[n] == scaled.dominant[q]) {
          ASSERT_NEAR(level[n], level[q], 1e-9 * level[n]);
        }
        ASSERT_GE(level[n], level[q] * worth(scaled.demand[n], scaled.demand[q]) * (1 - 1e-9));
      }
    }
  }
}

// d̂ = (0.9, 1) and (1, 1/6). Without envy the second could have its half of the CPUs and the first 5/9 of
// both; that takes all CPUs, and the second envies nobody: 1/2 ≥ 0.9 · 5/9.
TEST(Baa, GivesTheFirstAsMuchAsLeavesTheSecondWithoutEnvy) {
  const PoolCase pool{.capacity = {90, 60}, .demand = {{9, 6 / 0.9}, {9, 1}}, .weight = {}, .cap = {}};
  EXPECT_THAT(testing::tasks_of(pool, "baa"), ElementsAre(DoubleNear(5, 1e-9), DoubleNear(5, 1e-9)));
}

// Equal use in the slides' example means both resources full, as under proportional fairness.
TEST(Baa, FillsBothResourcesOfTheSlides) {
  const PoolCase slides{.capacity = {9, 18}, .demand = {{1, 4}, {3, 1}}, .weight = {}, .cap = {}};
  EXPECT_THAT(testing::tasks_of(slides, "baa"),
              ElementsAre(DoubleNear(45.0 / 11, 1e-9), DoubleNear(18.0 / 11, 1e-9)));
}

TEST(Baa, HoldsItsCertificateWhenWeightsAreNineOrdersApart) {
  Random random(seed);
  for (int i = 0; i < random_cases(200); ++i) {
    PoolCase pool = testing::random_pool(random, {.capped_users = 0});
    for (double& weight : pool.weight) weight = std::pow(10, 9 * random.unit());
    const Result<Outcome> outcome = allocate(testing::problem_of(pool), "baa");
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->status, Status::exact) << testing::text_of(pool);
    EXPECT_LE(outcome->certificate.value, 1e-9);
  }
}

TEST(Baa, RefusesALimitedNumberOfTasks) {
  const PoolCase capped{.capacity = {9}, .demand = {{1}}, .weight = {}, .cap = {1}};
  const Result<Outcome> outcome = allocate(testing::problem_of(capped), "baa");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().key, "users[0].tasks");
  EXPECT_THAT(outcome.error().message, HasSubstr("mechanisms that can: max-min, drf"));
}

// The linear program accepts a gap of its own of 1e-7; the mechanism promises 1e-9.
TEST(BaaReport, AGapAboveABillionthHasNotConvergedWhateverTheProgramSays) {
  using numerics::Stop;
  for (const Stop stop : {Stop::target, Stop::accepted, Stop::stalled, Stop::limit}) {
    const numerics::SolveReport program{.error = 1e-8, .stop = stop, .iterations = 3};
    EXPECT_FALSE(report_of_levels(1.1e-9, program).converged());
    EXPECT_TRUE(report_of_levels(0.9e-9, program).converged());
    EXPECT_EQ(report_of_levels(1, program).error, 1);
    EXPECT_EQ(report_of_levels(1, program).iterations, 3);
  }
  EXPECT_EQ(report_of_levels(1, {.error = 1, .stop = Stop::limit}).stop, Stop::limit);
}

}  // namespace
}  // namespace mirab
