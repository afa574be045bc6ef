// What the experiments on gossip alone show, in quick runs, and the network that they use.
#include <gtest/gtest.h>

#include "experiments/expect.hpp"
#include "lab/experiments/ostman/gossip_rounds.hpp"

namespace mirab::experiments {
namespace {

TEST(OstmanPushSum, IsWithinOnePercentAfterRoundsLikeTheLogarithmAlsoWithTenPercentOfLoss) {
  const Reproduction result = quick("ostman-push-sum");
  expect_all_hold(result);
  EXPECT_EQ(result.verdict, Verdict::shape_agrees);
  EXPECT_EQ(result.findings.size(), 4U);
}

TEST(OstmanGradient, ConvergesFromAColdStartAndHealsFasterWithAMemory) {
  const Reproduction result = quick("ostman-gradient");
  expect_all_hold(result);
  EXPECT_EQ(result.verdict, Verdict::shape_agrees);
}

TEST(OstmanGradient, DoesNotDependOnTheNumberOfThreads) {
  EXPECT_EQ(quick("ostman-gradient", 3, 1).figures[0].curves[0].y,
            quick("ostman-gradient", 3, 4).figures[0].curves[0].y);
}

TEST(GossipRounds, FindNoIdealViewAtAColdStartAndAllInTheEnd) {
  GossipRounds gossip(50, {.view = 4}, 0, Random(1));
  EXPECT_EQ(gossip.ideal_views().all, 0U);
  for (int round = 0; round < 60; ++round) gossip.round();
  EXPECT_EQ(gossip.ideal_views().all, 50U);
  EXPECT_EQ(gossip.ideal_views().centre, 5U);
}

TEST(GossipRounds, ACentreThatServedIsNotInTheIdealViewsOfTheNextOne) {
  GossipRounds gossip(50, {.view = 4}, 0, Random(2));
  for (int round = 0; round < 60; ++round) gossip.round();
  gossip.serve_centre();
  EXPECT_LT(gossip.ideal_views().centre, 5U);
}

TEST(GossipRounds, LoseSoManyMessages) {
  GossipRounds all_lost(50, {.view = 4}, 1, Random(3));
  for (int round = 0; round < 30; ++round) all_lost.round();
  EXPECT_EQ(all_lost.ideal_views().all, 0U);
  for (const GossipServer& server : all_lost.servers()) EXPECT_TRUE(server.peers.view().empty());
}

}  // namespace
}  // namespace mirab::experiments
