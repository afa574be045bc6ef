#include <gmock/gmock.h>

#include <mirab/model/random.hpp>

#include "lab/simulation/traffic/fluid_rates.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kPricedSharesSeed = 2;

// A walk among states of figure 1b in which resource 1 is busy.
struct Walk {
  Random random{kPricedSharesSeed};
  std::vector<std::int64_t> jobs = {6, 2};

  void step() {
    std::int64_t& n = jobs[random.below(2)];
    n += n > 1 && random.below(2) == 0 ? -1 : 1;
  }
};

TEST(PricedShares, FromTheLastPricesNeedAStepOrTwoAndNeverStartFromNothing) {
  const TrafficScenario scenario = figure_1b({"pf"}, {});
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices shares(rule);
  std::vector<double> found(2);
  Walk walk;
  constexpr int kDivisions = 20'000;
  for (int division = 0; division < kDivisions; ++division) {
    walk.step();
    shares.divide(walk.jobs, found);
  }
  EXPECT_EQ(shares.cold_starts(), 1) << "seed " << kPricedSharesSeed;
  EXPECT_LT(shares.steps(), 3 * kDivisions) << "seed " << kPricedSharesSeed;
}

TEST(PricedShares, AreTheSameFromTheLastPricesAndFromNothing) {
  const TrafficScenario scenario = figure_1b({"pf"}, {});
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices warm(rule);
  numerics::ClassPrices cold(rule);
  std::vector<double> from_last(2);
  std::vector<double> from_nothing(2);
  Walk walk;
  for (int division = 0; division < 500; ++division) {
    walk.step();
    warm.divide(walk.jobs, from_last);
    cold.forget();
    cold.divide(walk.jobs, from_nothing);
    EXPECT_NEAR(from_last[0], from_nothing[0], 1e-10 * from_nothing[0]) << "seed " << kPricedSharesSeed;
    EXPECT_NEAR(from_last[1], from_nothing[1], 1e-10 * from_nothing[1]) << "seed " << kPricedSharesSeed;
  }
  EXPECT_EQ(cold.cold_starts(), 500);
}

TEST(PricedShares, CountTheDivisionsThatDidNotConverge) {
  for (const auto& [mechanism, converges] :
       {std::pair{"alpha-fair:alpha=1e-4", false}, {"alpha-fair:alpha=0.1", true}, {"pf", true}}) {
    const TrafficScenario scenario = figure_1b({mechanism}, {});
    const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
    numerics::ClassPrices shares(rule);
    std::vector<double> found(2);
    Walk walk;
    for (int division = 0; division < 50; ++division, walk.step()) shares.divide(walk.jobs, found);
    EXPECT_EQ(shares.not_converged() == 0, converges) << mechanism << ": " << shares.not_converged();
  }
}

// Only class 2 takes resource 2: its price was 0, and class 2 was not there.
TEST(PricedShares, FindThePriceOfAResourceThatWasFreeWhenItsFirstUserComes) {
  const TrafficScenario scenario = traffic_of({{1, 0}, {0, 1}, {1, 1}}, {0.5, 0.25, 0.25}, {"pf"}, {});
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices shares(rule);
  std::vector<double> found(3);
  shares.divide(std::vector<std::int64_t>{4, 0, 0}, found);
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), {0.25, 0.0, 0.0}));
  shares.divide(std::vector<std::int64_t>{4, 5, 0}, found);
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), {0.25, 0.2, 0.0}));
  // One linear network: class 3 gets n_3 / (n_1 + n_2 + n_3) of both links (Massoulié and Roberts 1999).
  shares.divide(std::vector<std::int64_t>{4, 5, 1}, found);
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), {0.9 / 4, 0.9 / 5, 0.1}));
}

// Both resources are taken alike by all: their prices are not determined, the shares are.
TEST(PricedShares, AreRightWhereThePricesAreNotDetermined) {
  const TrafficScenario scenario = traffic_of({{1, 1}, {2, 2}, {1, 0.5}}, {0.5, 0.25, 0.25}, {"pf"}, {});
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices shares(rule);
  std::vector<double> found(3);
  shares.divide(std::vector<std::int64_t>{1, 1, 2}, found);
  shares.divide(std::vector<std::int64_t>{1, 1, 1}, found);
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), {1.0 / 3, 1.0 / 6, 1.0 / 3}));
  shares.divide(std::vector<std::int64_t>{1, 1, 0}, found);
  EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), {0.5, 0.25, 0.0}));
}

TEST(PricedShares, OfALargeAlphaComeFromNothingButComeRight) {
  const TrafficScenario scenario = figure_1b({"alpha-fair:alpha=1000"}, {});
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  numerics::ClassPrices shares(rule);
  std::vector<double> found(2);
  for (std::int64_t n = 1; n <= 20; ++n) {
    shares.divide(std::vector<std::int64_t>{n, 2}, found);
    // Nearly max-min: all jobs alike, the busier resource full.
    const double n1 = static_cast<double>(n);
    EXPECT_NEAR(found[0], 1 / std::max(n1 + 0.2, 0.1 * n1 + 2), 5e-3 * found[0]) << n;
  }
}

}  // namespace
}  // namespace mirab::simulation
