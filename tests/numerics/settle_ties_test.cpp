// From nearly tied to tied.
#include <gtest/gtest.h>

#include "numerics/many_rows.hpp"
#include "numerics/psdsf/server_levels.hpp"
#include "numerics/psdsf/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

// Servers (6) and (4), two rows that take 1: 2 and 3 tasks of row 0, which is tied, beside 4 and 1 of row 1.
TEST(SettleTies, MakesNearTiesExactAndServersFull) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1}, {1}}, ArrayXXd{{6}, {4}});
  const double l0 = 5.0 / 6 * (1 + 1e-6), l1 = 5.0 / 4 * (1 - 2e-6);
  TiedRows ties;
  ties.row = {0, 1};
  ties.first = {0, 2, 4};
  ties.unit = {5, 5};
  ties.cap = ties.t = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  ties.k = {0, 0};
  ties.server = ties.stop = {0, 1, 0, 1};
  ties.x = {0.4 + 1e-6, 0.6 - 2e-6, 0.8 - 3e-6, 0.2 + 1e-6};
  ties.z = {1e-12, 1e-12, 1e-12, 1e-12};
  ties.total = {ties.x[0] + ties.x[1], ties.x[2] + ties.x[3]};
  ArrayXXd levels{{l0}, {l1}};
  const ArrayXXd x = settle_ties(rows, rows.alone, ties, levels);
  EXPECT_LE(level_violation(rows, rows.alone, x), 1e-12);
  EXPECT_NEAR(x(0, 0), 2, 1e-4);
  EXPECT_NEAR(x(1, 1), 1, 1e-4);
  EXPECT_DOUBLE_EQ(levels(0) * 6, levels(1) * 4);
}

}  // namespace
}  // namespace mirab::numerics
