// Every row of the registry against what it claims: what is said to hold is sought to fail on random pools
// that meet the claim's conditions; what is said not to hold has a stored counterexample here, the papers'
// own where they have one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "conformance/properties.hpp"

namespace mirab {
namespace {

using testing::find_violation;
using testing::PoolCase;

constexpr std::uint64_t seed = 2011;

// The option values with which a row is tested.
std::vector<std::string> variants_of(const Mechanism& row) {
  if (row.name == "alpha-fair") return {"alpha-fair:alpha=0.5", "alpha-fair:alpha=2", "alpha-fair:alpha=40"};
  if (row.name == "alpha-pf-vds")
    return {"alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3"};  // claimed for α ≥ 1
  return {std::string(row.name)};
}

// A pool that meets the conditions, and on which the property is not void.
PoolCase pool_for(const Claim& claim, Random& random) {
  const bool searched = claim.property == Property::strategy_proofness;
  PoolCase pool = testing::random_pool(random, {.users_max = searched ? 3u : 6u,
                                                .resources_max = searched ? 3u : 4u,
                                                .zero_demands = claim.conditions.positive_demands ? 0 : 0.25,
                                                .capped_users = claim.conditions.no_caps ? 0 : 0.3});
  if (claim.property == Property::single_resource_fairness) {
    pool.capacity.resize(1);
    for (std::vector<double>& demand : pool.demand) demand = {demand[0] + 0.5};
  }
  if (claim.property == Property::bottleneck_fairness) {
    for (std::vector<double>& demand : pool.demand) {
      double largest = 0;
      for (std::size_t r = 0; r < demand.size(); ++r)
        largest = std::max(largest, demand[r] / pool.capacity[r]);
      demand[0] = largest * pool.capacity[0] * (1 + random.unit());
    }
  }
  return pool;
}

std::vector<std::pair<std::string, Claim>> claims_that(bool hold) {
  std::vector<std::pair<std::string, Claim>> claims;
  for (const Mechanism& row : mechanisms()) {
    for (const Claim& claim : row.claims) {
      if (claim.holds != hold || claim.refuted) continue;
      for (const std::string& variant : variants_of(row)) claims.emplace_back(variant, claim);
    }
  }
  return claims;
}

TEST(Claims, WhatIsSaidToHoldIsNotRefutedOnRandomPools) {
  for (const auto& [mechanism, claim] : claims_that(true)) {
    Random random(seed);
    const int pools = claim.property == Property::strategy_proofness ? 100 : 400;
    for (int i = 0; i < pools; ++i) {
      const PoolCase pool = pool_for(claim, random);
      const auto violation = find_violation(claim.property, pool, mechanism);
      ASSERT_FALSE(violation) << fmt::format("{} of {}: {}, in pool {} of seed {}: {}",
                                             property_name(claim.property), mechanism, *violation, i, seed,
                                             testing::text_of(pool));
    }
  }
}

struct Counterexample {
  std::string mechanism;
  Property property;
  PoolCase pool;
};

PoolCase plain(std::vector<double> capacity, std::vector<std::vector<double>> demand) {
  return {.capacity = std::move(capacity), .demand = std::move(demand), .weight = {}, .cap = {}};
}

std::vector<Counterexample> counterexamples() {
  const PoolCase one_and_three =
      plain({4}, {{1}, {3}});  // equal tasks: 1 of 4 for the first, who has 2 alone
  std::vector<Counterexample> stored = {
      // mathematics.md, section 11: (3, 2) tasks become (4.5, 1.5)
      {"drf", Property::resource_monotonicity, plain({9, 18}, {{1, 4}, {3, 1}})},
      // slides, Asset Fairness
      {"asset", Property::sharing_incentive, plain({30, 30}, {{1, 3}, {1, 1}})},
      {"asset", Property::bottleneck_fairness, plain({21, 21}, {{3, 2}, {4, 1}})},
      {"asset", Property::resource_monotonicity, plain({77, 77}, {{4, 2}, {1, 1}})},
      // slides, CEEI
      {"pf", Property::strategy_proofness, plain({100, 100}, {{16, 1}, {1, 2}})},
      {"pf", Property::population_monotonicity, plain({100, 100}, {{4, 1}, {1, 16}, {16, 1}})},
      {"pf", Property::resource_monotonicity, plain({3, 4}, {{1, 1}, {1, 2}, {2, 2}})},
      // searched: 25/24 tasks become 25/23 by reporting (2.5, 2); the others lose a part of their level
      {"baa", Property::strategy_proofness, plain({6, 10}, {{5, 2}, {1, 10}})},
      {"baa", Property::population_monotonicity, plain({6, 5}, {{6, 1}, {4, 3}, {1, 4}})},
      {"baa", Property::resource_monotonicity, plain({2, 7}, {{1, 10}, {4, 2}})},
      // half of the time each, where both fit
      {"ps-dsf-tdm", Property::pareto_efficiency, plain({1, 1}, {{1, 0}, {0, 1}})},
  };
  // On one server these are DRF.
  for (const std::string mechanism : {"drfh", "tsf", "per-server-drf"})
    stored.push_back({mechanism, Property::resource_monotonicity, plain({9, 18}, {{1, 4}, {3, 1}})});
  for (const std::string mechanism :
       {"max-min", "cmmf", "alpha-fair:alpha=0.5", "alpha-fair:alpha=2", "alpha-fair:alpha=40"}) {
    for (const Property property : {Property::sharing_incentive, Property::strategy_proofness,
                                    Property::single_resource_fairness, Property::scale_invariance}) {
      stored.push_back({mechanism, property, one_and_three});
    }
  }
  return stored;
}

// On one server these hold; the counterexamples have several, and are tests of their own.
bool fails_over_servers_only(std::string_view mechanism, Property property) {
  constexpr std::pair<std::string_view, Property> elsewhere[] = {
      {"ps-dsf", Property::pareto_efficiency},  // PsDsf.IsNotParetoEfficient
      {"per-server-drf",
       Property::pareto_efficiency},            // Levels.DrfhRunsTenTasksEachWhereDrfServerByServerRunsSix
      {"drfh", Property::sharing_incentive},    // Failures.DrfhDoesNotKeepTheSharingIncentive
      {"drfh", Property::bottleneck_fairness},  // Failures.DrfhAndTsfAreNotBottleneckFair
      {"tsf", Property::bottleneck_fairness},
  };
  return std::find(std::begin(elsewhere), std::end(elsewhere), std::pair(mechanism, property)) !=
         std::end(elsewhere);
}

TEST(Claims, WhatIsSaidNotToHoldFailsOnAStoredPool) {
  const std::vector<Counterexample> stored = counterexamples();
  for (const auto& [mechanism, claim] : claims_that(false)) {
    if (fails_over_servers_only(mechanism, claim.property)) continue;
    bool shown = false;
    for (const Counterexample& example : stored) {
      if (example.mechanism != mechanism || example.property != claim.property) continue;
      shown = find_violation(claim.property, example.pool, mechanism).has_value();
    }
    EXPECT_TRUE(shown) << property_name(claim.property) << " of " << mechanism;
  }
}

// mathematics.md, section 11: with zero demands DRF breaks population monotonicity, so that claim needs its
// condition.
TEST(Claims, PopulationMonotonicityOfDrfNeedsPositiveDemands) {
  EXPECT_TRUE(find_violation(Property::population_monotonicity,
                             plain({1, 1}, {{1, 0}, {1, 1}, {0, 1}, {0, 1}}), "drf"));
}

TEST(Claims, EveryMechanismIsFeasibleAndKeepsCapsOnRandomPools) {
  for (const Mechanism& row : mechanisms()) {
    for (const std::string& variant : variants_of(row)) {
      Random random(seed);
      for (int i = 0; i < 400; ++i) {
        const PoolCase pool = testing::random_pool(random, {.capped_users = row.accepts.caps ? 0.3 : 0});
        const std::vector<double> tasks = testing::tasks_of(pool, variant);
        std::vector<double> used(pool.capacity.size(), 0.0);
        for (std::size_t n = 0; n < tasks.size(); ++n) {
          ASSERT_GE(tasks[n], 0);
          ASSERT_TRUE(!pool.has_cap(n) || tasks[n] <= pool.cap[n])
              << variant << ", " << testing::text_of(pool);
          for (std::size_t r = 0; r < used.size(); ++r) used[r] += tasks[n] * pool.demand[n][r];
        }
        for (std::size_t r = 0; r < used.size(); ++r) {
          ASSERT_LE(used[r], pool.capacity[r] * (1 + 1e-9)) << variant << ", " << testing::text_of(pool);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mirab
