// The divisions of rows in classes: what they require, and what they make of numbers beyond doubles.
#include "numerics/pool/classes.hpp"

#include <array>
#include <gtest/gtest.h>

namespace mirab::numerics {
namespace {

TEST(ClassLevelsDeathTest, AClassThatTakesNothingIsRefused) {
  const RowClasses classes{.resources = 2, .demand = {1, 0.5, 0, 0}};
  ClassLevels levels(classes);
  const std::array<std::int64_t, 2> counts = {1, 1};
  std::array<double, 2> amount{};
  EXPECT_DEATH(levels.divide(counts, amount), "a class that takes something");
}

TEST(ClassLevels, ClassesRiseUntilAResourceIsFull) {
  const RowClasses classes{.resources = 2, .demand = {1, 0.5, 0.5, 1}};
  ClassLevels levels(classes);
  const std::array<std::int64_t, 2> counts = {1, 1};
  std::array<double, 2> amount{};
  levels.divide(counts, amount);
  EXPECT_DOUBLE_EQ(amount[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(amount[1], 2.0 / 3);
}

}  // namespace
}  // namespace mirab::numerics
