#include "lab/simulation/traffic/points.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "lab/simulation/base/statistics.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// Two batches of ten and thirty units of time.
TrafficMeasured measured() {
  return {.batches = {{.time = 10, .classes = {{.present = 8, .arrived = 4}, {.served = 2}}},
                      {.time = 30, .classes = {{.present = 22, .arrived = 6}, {.served = 10}}}},
          .events = 20};
}

TrafficScenario scenario() {
  TrafficScenario made = traffic_of({{1}, {1}}, {1, 0}, {"drf"}, {0.5});
  made.classes[0].permanent = 3;
  made.classes[1].permanent = 2;
  return made;
}

TrafficRun run_of(const TrafficScenario& of) {
  return {.scenario = of, .mechanism = 0, .load = 0.5, .arrivals = {0.5, 0}, .seed = 1};
}

TEST(TrafficPoints, AreSizesOverTimesForThoseThatComeAndGo) {
  const TrafficScenario of = scenario();
  const TrafficPoint point = points_of(run_of(of), measured(), 0.9)[0];
  EXPECT_DOUBLE_EQ(point.service_rate, 10.0 / 30);
  EXPECT_DOUBLE_EQ(point.jobs, 3 + 0.5 * 3);  // E[n] = λ/γ, and the permanent ones
  EXPECT_TRUE(point.stable);
  // By hand: residuals 8 - 3·4 and 22 - 3·6, so s² = 32; h = t √(32/2) / 5; relative to 3.
  const double half = student_t_quantile(0.9, 1) * 4 / 5 / 3;
  EXPECT_NEAR(std::log(point.high / point.service_rate), half, 1e-12);
  EXPECT_NEAR(std::log(point.service_rate / point.low), half, 1e-12);
}

TEST(TrafficPoints, AreTheMeanRateOfOneForPermanentJobs) {
  const TrafficScenario of = scenario();
  const TrafficPoint point = points_of(run_of(of), measured())[1];
  EXPECT_DOUBLE_EQ(point.service_rate, 12.0 / 40);
  EXPECT_EQ(point.jobs, 2);
  EXPECT_LT(point.low, point.service_rate);
  EXPECT_GT(point.high, point.service_rate);
}

TEST(TrafficPoints, AreNoNumbersWhereNoJobArrived) {
  const TrafficScenario of = scenario();
  TrafficMeasured nothing = measured();
  for (TrafficBatch& batch : nothing.batches) batch.classes[0] = {};
  const TrafficPoint point = points_of(run_of(of), nothing)[0];
  EXPECT_TRUE(std::isnan(point.service_rate));
  EXPECT_TRUE(std::isnan(point.low));
}

TEST(TrafficPoints, OfALoadThatIsNotStableAreZero) {
  const std::vector<TrafficPoint> points = unstable_points(scenario(), 1.5, 0);
  EXPECT_EQ(points[0].service_rate, 0);
  EXPECT_TRUE(std::isinf(points[0].jobs));
  EXPECT_EQ(points[1].jobs, 2);
  EXPECT_FALSE(points[1].stable);
}

}  // namespace
}  // namespace mirab::simulation
