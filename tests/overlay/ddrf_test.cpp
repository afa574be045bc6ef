#include <gtest/gtest.h>
#include <limits>

#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

constexpr double kNobody = -std::numeric_limits<double>::infinity();

Descriptor server(NodeId node, double share) { return {.node = node, .utility = -share}; }
Descriptor empty_server(NodeId node) { return {.node = node, .utility = kNobody}; }

// Eq. 3.8.
TEST(Ddrf, ServesTheLowestShareAmongNeighbours) {
  const std::vector<Descriptor> neighbours{server(2, 0.3), server(3, 0.2)};
  EXPECT_TRUE(ddrf_may_serve(server(1, 0.1), neighbours));
  EXPECT_FALSE(ddrf_may_serve(server(1, 0.25), neighbours));
}

// All shares are 0 at the start: with a plain < nobody would ever begin.
TEST(Ddrf, OfEqualSharesTheLowerAddressServes) {
  EXPECT_TRUE(ddrf_may_serve(server(1, 0), std::vector{server(2, 0)}));
  EXPECT_FALSE(ddrf_may_serve(server(2, 0), std::vector{server(1, 0)}));
}

TEST(Ddrf, AServerWithoutUsersNeverServesAndHindersNobody) {
  EXPECT_FALSE(ddrf_may_serve(empty_server(1), std::vector{server(2, 5)}));
  EXPECT_FALSE(ddrf_may_serve(empty_server(1), {}));
  EXPECT_TRUE(ddrf_may_serve(server(2, 5), std::vector{empty_server(1)}));
}

// Algorithm 5: neighbours ← [∞, …].
TEST(Ddrf, ANeighbourOfWhichNothingIsKnownDoesNotHinder) {
  Ddrf ddrf(Ddrf::Neighbours::random);
  ddrf.choose(std::vector<NodeId>{3, 7});
  EXPECT_TRUE(ddrf_may_serve(server(9, 4), ddrf.neighbours()));
  ddrf.hear(7, {.utility = -2});
  EXPECT_FALSE(ddrf_may_serve(server(9, 4), ddrf.neighbours()));
  ddrf.forget(7);
  EXPECT_TRUE(ddrf_may_serve(server(9, 4), ddrf.neighbours()));
}

TEST(Ddrf, HearsNeighboursOnly) {
  Ddrf ddrf(Ddrf::Neighbours::random);
  ddrf.choose(std::vector<NodeId>{3});
  ddrf.hear(8, {.utility = 0});
  EXPECT_TRUE(ddrf_may_serve(server(9, 4), ddrf.neighbours()));
}

// 4.3: two messages for a neighbour and tick, of which this is the first.
TEST(Ddrf, AsksEveryNeighbourOnce) {
  Ddrf ddrf(Ddrf::Neighbours::random);
  ddrf.choose(std::vector<NodeId>{3, 7});
  Effects effects;
  ddrf.ask(effects);
  ASSERT_EQ(effects.sends.size(), 2U);
  EXPECT_EQ(effects.sends[0].to, 3U);
  EXPECT_EQ(effects.sends[1].to, 7U);
}

}  // namespace
}  // namespace mirab::overlay
