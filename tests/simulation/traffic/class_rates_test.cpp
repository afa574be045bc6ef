#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/exact_traffic.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// n jobs of a class are n users, or one of weight n, of the mechanism as everybody calls it.
std::vector<double> allocated(const TrafficScenario& scenario, std::size_t mechanism, std::int64_t n1,
                              std::int64_t n2) {
  Cluster cluster = *cluster_of(scenario);
  cluster.users[0].weight = Quantity{n1};
  cluster.users[1].weight = Quantity{n2};
  return allocate(*Problem::from(std::move(cluster)), scenario.mechanisms[mechanism])->allocation.tasks;
}

TEST(ClassRates, AreTheSharesOfTheMechanism) {
  auto classes = two_classes(0.1, 0.5, 0.5);
  classes[0].claims = {1, 0.3};
  const auto scenario = fluid_scenario(
      classes, {"drf", "pf", "asset", "max-min", "alpha-fair:alpha=2", "alpha-fair:alpha=0.5"}, {0.5});
  for (std::size_t mechanism = 0; mechanism < scenario.mechanisms.size(); ++mechanism) {
    auto rates = ClassRates::from(scenario, mechanism);
    ASSERT_TRUE(rates) << describe(rates.error());
    rates->cover({5, 3});
    rates->cover({30, 40});
    for (const auto& [n1, n2] : {std::pair{1, 1}, {4, 2}, {3, 29}, {30, 40}, {29, 3}, {5, 3}}) {
      const std::vector<double> expected = allocated(scenario, mechanism, n1, n2);
      const auto found = rates->at(static_cast<std::size_t>(n1), static_cast<std::size_t>(n2));
      for (const std::size_t k : {0, 1}) {
        EXPECT_NEAR(found[k], expected[k], 1e-8)
            << scenario.mechanisms[mechanism].text << ", " << n1 << " and " << n2 << " jobs";
      }
    }
  }
}

TEST(ClassRates, AreZeroForAClassThatIsNotThere) {
  auto rates = ClassRates::from(fluid_scenario(two_classes(0.1, 0.5, 0.5), {"pf"}, {0.5}), 0);
  ASSERT_TRUE(rates);
  rates->cover({3, 3});
  EXPECT_EQ(rates->at(0, 0), (std::array<double, 2>{0, 0}));
  EXPECT_EQ(rates->at(2, 0)[1], 0);
  EXPECT_NEAR(rates->at(2, 0)[0], 1, 1e-9);
}

}  // namespace
}  // namespace mirab::simulation
