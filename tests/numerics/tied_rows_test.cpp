// Who stops a row, and what takes over when another resource overflows: by hand.
#include "numerics/psdsf/tied_rows.hpp"

#include <gmock/gmock.h>

#include "numerics/many_rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

constexpr double tied_rows_infinity = std::numeric_limits<double>::infinity();

// One server (4, 4); row 0 takes cpu alone, row 1 memory alone, row 2 both.
TiedSystem three_rows(const ArrayXXd& levels) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1, 0}, {0, 1}, {1, 1}}, ArrayXXd{{4, 4}});
  return tied_system(rows, rows.alone, levels);
}

TEST(TiedRows, StopAtTheLowestLevelOfWhatTheyDemand) {
  const TiedSystem system = three_rows(ArrayXXd{{0.5, 0.4}});
  EXPECT_THAT(system.rows.stop, ::testing::ElementsAre(0, 1, 1));
}

TEST(TiedRows, OfWhichOneStopsNowhereStopsAtWhatItDemands) {
  const TiedSystem system = three_rows(ArrayXXd{{0.5, tied_rows_infinity}});
  EXPECT_THAT(system.rows.stop, ::testing::ElementsAre(0, 1, 0));
  EXPECT_TRUE(system.stops(1));
}

TEST(TiedRows, AreTakenOverByAResourceThatOverflowsThoughItStopsNobody) {
  const ServerRows rows = testing::rows_of(ArrayXXd{{1, 2}, {1, 3}}, ArrayXXd{{4, 4}});
  TiedSystem system = tied_system(rows, rows.alone, ArrayXXd{{0.5, tied_rows_infinity}});
  centre(system, 1e-9);
  measure_use(system);
  EXPECT_NEAR(system.use[0], 0.5 * 2 / 4 + 0.5 * 4.0 / 3 / 4, 1e-3);
  EXPECT_FALSE(system.stops(1));
  system.use[1] = 1.1;
  take_over(system);
  EXPECT_THAT(system.rows.stop, ::testing::ElementsAre(1, 1));
  EXPECT_FALSE(system.stops(0));
}

TEST(TiedRows, WithAClearWinnerLeaveAndTheUseStays) {
  Random random(4);
  const ServerRows rows = testing::many_rows(random, 300, 4, testing::Caps::half);
  TiedSystem system =
      tied_system(rows, rows.alone, ArrayXXd::NullaryExpr(4, 3, [&] { return (1 + random.unit()) / 300; }));
  centre(system, 1e-10);
  measure_use(system);
  const Eigen::ArrayXd before = system.use;
  const Eigen::Index all = system.rows.size();
  take_out_winners(system, 1e-4);
  measure_use(system);
  EXPECT_LT(system.rows.size(), all / 2);
  EXPECT_LE((system.use - before).abs().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace mirab::numerics
