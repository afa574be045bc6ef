#include <cmath>
#include <gtest/gtest.h>

#include "lab/simulation/traffic.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// Section 3.3, figures 1 and 2: what is simulated is the chain that is solved. Twice the 95 % interval is
// missed by one estimate in 2,000 or so.
TEST(FluidTraffic, IsSimulatedAsTheExactChainIs) {
  constexpr std::uint64_t kSeed = 11;
  for (const double beta : {0.1, 0.5}) {
    for (const double part : {0.5, 0.75}) {
      auto scenario = fluid_scenario(two_classes(0.1, beta, part),
                                     {"drf", "pf", "asset", "max-min", "alpha-fair:alpha=2"}, {0.2, 0.7});
      scenario.jobs = 50'000;
      const auto exact = exact_traffic(scenario, 1);
      const auto simulated = simulate_traffic(scenario, kSeed, 1);
      ASSERT_TRUE(exact && simulated);
      for (const TrafficPoint& point : simulated->points) {
        const std::size_t load = point.load == 0.2 ? 0 : 1;
        const double expected = (*exact)[2 * point.mechanism + load].service_rate[point.job_class];
        EXPECT_NEAR(point.service_rate, expected, point.high - point.low)
            << scenario.mechanisms[point.mechanism].text << ", class " << point.job_class + 1 << " at "
            << point.load << ", β = " << beta << ", seed " << kSeed;
        EXPECT_LT(point.high - point.low, 0.2 * point.service_rate);
      }
    }
  }
}

}  // namespace
}  // namespace mirab::simulation
