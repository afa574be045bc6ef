#include "lab/simulation/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>

#include "lab/simulation/traffic/points.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kTrafficSeed = 5;

TrafficScenario small(std::vector<std::string> mechanisms = {"drf", "pf"}) {
  TrafficScenario scenario = figure_1b(std::move(mechanisms), {0.3, 0.9});
  scenario.jobs = 5'000;
  return scenario;
}

bool same(const TrafficPoint& a, const TrafficPoint& b) {
  return a.load == b.load && a.job_class == b.job_class && a.service_rate == b.service_rate &&
         a.low == b.low && a.high == b.high && a.jobs == b.jobs && a.stable == b.stable &&
         a.settled == b.settled;
}

MATCHER_P(SamePoints, other, "the same points, bit by bit") {
  return std::equal(arg.begin(), arg.end(), other.begin(), other.end(), same);
}

// The points of one load and mechanism.
std::vector<TrafficPoint> part(const TrafficOutcome& outcome, double load, std::size_t mechanism) {
  std::vector<TrafficPoint> points;
  for (const TrafficPoint& point : outcome.points) {
    if (point.load == load && point.mechanism == mechanism) points.push_back(point);
  }
  return points;
}

TEST(Traffic, GivesTheSameBytesOnAnyNumberOfThreads) {
  const TrafficOutcome alone = *simulate_traffic(small(), kTrafficSeed, 1);
  for (const int threads : {2, 5}) {
    const TrafficOutcome found = *simulate_traffic(small(), kTrafficSeed, threads);
    EXPECT_THAT(found.points, SamePoints(alone.points));
    EXPECT_EQ(found.events, alone.events);
  }
  EXPECT_FALSE(same(simulate_traffic(small(), kTrafficSeed + 1, 1)->points[0], alone.points[0]));
}

TEST(Traffic, GivesPointsByLoadThenMechanismThenClass) {
  const TrafficOutcome outcome = *simulate_traffic(small(), kTrafficSeed, 2);
  ASSERT_EQ(outcome.points.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(outcome.points[i].load, i < 4 ? 0.3 : 0.9);
    EXPECT_EQ(outcome.points[i].mechanism, i / 2 % 2);
    EXPECT_EQ(outcome.points[i].job_class, i % 2);
  }
  EXPECT_EQ(outcome.seed, kTrafficSeed);
}

TEST(Traffic, OfOneLoadDoesNotDependOnOtherLoadsOrMechanisms) {
  const TrafficOutcome both = *simulate_traffic(small(), kTrafficSeed, 1);
  TrafficScenario one = small({"pf"});
  one.loads = {0.9};
  EXPECT_TRUE(same(simulate_traffic(one, kTrafficSeed, 1)->points[0], part(both, 0.9, 1)[0]));
}

// On one resource DRF, PF and asset fairness are one rule; with common random numbers they also are to the
// simulation, but for roundings.
TEST(Traffic, IsTheSameForEveryMechanism) {
  TrafficScenario scenario = traffic_of({{1}, {0.5}}, {0.5, 0.5}, {"drf", "pf", "asset"}, {0.8});
  scenario.jobs = 5'000;
  const TrafficOutcome outcome = *simulate_traffic(scenario, kTrafficSeed, 1);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(part(outcome, 0.8, 1)[k].service_rate, part(outcome, 0.8, 0)[k].service_rate, 1e-9);
    EXPECT_NEAR(part(outcome, 0.8, 2)[k].service_rate, part(outcome, 0.8, 0)[k].service_rate, 1e-9);
  }
}

TEST(Traffic, DoesNotDependOnTheScaleOfDemandsAndCapacities) {
  TrafficScenario scenario = small();
  const TrafficOutcome unit = *simulate_traffic(scenario, kTrafficSeed, 1);
  scenario.capacity = {8, 64};
  scenario.classes[0].demand = {2, 1.6};   // a quarter and a fortieth
  scenario.classes[1].demand = {0.2, 16};  // a fortieth and a quarter
  const TrafficOutcome scaled = *simulate_traffic(scenario, kTrafficSeed, 1);
  for (std::size_t i = 0; i < unit.points.size(); ++i)
    EXPECT_NEAR(scaled.points[i].service_rate, unit.points[i].service_rate, 1e-9);
}

TEST(Traffic, BeyondItsCapacityIsNotSimulated) {
  TrafficScenario scenario = small();
  scenario.loads = {0.9, 1.0, 2.5};
  const TrafficOutcome outcome = *simulate_traffic(scenario, kTrafficSeed, 2);
  for (const TrafficPoint& point : outcome.points) {
    EXPECT_EQ(point.stable, point.load < 1);
    if (point.stable) continue;
    EXPECT_EQ(point.service_rate, 0);
    EXPECT_TRUE(std::isinf(point.jobs));
  }
  scenario.loads = {0.9};
  EXPECT_EQ(outcome.events, simulate_traffic(scenario, kTrafficSeed, 1)->events);
}

// The paper, section 3.4: when class 1 claims β of resource 2, the load of resource 1 ends at (1 + α)/(1 +
// β).
TEST(Traffic, IsStableByWhatIsClaimed) {
  TrafficScenario scenario =
      traffic_of({{1, 0.1}, {0.1, 1}}, {0.5, 0.5}, {"drf"}, {1.1 / 1.5 - 1e-9, 1.1 / 1.5 + 1e-9});
  scenario.classes[0].claims = {1, 0.5};
  scenario.jobs = 1'000;
  const TrafficOutcome outcome = *simulate_traffic(scenario, kTrafficSeed, 1);
  EXPECT_TRUE(outcome.points[0].stable);
  EXPECT_FALSE(outcome.points[2].stable);
}

TEST(Traffic, CountsDivisionsThatDidNotConvergeByMechanism) {
  TrafficScenario scenario = figure_1b({"pf", "alpha-fair:alpha=1e-6"}, {0.5});
  scenario.jobs = 500;
  const TrafficOutcome outcome = *simulate_traffic(scenario, kTrafficSeed, 1);
  ASSERT_EQ(outcome.not_converged.size(), 2U);
  EXPECT_EQ(outcome.not_converged[0], 0);
  EXPECT_GT(outcome.not_converged[1], 0);
}

TEST(Traffic, TellsItsProgressToTheEnd) {
  std::vector<double> parts;
  ASSERT_TRUE(simulate_traffic(small(), kTrafficSeed, 2, [&](double part) { parts.push_back(part); }));
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_GE(parts.size(), 4 * kTrafficBatches);  // of two loads under two mechanisms
  // After the warm-up, a fifth of the jobs, and the first of twenty batches of one of the four.
  EXPECT_DOUBLE_EQ(parts.front(), (1.0 / 5 + 1.0 / 20) / (1 + 1.0 / 5) / 4);
  EXPECT_EQ(parts.back(), 1);
}

// The busier class is served at 1 - ρ in heavy traffic under both; the other is better off with PF (the
// paper, figure 1b).
TEST(Traffic, OfFigure1bIsServedBetterByPf) {
  TrafficScenario scenario = figure_1b({"drf", "pf"}, {0.9});
  scenario.jobs = 100'000;
  const TrafficOutcome outcome = *simulate_traffic(scenario, kTrafficSeed, 2);
  EXPECT_LT(part(outcome, 0.9, 0)[1].high, part(outcome, 0.9, 1)[1].low);
}

}  // namespace
}  // namespace mirab::simulation
