#include <gmock/gmock.h>
#include <set>

#include <mirab/overlay/gateway.hpp>

#include "overlay/said.hpp"
#include "overlay/ticks.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr NodeId kGatewayUser = 70;

class GatewayOf : public testing::Test {
 protected:
  Random random{1};
  Gateway gateway = with(Direction::home);
  Effects effects;

  static Gateway with(Direction direction) {
    return {direction,
            direction == Direction::central ? std::optional<NodeId>(99) : std::nullopt,
            {.user = 400},
            kTick};
  }
  void enter(int tick, NodeId server, const Register& here = {}) {
    gateway.on_message(at(tick), server, here, random, effects);
  }
  // 0: no answer.
  NodeId asked(int tick, const ServerRequest& request) {
    effects = {};
    gateway.on_message(at(tick), kGatewayUser, request, random, effects);
    const std::vector<ServerAnswer> answers = said<ServerAnswer>(effects, kGatewayUser);
    if (answers.empty()) return 0;
    EXPECT_EQ(answers[0].request, request.request);
    return answers[0].server;
  }
};

TEST_F(GatewayOf, KnowsNoServerUntilOneRegisters) {
  EXPECT_EQ(asked(1, {1, kGatewayUser, false}), 0U);
  enter(2, 5);
  EXPECT_EQ(asked(3, {1, kGatewayUser, false}), 5U);
}

TEST_F(GatewayOf, LeavesAUserAtItsHomeUntilThatIsSilent) {
  enter(1, 5);
  enter(1, 6);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(asked(2, {1, 5, false}), 5U);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(asked(3, {2, 5, true}), 6U);
}

TEST_F(GatewayOf, NamesAServerThatWasSilentAgainWhenItHasRegisteredAgain) {
  enter(1, 5);
  EXPECT_EQ(asked(2, {2, 5, true}), 0U);
  enter(3, 5);
  EXPECT_EQ(asked(4, {2, kGatewayUser, false}), 5U);
}

TEST_F(GatewayOf, NamesNobodyThatLeftOrIsSilentForLong) {
  enter(1, 5);
  enter(300, 6);
  enter(300, 8);
  enter(301, 8, {.leaving = true});
  for (int k = 0; k < 20; ++k) EXPECT_EQ(asked(402, {1, kGatewayUser, false}), 6U);
}

// Östman, 4.2.
TEST_F(GatewayOf, DirectsEveryTaskOfProbesToAnyServer) {
  gateway = with(Direction::any);
  enter(1, 5);
  enter(1, 6);
  std::set<NodeId> named;
  for (int k = 0; k < 50; ++k) named.insert(asked(2, {1, 5, false}));
  EXPECT_THAT(named, ElementsAre(5, 6));
}

// Östman, 4.1.
TEST_F(GatewayOf, DirectsAllToTheCentre) {
  gateway = with(Direction::central);
  EXPECT_EQ(asked(1, {1, kGatewayUser, false}), 99U);
  EXPECT_EQ(asked(1, {2, 99, true}), 99U) << "there is no other";
}

TEST(BootstrapOf, WhoRegistersHearsOfSomeOthersDrawnAtRandom) {
  Random random(1);
  Bootstrap bootstrap(2, {.user = 400}, kTick);
  const auto peers = [&](NodeId server) {
    Effects effects;
    bootstrap.on_message(at(1), server, Register{}, random, effects);
    return said<Peers>(effects, server).at(0).servers;
  };
  EXPECT_THAT(peers(1), IsEmpty());
  EXPECT_THAT(peers(2), ElementsAre(1));
  EXPECT_THAT(peers(3), UnorderedElementsAre(1, 2));
  for (NodeId server = 4; server < 30; ++server) peers(server);
  std::set<NodeId> heard;
  for (int k = 0; k < 300; ++k) {
    const std::vector<NodeId> two = peers(1);
    ASSERT_THAT(two, SizeIs(2));
    EXPECT_NE(two[0], two[1]);
    heard.insert(two.begin(), two.end());
  }
  EXPECT_THAT(heard, SizeIs(28)) << "all but itself";
}

TEST(BootstrapOf, WhoLeavesIsToldToNobody) {
  Random random(1);
  Bootstrap bootstrap(2, {.user = 400}, kTick);
  Effects effects;
  bootstrap.on_message(at(1), 1, Register{}, random, effects);
  bootstrap.on_message(at(2), 1, Register{.leaving = true}, random, effects);
  bootstrap.on_message(at(3), 2, Register{}, random, effects);
  EXPECT_THAT(said<Peers>(effects, 2).at(0).servers, IsEmpty());
}

}  // namespace
}  // namespace mirab::overlay
