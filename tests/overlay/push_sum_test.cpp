// Kempe, Dobra and Gehrke 2003, section 2; Östman, Algorithm 2.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include <mirab/model/random.hpp>

#include "overlay/gossip.hpp"

namespace mirab::overlay {
namespace {

// Servers that all know each other; server i has x_i.
struct Pushing {
  Pushing(std::vector<double> own, std::uint32_t rounds, std::uint64_t seed)
      : random(seed), x(std::move(own)) {
    for (const double value : x) servers.emplace_back(std::vector<double>{value}, rounds);
  }

  void round() {
    for (std::size_t i = crashed; i < servers.size(); ++i) {
      const auto peer = static_cast<NodeId>(random.below(servers.size()));
      Effects effects;
      servers[i].round(peer, effects);
      const auto& share = std::get<PushSumShare>(effects.sends.at(0).message);
      if (peer < crashed) continue;
      if (random.unit() >= loss) servers[peer].on_share(share);
      if (random.unit() < duplicate) servers[peer].on_share(share);
    }
  }

  void rounds(int count) {
    for (int i = 0; i < count; ++i) round();
  }

  /// The largest relative error of what is estimated now.
  double error() const {
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    double worst = 0;
    for (const PushSum& server : servers)
      worst = std::max(worst, std::abs(server.present().value()[0] / mean - 1));
    return worst;
  }

  Random random;
  std::vector<double> x;
  double loss = 0, duplicate = 0;
  std::size_t crashed = 0;  ///< how many, the first ones
  std::vector<PushSum> servers;
};

std::vector<double> drawn(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(count);
  for (double& value : x) value = 0.25 + random.unit();
  return x;
}

PushSumShare share_of(PushSum& server) {
  Effects effects;
  server.round(NodeId{0}, effects);
  return std::get<PushSumShare>(effects.sends.at(0).message);
}

TEST(PushSum, ARoundSendsHalfAndKeepsHalf) {
  PushSum server({8, 2}, 10);
  EXPECT_EQ(share_of(server), (PushSumShare{.epoch = 0, .weight = 0.5, .sums = {4, 1}}));
  EXPECT_EQ(share_of(server), (PushSumShare{.epoch = 0, .weight = 0.25, .sums = {2, 0.5}}));
  server.on_share({.epoch = 0, .weight = 0.75, .sums = {0, 0}});
  EXPECT_EQ(server.present(), (std::vector<double>{2, 0.5}));
}

TEST(PushSum, AllComeToTheMeanWithinOnePercentAfterRoundsThatGrowLikeTheLogarithm) {
  for (const std::size_t count : {30U, 300U, 3000U}) {
    Pushing network(drawn(count, count), 1000, 1);
    const int rounds = static_cast<int>(3 * std::log2(static_cast<double>(count)));
    network.rounds(rounds);
    EXPECT_LT(network.error(), 0.01) << count << " servers, " << rounds << " rounds";
  }
}

TEST(PushSum, LossOfOneInTenShiftsTheMeanOfThreeThousandByLessThanOnePercent) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Pushing network(drawn(3000, seed), 1000, seed);
    network.loss = 0.1;
    network.rounds(40);
    EXPECT_LT(network.error(), 0.01) << "seed " << seed;
  }
}

TEST(PushSum, WhateverIsLostOrDoubledEveryEstimateLiesBetweenTheLeastAndTheGreatest) {
  Pushing network(drawn(50, 2), 15, 2);
  network.loss = 0.4;
  network.duplicate = 0.4;
  for (int round = 0; round < 60; ++round) {
    network.round();
    for (const PushSum& server : network.servers) {
      EXPECT_GT(server.present().value()[0], 0.25 - 1e-12);
      EXPECT_LT(server.present().value()[0], 1.25 + 1e-12);
    }
  }
}

TEST(PushSum, MassThatWasLostIsForgottenWithItsEpoch) {
  Pushing network({100, 1, 1, 1, 1, 1, 1, 1}, 40, 3);
  network.loss = 0.5;
  network.rounds(35);
  EXPECT_GT(network.error(), 0.01);
  network.loss = 0;
  network.rounds(80);  // at the end of the epoch that began without loss
  for (const PushSum& server : network.servers) EXPECT_NEAR(server.estimate().at(0), 107.0 / 8, 1e-3);
}

TEST(PushSum, BeforeTheFirstEpochEndsThereIsNoEstimate) {
  Pushing network({3, 5}, 4, 4);
  network.rounds(4);
  EXPECT_TRUE(network.servers[0].estimate().empty());
  network.round();
  EXPECT_FALSE(network.servers[0].estimate().empty());
  EXPECT_EQ(network.servers[0].epoch(), 1U);
}

TEST(PushSum, AServerThatComesLateCountsFromTheNextEpochOnAndDisturbsNoneBefore) {
  Pushing network(std::vector<double>(20, 4.0), 40, 6);
  network.rounds(41 + 20);  // in the midst of the second epoch
  network.x.push_back(25);
  network.servers.emplace_back(std::vector<double>{25}, 40);
  network.rounds(21);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(network.servers[i].estimate().at(0), 4, 1e-9);
  network.rounds(40);
  for (const PushSum& server : network.servers) EXPECT_NEAR(server.estimate().at(0), 5, 1e-3);
}

// What was sent to them is lost in every epoch; what they had is not missed in the second.
TEST(PushSum, ServersThatCrashAreForgottenWithTheEpoch) {
  Pushing network(std::vector<double>(40, 2.0), 40, 7);
  network.servers[0] = PushSum({1000}, 40);
  network.rounds(5);
  network.crashed = 1;
  network.rounds(36);
  EXPECT_GT(network.servers[1].estimate().at(0), 3) << "its mass goes round until the end of the epoch";
  network.rounds(40);
  EXPECT_NEAR(network.servers[1].estimate().at(0), 2, 1e-9);
}

TEST(PushSum, AloneAServerEstimatesItself) {
  PushSum server({7}, 3);
  Effects effects;
  for (int i = 0; i < 4; ++i) server.round(std::nullopt, effects);
  EXPECT_TRUE(effects.sends.empty());
  EXPECT_EQ(server.estimate(), std::vector<double>{7});
}

TEST(PushSum, SharesOfEarlierEpochsAndSharesThatCannotBeAreIgnored) {
  PushSum server({6}, 2);
  for (int i = 0; i < 3; ++i) share_of(server);
  ASSERT_EQ(server.epoch(), 1U);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const PushSumShare& share : {PushSumShare{.epoch = 0, .weight = 1, .sums = {0}},
                                    PushSumShare{.epoch = 1, .weight = 1, .sums = {0, 0}},
                                    PushSumShare{.epoch = 1, .weight = -1, .sums = {0}},
                                    PushSumShare{.epoch = 1, .weight = 0, .sums = {9}},
                                    PushSumShare{.epoch = 1, .weight = kInfinite, .sums = {9}},
                                    PushSumShare{.epoch = 9, .weight = std::nan(""), .sums = {9}}})
    server.on_share(share);
  EXPECT_EQ(server.epoch(), 1U);
  EXPECT_EQ(server.present(), std::vector<double>{6});
}

}  // namespace
}  // namespace mirab::overlay
