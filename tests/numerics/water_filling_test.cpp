#include "numerics/pool/water_filling.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

#include <mirab/model/random.hpp>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using ::testing::ElementsAre;

constexpr double water_filling_endless = std::numeric_limits<double>::infinity();

WaterLevels fill(const ArrayXXd& demand, const ArrayXd& capacity, const ArrayXd& cap, const ArrayXd& rate) {
  return fill_with_water(demand, capacity, cap, [&](Index first, Eigen::Ref<ArrayXd> rates) {
    rates = rate.segment(first, rates.size());
  });
}

TEST(WaterFilling, StopsAllAtOnceWhenEverybodyTakesTheFirstFullResource) {
  const ArrayXXd demand{{1, 4}, {3, 1}};
  const WaterLevels levels = fill(demand, ArrayXd{{9, 18}}, {}, ArrayXd{{4.5, 3}});
  EXPECT_THAT(levels.amount, ElementsAre(3, 2));
  EXPECT_THAT(levels.stopped_by, ElementsAre(0, 0));
  EXPECT_THAT(levels.used, ElementsAre(9, 14));
}

TEST(WaterFilling, LetsOthersRiseWhenAResourceIsFull) {
  const ArrayXXd demand{{1, 0}, {1, 0}, {0, 1}};
  const WaterLevels levels = fill(demand, ArrayXd{{1, 5}}, {}, ArrayXd{{1, 1, 1}});
  EXPECT_THAT(levels.amount, ElementsAre(0.5, 0.5, 5));
  EXPECT_THAT(levels.stopped_by, ElementsAre(0, 0, 1));
}

TEST(WaterFilling, GivesTheRoomOfACappedRowToTheOthers) {
  const ArrayXXd demand{{1}, {1}, {1}, {1}};  // the four flows of Hamzeh, section 2.2.1
  const WaterLevels levels =
      fill(demand, ArrayXd{{10}}, ArrayXd{{2, 2.6, 4, water_filling_endless}}, ArrayXd{{1, 1, 1, 1}});
  EXPECT_THAT(levels.stopped_by, ElementsAre(kStoppedByCap, kStoppedByCap, 0, 0));
  EXPECT_NEAR(levels.amount[2], 2.7, 1e-12);
  EXPECT_NEAR(levels.amount[3], 2.7, 1e-12);
}

TEST(WaterFilling, StopsAtLevelZeroWhatTakesAnEmptyResource) {
  const ArrayXXd demand{{1, 1}, {0, 1}};
  EXPECT_THAT(fill(demand, ArrayXd{{0, 3}}, {}, ArrayXd{{1, 1}}).amount, ElementsAre(0, 3));
}

TEST(WaterFilling, EndsWhenEverybodyIsCapped) {
  const ArrayXXd demand{{1, 2}, {2, 1}};
  EXPECT_THAT(fill(demand, ArrayXd{{9, 9}}, ArrayXd{{1, 0}}, ArrayXd{{1, 5}}).amount, ElementsAre(1, 0));
}

// A hundred thousand caps over nine orders of magnitude: what the last row gets is what all the others leave.
TEST(WaterFilling, KeepsItsDigitsThroughManyCaps) {
  constexpr Index rows = 100'000;
  Random random(7);
  const ArrayXXd demand = ArrayXXd::Ones(rows, 1);
  ArrayXd cap(rows);
  for (double& amount : cap) amount = std::pow(10.0, 9 * random.unit() - 9);
  cap[0] = water_filling_endless;
  const ArrayXd capacity{{cap.tail(rows - 1).sum() + 10}};
  const WaterLevels levels = fill(demand, capacity, cap, ArrayXd::Ones(rows));
  EXPECT_NEAR(levels.amount[0], 10, 1e-8);
  EXPECT_LT(levels.report.error, 1e-12);
  EXPECT_TRUE((levels.amount.tail(rows - 1) == cap.tail(rows - 1)).all());
}

TEST(WaterFilling, HasRoomForMoreResourcesThanSixteenBitsName) {
  constexpr Index resources = 40'000;
  ArrayXXd demand = ArrayXXd::Zero(2, resources);
  demand(0, 0) = demand(1, resources - 1) = 1;
  const WaterLevels levels = fill(demand, ArrayXd::Ones(resources), {}, ArrayXd::Ones(2));
  EXPECT_THAT(levels.amount, ElementsAre(1, 1));
  EXPECT_THAT(levels.stopped_by, ElementsAre(0, resources - 1));
}

TEST(WaterFilling, AsksForEveryRateOnce) {
  constexpr Index rows = 5000;
  ArrayXd asked = ArrayXd::Zero(rows);
  const ArrayXXd demand = ArrayXXd::Ones(rows, 3);
  const WaterLevels levels =
      fill_with_water(demand, ArrayXd::Ones(3), ArrayXd(), [&](Index first, Eigen::Ref<ArrayXd> rates) {
        asked.segment(first, rates.size()) += 1;
        rates.setOnes();
      });
  EXPECT_TRUE(levels.report.converged());
  EXPECT_TRUE((asked == 1).all());
}

// The slope of 1.0000009 is lost next to one of 1e10, and never summed again.
TEST(WaterFilling, WhatRoundingLeavesOverCapacityIsScaledToFitAndHasNotConverged) {
  Eigen::ArrayXXd demand(2, 1);
  demand << 1, 1;
  const Eigen::ArrayXd capacity = Eigen::ArrayXd::Constant(1, 10.0);
  Eigen::ArrayXd cap(2);
  cap << 1, std::numeric_limits<double>::infinity();
  const auto rate = [](Eigen::Index, Eigen::Ref<Eigen::ArrayXd> rates) { rates << 1e10, 1.0000009; };
  const WaterLevels wrong = fill_with_water(demand, capacity, cap, rate, {.resum_below = 0});
  EXPECT_FALSE(wrong.report.converged());
  EXPECT_GT(wrong.report.error, 1e-9);
  EXPECT_LE(wrong.amount.sum(), 10 * (1 + 1e-15));
  EXPECT_LE(wrong.used[0], 10 * (1 + 1e-15));
  const WaterLevels right = fill_with_water(demand, capacity, cap, rate);
  EXPECT_TRUE(right.report.converged());
  EXPECT_DOUBLE_EQ(right.amount[0], 1) << "a cap is not scaled";
}

}  // namespace
}  // namespace mirab::numerics
