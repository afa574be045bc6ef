#include "overlay/walk.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace mirab::overlay {
namespace {

using What = Step::What;
constexpr NodeId kPeer = 40;

Walk walk_of(std::uint32_t hops) { return {.task = {.id = {1, 1}, .demand = {2, 2}}, .hops_left = hops}; }

HopContext full(NodeId self) { return {.self = self, .freer = {}, .peer = kPeer}; }
HopContext with_room(NodeId self, double distance) {
  return {.self = self, .fits = true, .distance = distance, .freer = {}, .peer = kPeer};
}

// 4.3: on itself first; what does not fit goes to a random neighbour.
TEST(Walk, EndsAtTheFirstServerWhereTheTaskFits) {
  Walk walk = walk_of(3);
  EXPECT_EQ(walk_step(Search::walk, full(1), 8, walk).to, kPeer);
  EXPECT_EQ(walk.hops_left, 2U);
  EXPECT_EQ(walk_step(Search::walk, with_room(2, 0), 8, walk).what, What::propose);
}

TEST(Walk, WithoutHopsOrPeersThereIsNoRoom) {
  Walk walk = walk_of(0);
  EXPECT_EQ(walk_step(Search::walk, full(1), 8, walk).what, What::no_room);
  Walk other = walk_of(3);
  EXPECT_EQ(walk_step(Search::walk, {.self = 1, .freer = {}, .peer = {}}, 8, other).what, What::no_room);
}

// 2.1.4: H(i, l) = ‖D_i/D_i1 − c̄_l/c̄_l1‖_1.
TEST(BestFit, DistanceIsThatOfDrfh) {
  const std::vector<double> total{10, 20};
  EXPECT_DOUBLE_EQ(drfh_distance(Amounts{1, 4}, Amounts{5, 10}, total), 1);  // |0.2/0.1 - 0.5/0.5|
  EXPECT_DOUBLE_EQ(drfh_distance(Amounts{1, 2}, Amounts{5, 10}, total), 0) << "the same shape";
  EXPECT_DOUBLE_EQ(drfh_distance(Amounts{0, 2}, Amounts{5, 10}, total), 1) << "by the first that is demanded";
}

TEST(BestFit, GoesBackToTheBestOfALeg) {
  OverlayOptions options;
  options.search = Search::best_fit;
  options.hops = 6;
  options.best_of = 3;
  Walk walk = walk_of(hops_of(options));
  EXPECT_EQ(walk_step(Search::best_fit, with_room(1, 0.5), 3, walk).to, kPeer);
  EXPECT_EQ(walk_step(Search::best_fit, with_room(2, 0.2), 3, walk).to, kPeer);
  EXPECT_EQ(walk_step(Search::best_fit, with_room(3, 0.4), 3, walk).to, 2U);
  EXPECT_EQ(walk_step(Search::best_fit, with_room(2, 0.3), 3, walk).what, What::propose);
}

TEST(BestFit, WalksTakeWholeLegsOfNoMoreHopsThanAreGiven) {
  OverlayOptions options;
  options.search = Search::best_fit;
  options.best_of = 8;
  const auto hops = [&](std::uint32_t given) {
    options.hops = given;
    return hops_of(options);
  };
  EXPECT_EQ(hops(400), 399U);  // 50 legs of 8 servers, the home among them
  EXPECT_EQ(hops(7), 7U);
  EXPECT_EQ(hops(14), 7U);
  EXPECT_EQ(hops(5), 5U) << "less than a leg: one short leg";
  EXPECT_EQ(hops(0), 0U);
  EXPECT_EQ(hops(std::numeric_limits<std::uint32_t>::max()), std::numeric_limits<std::uint32_t>::max());
}

TEST(BestFit, WalksOnWhenTheBestWasTakenMeanwhile) {
  Walk walk = walk_of(3);
  walk.best = 2;
  walk.score = 0.2;
  EXPECT_EQ(walk_step(Search::best_fit, full(2), 3, walk).to, kPeer);
  EXPECT_EQ(walk.hops_left, 2U);
  EXPECT_EQ(walk_step(Search::best_fit, with_room(4, 0.9), 3, walk).to, kPeer) << "a new leg has begun";
  EXPECT_EQ(walk.best, 4U);
}

TEST(BestFit, AWalkThatFindsNothingEnds) {
  Walk walk = walk_of(5);
  int hops = 0;
  while (walk_step(Search::best_fit, full(1), 3, walk).what == What::pass) ++hops;
  EXPECT_EQ(hops, 5);
}

// Of the part of the cluster, not of the server: large servers have more room.
TEST(Directed, RoomIsTheLeastFreePartOfTheCluster) {
  EXPECT_DOUBLE_EQ(room(Amounts{5, 4}, std::vector<double>{10, 20}), 0.2);
  EXPECT_DOUBLE_EQ(room(Amounts{5, 0}, std::vector<double>{10, 0}), 0.5) << "a resource that nobody has";
}

TEST(Directed, ClimbsToTheServerWithMostRoomThenWalks) {
  const std::vector<Descriptor> freer{{.node = 3, .utility = 0.2}, {.node = 4, .utility = 0.3}};
  HopContext low = full(1);
  low.room = 0.1;
  low.freer = freer;
  Walk walk = walk_of(4);
  EXPECT_EQ(walk_step(Search::directed, low, 8, walk).to, 4U);
  EXPECT_EQ(walk_step(Search::directed, low, 8, walk).to, kPeer) << "nothing above what was seen";
  EXPECT_EQ(walk.hops_left, 2U);
}

}  // namespace
}  // namespace mirab::overlay
