#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Descriptor level_server(NodeId node, double share) { return {.node = node, .utility = -share}; }

TEST(Level, IsTheLeastShareOfOneselfAndTheView) {
  EXPECT_EQ(min_known_share(level_server(1, 3), std::vector{level_server(2, 2), level_server(3, 5)}), 2);
  EXPECT_EQ(min_known_share(level_server(1, 1), std::vector{level_server(2, 2), level_server(3, 5)}), 1);
  EXPECT_EQ(min_known_share(level_server(1, 3), {}), 3);
}

TEST(Level, ServersWithoutUsersAreLeftOut) {
  const Descriptor nobody{.node = 9, .utility = -kInfinity};
  EXPECT_EQ(min_known_share(level_server(1, 3), std::vector{nobody, level_server(2, 4)}), 3);
  EXPECT_EQ(min_known_share(nobody, std::vector{nobody}), kInfinity);
}

TEST(Level, ThePoorestKnownIsAlwaysServed) {
  for (const double share : {0.0, 0.1, 7.0}) EXPECT_TRUE(level_may_serve(share, 0.5, share, 0));
}

TEST(Level, WithoutSlackNobodyElseIs) { EXPECT_FALSE(level_may_serve(1.000001, 0.5, 1, 0)); }

// Its share before the task: it may end one task more above the level.
TEST(Level, AUserMayBeSoManyOfItsOwnTasksAbove) {
  EXPECT_TRUE(level_may_serve(1.5, 0.5, 1, 1));
  EXPECT_FALSE(level_may_serve(1.75, 0.5, 1, 1));
  EXPECT_TRUE(level_may_serve(1.75, 0.5, 1, 2));
  EXPECT_FALSE(level_may_serve(1.5, 0.25, 1, 1)) << "its tasks are smaller";
}

}  // namespace
}  // namespace mirab::overlay
