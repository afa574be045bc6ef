#include "overlay/roll.hpp"

#include <gmock/gmock.h>

namespace mirab::overlay {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration kSecond = std::chrono::seconds(1);

Time at(int second) { return Time(kSecond * second); }

TEST(Roll, DrawsUniformly) {
  Random random(3);
  Roll roll(100 * kSecond);
  for (NodeId server = 0; server < 5; ++server) roll.enter(at(0), server);
  std::vector<int> drawn(5, 0);
  for (int k = 0; k < 4000; ++k) ++drawn[*roll.any(at(1), random)];
  for (const int count : drawn) EXPECT_NEAR(count, 800, 120);
}

TEST(Roll, HasNobodyWhenOnlyTheAskingOneIsOnIt) {
  Random random(3);
  Roll roll(100 * kSecond);
  EXPECT_FALSE(roll.any(at(0), random));
  roll.enter(at(0), 1);
  EXPECT_THAT(roll.some_but(1, 4, at(0), random), IsEmpty());
}

TEST(Roll, ForgetsWhoIsSilentAndKeepsWhoIsHeardAgain) {
  Random random(3);
  Roll roll(100 * kSecond);
  for (NodeId server = 0; server < 20; ++server) roll.enter(at(0), server);
  roll.enter(at(60), 7);
  EXPECT_THAT(roll.some_but(99, 20, at(99), random), SizeIs(20));
  EXPECT_THAT(roll.some_but(99, 20, at(125), random), testing::ElementsAre(7));
}

}  // namespace
}  // namespace mirab::overlay
