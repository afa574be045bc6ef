// Floors by an active set: what the report says of the division.
#include "numerics/base/floors.hpp"

#include <gtest/gtest.h>

namespace mirab::numerics {
namespace {

using Amounts = std::vector<double>;

const auto kItself = [](const Amounts& amounts) { return amounts; };

TEST(Floors, AnAmountThatIsHeldIsAtItsFloor) {
  const auto divide = [](const std::vector<bool>& held) -> std::optional<Amounts> {
    return Amounts{held[0] ? 1 : 0.5, 2};
  };
  const auto found = hold_floors(Amounts{0.5, 2}, divide, kItself);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->report.converged());
  EXPECT_EQ(found->report.error, 0);
  EXPECT_EQ(found->division, (Amounts{1, 2}));
}

// A division that leaves what is held below its floor has not kept it.
TEST(Floors, AFloorThatIsNotKeptHasNotConverged) {
  const auto divide = [](const std::vector<bool>&) -> std::optional<Amounts> { return Amounts{0.9, 2}; };
  const auto found = hold_floors(Amounts{0.5, 2}, divide, kItself);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->report.converged());
  EXPECT_DOUBLE_EQ(found->report.error, 1 - 0.9);
}

}  // namespace
}  // namespace mirab::numerics
