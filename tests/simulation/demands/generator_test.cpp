// Hamzeh, Fairness for Resource Allocation in Cloud Computing, 7.1.1.1.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "lab/simulation/demands/series.hpp"

namespace mirab::simulation {
namespace {

DemandProfile profile() {
  return {.median = 500,
          .deviation = 30,
          .radius = 1000,
          .start = 0,
          .stretch = 2,
          .has_disk_median = false,
          .disk_median = 0,
          .disk_deviation = 0,
          .scale = 1,
          .least = 10};
}

struct Moments {
  double mean = 0, deviation = 0;
};

// Of one amount of 20,000 demands.
Moments moments(const DemandProfile& profile, std::size_t resource) {
  Random random(7);
  double sum = 0, squares = 0;
  constexpr int kDraws = 20'000;
  for (int k = 0; k < kDraws; ++k) {
    const double amount = draw_demand(profile, 0, random)[resource];
    sum += amount;
    squares += amount * amount;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

TEST(DemandGenerator, MipsHaveTheMedianAsMeanAndTheStretchedDeviation) {
  const Moments cpu = moments(profile(), 0);
  EXPECT_NEAR(cpu.mean, 500, 4 * 60 / std::sqrt(20'000.0));
  EXPECT_NEAR(cpu.deviation, 60, 4 * 60 / std::sqrt(2 * 20'000.0));
}

TEST(DemandGenerator, TheDensityIsThatOfSevenFive) {
  Random random(11);
  int within = 0;
  for (int k = 0; k < 20'000; ++k) within += std::abs(standard_normal(random)) < 1 ? 1 : 0;
  EXPECT_NEAR(within / 20'000.0, std::erf(1 / std::numbers::sqrt2), 0.012);  // four standard errors
}

TEST(DemandGenerator, DeviationIsTheSineOfTheAngleTimesTheDegree) {
  // θ = 0.5, degree = 28.6479, θ · degree = 14.32394
  EXPECT_NEAR(demand_deviation(500, 1000), std::sin(14.323944878270581), 1e-12);
  EXPECT_EQ(demand_deviation(0, 1000), 0);
}

TEST(DemandGenerator, RamIsTwoHundredSixtyAndAHundredTimesTheStretchedDeviation) {
  Random random(3);
  const double deviation = demand_deviation(500, 1000);
  EXPECT_NEAR(draw_demand(profile(), 500, random)[1], 260 + 100 * deviation * 2, 0.005);
  DemandProfile stretched = profile();
  stretched.stretch = 1;
  EXPECT_NEAR(draw_demand(stretched, 500, random)[1], 260 + 100 * deviation, 0.005);
}

TEST(DemandGenerator, DiskIsHalfTheMipsUnlessItHasAMedianOfItsOwn) {
  Random random(5);
  const std::vector<double> demand = draw_demand(profile(), 1, random);
  EXPECT_NEAR(demand[2], demand[0] / 2, 0.01);
  DemandProfile own = profile();
  own.has_disk_median = true;
  own.disk_median = 300;
  own.disk_deviation = 20;
  const Moments disk = moments(own, 2);
  EXPECT_NEAR(disk.mean, 300, 4 * 40 / std::sqrt(20'000.0));
  EXPECT_NEAR(disk.deviation, 40, 4 * 40 / std::sqrt(2 * 20'000.0));
}

TEST(DemandGenerator, NoDemandIsBelowTheLeastAndAllAreScaled) {
  DemandProfile low = profile();
  low.median = 0;
  low.stretch = 20;
  low.scale = 0.5;
  Random random(5);
  for (int t = 0; t < 1000; ++t) {
    for (const double amount : draw_demand(low, t, random)) EXPECT_GE(amount, 5);
  }
}

TEST(DemandGenerator, ASmallScaleKeepsTheDigits) {
  DemandProfile small = profile();
  small.scale = 0.005;
  Random one(5), other(5);
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> scaled = draw_demand(small, t, one), plain = draw_demand(profile(), t, other);
    for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(scaled[r], plain[r] * 0.005, 3e-5);
  }
  small.scale = small.least = 0.01;
  small.median = small.deviation = 0;
  EXPECT_GT(draw_demand(small, 0, one)[0], 0);
}

TEST(DemandGenerator, AProfileIsDrawnFromTheRangesOfItsGroup) {
  const DemandGroup group{.cpu_median = {100, 200}, .radius = {800, 900}, .start = {5, 6}, .stretch = {1, 2}};
  Random random(1);
  const DemandProfile drawn = draw_profile(group, random);
  EXPECT_TRUE(drawn.median >= 100 && drawn.median < 200);
  EXPECT_TRUE(drawn.radius >= 800 && drawn.radius < 900);
  EXPECT_TRUE(drawn.start >= 5 && drawn.start < 6);
  EXPECT_TRUE(drawn.stretch >= 1 && drawn.stretch < 2);
  EXPECT_FALSE(drawn.has_disk_median);
}

}  // namespace
}  // namespace mirab::simulation
