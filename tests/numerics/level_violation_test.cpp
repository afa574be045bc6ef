// The level form (mathematics.md, section 5) on placements made by hand.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "numerics/many_rows.hpp"
#include "numerics/psdsf/server_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

// Demands (2, 1) and (1, 2), servers (7, 7) and (2, 2).
ServerRows two_solutions() { return testing::rows_of(ArrayXXd{{2, 1}, {1, 2}}, ArrayXXd{{7, 7}, {2, 2}}); }

TEST(LevelViolation, IsZeroAtBothSolutionsOfTheExampleThatHasTwo) {
  const ServerRows rows = two_solutions();
  const double third = 1.0 / 3;
  EXPECT_NEAR(level_violation(rows, rows.alone, ArrayXXd{{7 * third, 2 * third}, {7 * third, 2 * third}}), 0,
              1e-12);
  EXPECT_NEAR(level_violation(rows, rows.alone, ArrayXXd{{5 * third, 1}, {8 * third, 0}}), 0, 1e-12);
}

// One server of 4, two rows that take 1 each: 3 and 1 tasks. The second has a third of the level.
TEST(LevelViolation, IsWhatARowLacksOfTheLevelOfOthers) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}});
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{3}, {1}}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{2}, {2}}), 0);
}

TEST(LevelViolation, IsOneWhereNothingStopsARow) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}});
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{1}, {1}}), 1);
}

TEST(LevelViolation, LeavesRowsAtTheirCapInPeace) {
  ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}});
  rows.cap = Eigen::ArrayXd{{3, 1}};
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{3}, {1}}), 0);
}

TEST(LevelViolation, CountsOveruseAndTasksOverACap) {
  ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}});
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{2.5}, {2.5}}), 0.25);
  rows.cap = Eigen::ArrayXd{{1.6, 4}};
  EXPECT_DOUBLE_EQ(level_violation(rows, rows.alone, ArrayXXd{{2}, {2}}), 0.25);
}

TEST(LevelViolation, IsInfiniteForWhatIsNoAmount) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{4}});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {std::nan(""), infinity, -infinity, -1e-300})
    EXPECT_EQ(level_violation(rows, rows.alone, ArrayXXd{{2}, {wrong}}), infinity) << wrong;
}

}  // namespace
}  // namespace mirab::numerics
