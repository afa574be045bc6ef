#include <gtest/gtest.h>

#include "overlay/walk.hpp"

namespace mirab::overlay {
namespace {

Walk walk_of(NodeId home, std::uint64_t attempt, std::uint32_t hops_left) {
  return {.task = {.id = {.user = 7, .number = 1}, .demand = {}},
          .home = home,
          .attempt = attempt,
          .hops_left = hops_left};
}

TEST(RecentWalks, AStepThatComesTwiceIsNewOnce) {
  RecentWalks walks;
  EXPECT_TRUE(walks.is_news(walk_of(1, 1, 9)));
  EXPECT_FALSE(walks.is_news(walk_of(1, 1, 9)));
}

TEST(RecentWalks, AWalkThatComesBackIsNew) {
  RecentWalks walks;
  EXPECT_TRUE(walks.is_news(walk_of(1, 1, 9)));
  EXPECT_TRUE(walks.is_news(walk_of(1, 1, 8)));
  EXPECT_TRUE(walks.is_news(walk_of(1, 2, 9)));
  EXPECT_TRUE(walks.is_news(walk_of(2, 1, 9)));
}

TEST(RecentWalks, RemembersTheLastSixteen) {
  RecentWalks walks;
  for (std::uint32_t hops = 0; hops < 16; ++hops) EXPECT_TRUE(walks.is_news(walk_of(1, 1, hops)));
  EXPECT_FALSE(walks.is_news(walk_of(1, 1, 0)));
  EXPECT_TRUE(walks.is_news(walk_of(1, 1, 16)));
  EXPECT_TRUE(walks.is_news(walk_of(1, 1, 0)));
}

}  // namespace
}  // namespace mirab::overlay
