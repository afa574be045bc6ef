#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "lab/simulation/base/statistics.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::seconds;

std::vector<double> values(double a, double b) { return {a, b}; }

TEST(StepIntegral, AMeanIsTheAreaOverTheLength) {
  StepIntegral steps(2);
  steps.hold(values(1, 10), seconds(2));
  steps.hold(values(4, 0), seconds(3));
  steps.hold(values(0, 6), seconds(5));
  EXPECT_EQ(steps.mean(seconds(0), seconds(5)), values(6.0 / 5, 32.0 / 5));
  EXPECT_EQ(steps.mean(seconds(2), seconds(3)), values(4, 0));
  EXPECT_EQ(steps.mean(seconds(1), seconds(4)), values(5.0 / 3, 16.0 / 3));
}

TEST(StepIntegral, AStepOfNoLengthCountsForNothing) {
  StepIntegral steps(2);
  steps.hold(values(1, 1), seconds(1));
  steps.hold(values(9, 9), seconds(1));
  steps.hold(values(3, 3), seconds(2));
  EXPECT_EQ(steps.mean(seconds(0), seconds(2)), values(2, 2));
  EXPECT_EQ(steps.mean(seconds(1), seconds(2)), values(3, 3));
}

TEST(StepIntegral, MeansOfRandomStepsAreThoseOfASlowSum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    StepIntegral steps(1);
    std::vector<double> slow;  // the value of every second
    while (slow.size() < 50) {
      const double value = random.unit();
      const std::uint64_t length = random.below(6);
      slow.insert(slow.end(), length, value);
      steps.hold(std::vector{value}, seconds(slow.size()));
    }
    const std::uint64_t from = random.below(slow.size() - 1);
    const std::uint64_t until = from + 1 + random.below(slow.size() - from);
    double sum = 0;
    for (std::uint64_t s = from; s < until; ++s) sum += slow[s];
    EXPECT_NEAR(steps.mean(seconds(from), seconds(until))[0], sum / static_cast<double>(until - from), 1e-12)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace mirab::simulation
