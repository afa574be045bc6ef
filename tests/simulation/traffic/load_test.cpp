#include <gmock/gmock.h>

#include "fairness/share.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// The paper, section 3.3: the load of the CPU is λ/4 (3 + 1/10) with λ_1 = 3/4 λ.
TEST(TrafficLoad, IsThatOfThePaper) {
  const TrafficScenario scenario = figure_1b({}, {});
  EXPECT_THAT(arrival_rates(scenario, 3.1 / 4),
              ElementsAre(DoubleNear(0.75, 1e-12), DoubleNear(0.25, 1e-12)));
}

// A job that is alone runs min_r C_r / a_k,r = 4 tasks, so that its mean work is 4: ρ_k = 4 λ_k, and the
// load of the second resource is 4 λ_k · 4/64.
TEST(TrafficLoad, CountsTheTasksThatAJobAloneWouldRun) {
  TrafficScenario scenario = traffic_of({{2, 4}}, {1}, {}, {});
  scenario.capacity = {8, 64};
  scenario.load_resource = 1;
  EXPECT_EQ(fairness::dominant_share<double>(scenario.classes[0].demand, scenario.capacity), 0.25);
  EXPECT_THAT(arrival_rates(scenario, 0.1), ElementsAre(DoubleNear(0.4, 1e-12)));
  EXPECT_TRUE(is_stable(scenario, 0.2));   // and 0.8 of the first resource
  EXPECT_FALSE(is_stable(scenario, 0.3));  // 1.2
}

TEST(TrafficLoad, OfPermanentJobsIsNone) {
  TrafficScenario scenario = traffic_of({{1}, {1}}, {1, 0}, {}, {});
  scenario.classes[1].permanent = 100;
  EXPECT_THAT(arrival_rates(scenario, 0.5), ElementsAre(0.5, 0));
  EXPECT_TRUE(is_stable(scenario, 0.99));
  EXPECT_FALSE(is_stable(scenario, 1));
}

TEST(TrafficLoad, OfWhatIsClaimedDecidesOnStability) {
  TrafficScenario scenario = traffic_of({{1, 0}}, {1}, {}, {});
  scenario.classes[0].claims = {1, 2};
  EXPECT_THAT(arrival_rates(scenario, 0.4), ElementsAre(0.4));
  EXPECT_TRUE(is_stable(scenario, 0.4));
  EXPECT_FALSE(is_stable(scenario, 0.5));
}

}  // namespace
}  // namespace mirab::simulation
