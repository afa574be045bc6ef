#include <gtest/gtest.h>
#include <numeric>

#include "lab/simulation/traffic/fluid_rates.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// Bonald and Roberts, equations 5 and 9.
TEST(PriceSolvers, AgreeAndSpendOneForEachJob) {
  const auto scenario = fluid_scenario(two_classes(0.1, 0.5, 0.5), {"pf"}, {0.5});
  const std::vector<std::int64_t> populations[] = {{1, 1}, {3, 1}, {1, 7}, {20, 20}, {4, 0}};
  for (const std::vector<std::int64_t>& jobs : populations) {
    const SolvedPrices newton = prices_by_newton(scenario, jobs);
    const SolvedPrices gradient = prices_by_gradient(scenario, jobs, 0.1);
    ASSERT_TRUE(newton.report.converged() && gradient.report.converged()) << jobs[0] << ", " << jobs[1];
    for (const std::size_t r : {0U, 1U}) EXPECT_NEAR(newton.price[r], gradient.price[r], 1e-5);
    EXPECT_NEAR(std::accumulate(newton.price.begin(), newton.price.end(), 0.0),
                static_cast<double>(jobs[0] + jobs[1]), 1e-6);
    EXPECT_LT(newton.report.iterations, gradient.report.iterations);
  }
}

}  // namespace
}  // namespace mirab::simulation
