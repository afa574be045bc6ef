// Rounds of lexicographic max-min: when they need more digits, and what their bound says. That the levels are
// right is for the oracles in tests/mechanisms.
#include "numerics/lexmaxmin/levels.hpp"

#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "numerics/lexmaxmin/level_simplex.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// Everybody may go everywhere.
ServerRows rows_anywhere(const ArrayXXd& demand, const ArrayXXd& capacity) {
  ServerRows rows{.demand = {demand}, .capacity = capacity, .alone = {}, .cap = {}};
  rows.alone.resize(demand.rows(), capacity.rows());
  for (Index n = 0; n < demand.rows(); ++n) {
    for (Index i = 0; i < capacity.rows(); ++i)
      rows.alone(n, i) =
          (demand.row(n) > 0).select(capacity.row(i) / demand.row(n), infinity_of<double>()).minCoeff();
  }
  return rows;
}

LevelsInFull in_full(const ServerRows& rows, const ArrayXd& unit) {
  return {.rows = {.demand = {rows.demand[0].cast<BigFloat>()},
                   .capacity = rows.capacity.cast<BigFloat>(),
                   .alone = rows.alone.cast<BigFloat>(),
                   .cap = rows.cap.cast<BigFloat>()},
          .unit = unit.cast<BigFloat>()};
}

LevelsInFull not_wanted() {
  ADD_FAILURE() << "doubles would have done";
  return {};
}

ArrayXXd draw(Random& random, Index height, Index width, std::uint64_t largest) {
  return ArrayXXd::NullaryExpr(height, width, [&] { return static_cast<double>(1 + random.below(largest)); });
}

// Small whole numbers, so that many rows and servers tie: prices that are 0 in exact numbers are rounding in
// doubles, and must not be taken for prices.
TEST(Levels, TiedRowsOfOrdinarySizeDoNotNeedMoreDigits) {
  constexpr std::uint64_t seed = 3;
  Random random(seed);
  for (int k = 0; k < 100; ++k) {
    const ServerRows rows = rows_anywhere(draw(random, 60, 3, 4), draw(random, 12, 3, 50));
    const RaisedLevels levels = raise_levels(rows, ArrayXd::Ones(60), not_wanted);
    EXPECT_LE(levels.report.error, LevelTuning{}.accuracy.accepted) << "program " << k << " of seed " << seed;
    EXPECT_FALSE(levels.in_full);
  }
}

// Many kinds of servers that have nothing in common: 16 pivots for each row and capacity, and all of them
// different in size. With 20 each as the limit, and candidates that were tried until none of a search was
// left, the first round ended before its level was the highest.
TEST(Levels, AHundredServersThatAllDifferAreExactInDoubles) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  const ServerRows rows = rows_anywhere(draw(random, 50, 4, 4'900), 1'000 + draw(random, 100, 4, 9'000));
  const ArrayXd pool = rows.capacity.colwise().sum().transpose();
  const ArrayXd dominant = (rows.demand[0].rowwise() / pool.transpose()).rowwise().maxCoeff();
  const RaisedLevels levels = raise_levels(rows, dominant.inverse(), not_wanted);
  EXPECT_LE(levels.report.error, LevelTuning{}.accuracy.accepted) << "seed " << seed;
  EXPECT_FALSE(levels.in_full);
}

// One row takes 1e-15 of what is full, another one a tenth.
ServerRows tiny_and_big() { return rows_anywhere(ArrayXXd{{1e-15, 0.001}, {0.1, 0}}, ArrayXXd{{1, 1}}); }

TEST(Levels, WhatDoublesLoseIsFoundInFull) {
  const ServerRows rows = tiny_and_big();
  const ArrayXd unit = ArrayXd::Ones(2);
  const RaisedLevels levels = raise_levels(rows, unit, [&] { return in_full(rows, unit); });
  EXPECT_TRUE(levels.in_full);
  EXPECT_LE(levels.report.error, 1e-14);
  EXPECT_NEAR(levels.amount(0, 0), 10, 1e-11);
  EXPECT_NEAR(levels.amount(1, 0), 10, 1e-11);
}

// Too large to be found again: the bound still holds, and is 1 at most.
TEST(Levels, WhatIsTooLargeForMoreDigitsSaysSo) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  const Index servers = 500;
  ArrayXXd capacity = ArrayXXd::Ones(servers, 2);
  const ServerRows rows = rows_anywhere(ArrayXXd{{1e-15, 0.001}, {0.1, 0}}, capacity);
  const RaisedLevels levels = raise_levels(rows, ArrayXd::Ones(2), not_wanted);
  const double total = levels.amount.row(0).sum();
  const double off = 1 - 10.0 * servers / total;
  EXPECT_GE(levels.report.error, off - 1e-12);
  EXPECT_LE(levels.report.error, 1);
}

class LevelBound : public ::testing::Test {
 protected:
  // The only round: the level is 10, and the first resource pays for it.
  LevelRound<double> round() const {
    TableOf<bool> priced(1, 2);
    priced << true, false;
    LevelRound<double> round = level_round<double>(rows_, ArrayXXd{{1, 0}}, priced);
    round.fixed = {0, 1};
    return round;
  }
  double bound(double tiny, double big) const {
    return level_bound<double>(rows_, unit_, ArrayXXd{{tiny}, {big}}, {round()});
  }

  const ServerRows rows_ = tiny_and_big();
  const ArrayXd unit_ = ArrayXd::Ones(2);
};

TEST_F(LevelBound, CountsWhatARowHoldsAboveThoseWhoPayForTheSame) {
  EXPECT_NEAR(bound(1000, 10), 0.99, 1e-9);
}

TEST_F(LevelBound, CountsWhatARowCouldHaveMore) { EXPECT_NEAR(bound(8, 8), 1, 1e-9); }

// 2 of 10 are free: without the tiny row's own part the level could rise from 8 to 10.
TEST_F(LevelBound, IsAPartOfTheLargerOfTheTwo) {
  const ServerRows rows = rows_anywhere(ArrayXXd{{0.1}, {0.1}}, ArrayXXd{{1}});
  LevelRound<double> round = level_round<double>(rows, ArrayXXd{{1}}, TableOf<bool>::Constant(1, 1, true));
  round.fixed = {0, 1};
  EXPECT_NEAR(level_bound<double>(rows, unit_, ArrayXXd{{4}, {4}}, {round}), 1.0 / 3, 1e-12);
  EXPECT_LE(level_bound<double>(rows, unit_, ArrayXXd{{5}, {5}}, {round}), 1e-14);
}

// In more digits the tiny row is no doubt.
TEST_F(LevelBound, InMoreDigitsIsNextToNothingWhereTheLevelsAreRight) {
  const LevelsInFull program = in_full(rows_, unit_);
  TableOf<bool> priced(1, 2);
  priced << true, false;
  LevelRound<BigFloat> round = level_round<BigFloat>(program.rows, TableOf<BigFloat>{{1, 0}}, priced);
  round.fixed = {0, 1};
  const BigFloat level = BigFloat(1) / (program.rows.demand[0](0, 0) + program.rows.demand[0](1, 0));
  EXPECT_LT(level_bound<BigFloat>(program.rows, program.unit, TableOf<BigFloat>{{level}, {level}}, {round}),
            BigFloat(1e-60));
}

}  // namespace
}  // namespace mirab::numerics
