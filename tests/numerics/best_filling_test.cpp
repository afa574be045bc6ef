// One server filled by levels, against the conditions that define it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/model/random.hpp>

#include "numerics/psdsf/best_response.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(BestFilling, IsWaterFillingWhenNobodyHasAnythingElsewhere) {
  ArrayXXd demand(2, 2);
  demand << 1, 4, 3, 1;
  const ArrayXd capacity{{9, 18}}, rate{{4.5, 3}};
  const Filling filling = best_response(demand, capacity, rate, ArrayXd::Zero(2), ArrayXd());
  EXPECT_NEAR(filling.x[0], 3, 1e-12);
  EXPECT_NEAR(filling.x[1], 2, 1e-12);
  EXPECT_NEAR(filling.levels[0], 2.0 / 3, 1e-12);
  EXPECT_EQ(filling.levels[1], infinity);
}

// A bounded row between two others makes the use bend both ways: Newton alone goes in circles here.
TEST(BestFilling, FindsTheLevelWhereUseBendsBothWays) {
  ArrayXXd demand(3, 1);
  demand << 2, 2, 3;
  const ArrayXd rate{{18, 16, 8}}, elsewhere{{7.0 / 3, 6.5, 0}}, room{{2.0 / 3, 0.5, infinity}};
  const Filling filling = best_response(demand, ArrayXd::Constant(1, 12), rate, elsewhere, room);
  EXPECT_NEAR((filling.x * demand.col(0)).sum(), 12, 1e-12);
}

// The first row leaves 1e-12 of the first resource when it stops; the second fills the third resource, but
// for a rounding of 1e-8 of what it has elsewhere. The first is fuller, and stops nobody any more.
TEST(BestFilling, MarksOnlyWhatRisingRowsDemand) {
  const ArrayXXd demand{{1 - 1e-12, 1, 0}, {0, 0, 1}};
  for (int trial = 0; trial < 100; ++trial) {
    const Filling filling = best_response(demand, ArrayXd::Ones(3), ArrayXd{{1, 0.7}},
                                          ArrayXd{{0, 1e8 + trial / 100.0}}, ArrayXd());
    ASSERT_EQ(filling.levels[0], infinity) << trial;
    ASSERT_DOUBLE_EQ(filling.x[0], 1) << trial;
    ASSERT_DOUBLE_EQ(filling.x[1], 1) << trial;
  }
}

// Rows that have 1e8 times as much elsewhere: at any level the use is a difference of large numbers, rounded
// to 1e-8.
TEST(BestFilling, FillsToTheLastDigitForRowsThatHaveFarMoreElsewhere) {
  constexpr std::uint64_t seed = 8;
  Random random(seed);
  for (int trial = 0; trial < random_cases(1000); ++trial) {
    const ArrayXXd demand = ArrayXXd::NullaryExpr(5, 1, [&] { return 0.1 + random.unit(); });
    const ArrayXd rate = 1 / demand.col(0);
    const ArrayXd elsewhere = 1e8 * rate + ArrayXd::NullaryExpr(5, [&] { return random.unit() / 10; });
    const ArrayXd room = ArrayXd::NullaryExpr(5, [&] { return random.below(3) == 0 ? 0.01 : infinity; });
    const Filling filling = best_response(demand, ArrayXd::Constant(1, 1), rate, elsewhere, room);
    if (filling.levels[0] == infinity) continue;
    ASSERT_NEAR((filling.x * demand.col(0)).sum(), 1, 1e-14) << "trial " << trial << " of seed " << seed;
    ASSERT_TRUE((filling.x <= room).all()) << "trial " << trial << " of seed " << seed;
  }
}

// x_n = min(room_n, max(0, rate_n l_n - elsewhere_n)), l_n the lowest level of what stops the row, and what
// has a level is full.
TEST(BestFilling, StopsEveryRowAtTheLowestFullResourceThatItDemands) {
  constexpr std::uint64_t seed = 5;
  Random random(seed);
  for (int trial = 0; trial < random_cases(1000); ++trial) {
    const auto rows = static_cast<Index>(1 + random.below(12)),
               resources = static_cast<Index>(1 + random.below(4));
    const auto draw = [&](double most) { return most * random.unit(); };
    const ArrayXXd demand = ArrayXXd::NullaryExpr(
        rows, resources, [&](Index, Index r) { return r > 0 && random.below(3) == 0 ? 0 : 0.1 + draw(5); });
    const ArrayXd capacity = ArrayXd::NullaryExpr(resources, [&] { return 1 + draw(20); });
    const ArrayXd rate = ArrayXd::NullaryExpr(rows, [&] { return random.below(5) == 0 ? 0 : 0.1 + draw(5); });
    const ArrayXd elsewhere = ArrayXd::NullaryExpr(rows, [&] { return random.below(2) == 0 ? 0 : draw(5); });
    const ArrayXd room =
        ArrayXd::NullaryExpr(rows, [&] { return random.below(2) == 0 ? infinity : draw(3); });
    const Filling filling = best_response(demand, capacity, rate, elsewhere, room);
    SCOPED_TRACE(fmt::format("trial {} of seed {}", trial, seed));
    for (Index n = 0; n < rows; ++n) {
      double level = infinity;
      for (Index r = 0; r < resources; ++r)
        level = demand(n, r) > 0 ? std::min(level, filling.levels[r]) : level;
      const double x = rate[n] == 0 ? 0 : std::min(room[n], std::max(0.0, rate[n] * level - elsewhere[n]));
      ASSERT_NEAR(filling.x[n], x, 1e-9 * (1 + x));
    }
    for (Index r = 0; r < resources; ++r) {
      const double used = (filling.x * demand.col(r)).sum();
      ASSERT_LE(used, capacity[r] * (1 + 1e-9));
      if (filling.levels[r] < infinity) {
        ASSERT_GE(used, capacity[r] * (1 - 1e-9));
      }
    }
  }
}

}  // namespace
}  // namespace mirab::numerics
