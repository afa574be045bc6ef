#include <gtest/gtest.h>

#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {
namespace {

TEST(TrafficScenario, MeasuresTwoHundredThousandJobsUnlessToldOtherwise) {
  EXPECT_EQ(TrafficScenario{}.jobs, 200'000);
}

}  // namespace
}  // namespace mirab::simulation
