#include <gmock/gmock.h>

#include "overlay/membership.hpp"

namespace mirab::overlay {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration kRollSecond = std::chrono::seconds(1);

Time roll_at(int second) { return Time(kRollSecond * second); }

TEST(Membership, DrawsUniformly) {
  Random random(3);
  Membership roll(100 * kRollSecond);
  for (NodeId server = 0; server < 5; ++server) roll.enter(roll_at(0), server);
  std::vector<int> drawn(5, 0);
  for (int k = 0; k < 4000; ++k) ++drawn[*roll.any(roll_at(1), random)];
  for (const int count : drawn) EXPECT_NEAR(count, 800, 120);
}

TEST(Membership, HasNobodyWhenOnlyTheAskingOneIsOnIt) {
  Random random(3);
  Membership roll(100 * kRollSecond);
  EXPECT_FALSE(roll.any(roll_at(0), random));
  roll.enter(roll_at(0), 1);
  EXPECT_THAT(roll.sample_excluding(1, 4, roll_at(0), random), IsEmpty());
}

TEST(Membership, ForgetsWhoIsSilentAndKeepsWhoIsHeardAgain) {
  Random random(3);
  Membership roll(100 * kRollSecond);
  for (NodeId server = 0; server < 20; ++server) roll.enter(roll_at(0), server);
  roll.enter(roll_at(60), 7);
  EXPECT_THAT(roll.sample_excluding(99, 20, roll_at(99), random), SizeIs(20));
  EXPECT_THAT(roll.sample_excluding(99, 20, roll_at(125), random), testing::ElementsAre(7));
}

}  // namespace
}  // namespace mirab::overlay
