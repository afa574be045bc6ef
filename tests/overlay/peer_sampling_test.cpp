// Voulgaris, Gavidia and van Steen 2005: sections 2.2 (the exchange), 4 (what the graph looks like), 5
// (servers that fail).

#include <cmath>
#include <gtest/gtest.h>

#include "overlay/gossip_in_step.hpp"

namespace mirab::overlay {
namespace {

constexpr GossipOptions kFour{.peers = 4, .peer_shuffle = 3, .oldest = 20};

// A server 0 that heard of 1 … count in one exchange, the first of them the youngest.
PeerSampling knowing(NodeId count, const GossipOptions& options) {
  PeerSampling peers(0, options);
  PeerAnswer answer;
  for (NodeId node = 1; node <= count; ++node) answer.offered.push_back({.node = node, .age = node});
  peers.on_answer(1, answer);
  return peers;
}

const PeerRequest& request_in(const Effects& effects) {
  return std::get<PeerRequest>(effects.sends.at(0).message);
}

TEST(PeerSampling, TheOldestIsAskedAndTakenOut) {
  PeerSampling peers = knowing(4, kFour);
  Random random(1);
  Effects effects;
  peers.shuffle({.node = 0, .utility = -0.5}, random, effects);
  ASSERT_EQ(effects.sends.size(), 1U);
  EXPECT_EQ(effects.sends[0].to, 4U);
  EXPECT_EQ(nodes_of(peers.view()), (std::set<NodeId>{1, 2, 3}));
}

TEST(PeerSampling, ARequestHoldsOneselfAtAgeZeroAndEllMinusOneOthers) {
  PeerSampling peers = knowing(4, kFour);
  Random random(2);
  Effects effects;
  peers.shuffle({.node = 0, .utility = -0.5}, random, effects);
  const std::vector<Descriptor>& offered = request_in(effects).offered;
  ASSERT_EQ(offered.size(), 3U);
  EXPECT_EQ(offered[0], (Descriptor{.node = 0, .age = 0, .utility = -0.5}));
  for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(offered[i].age, offered[i].node + 1) << "one shuffle older";
}

TEST(PeerSampling, AnAnswerFillsFreeSlotsAndThenThoseOfWhatWasSent) {
  PeerSampling peers = knowing(4, kFour);
  Random random(3);
  Effects effects;
  peers.shuffle({.node = 0}, random, effects);
  std::set<NodeId> expected = {1, 2, 3, 11, 12, 13};
  for (std::size_t i = 1; i < 3; ++i) expected.erase(request_in(effects).offered[i].node);
  peers.on_answer(4, {{{.node = 11}, {.node = 12}, {.node = 13}}});
  EXPECT_EQ(nodes_of(peers.view()), expected);
}

TEST(PeerSampling, AnAnswerThatComesTwiceOrLateTakesNobodysPlace) {
  PeerSampling peers = knowing(4, kFour);
  Random random(4);
  Effects effects;
  peers.shuffle({.node = 0}, random, effects);
  const PeerAnswer answer{{{.node = 11}, {.node = 12}}};
  peers.on_answer(4, answer);
  const std::set<NodeId> view = nodes_of(peers.view());
  peers.on_answer(4, {{{.node = 13}, {.node = 14}}});
  peers.on_answer(9, {{{.node = 15}}});
  EXPECT_EQ(nodes_of(peers.view()), view);
}

TEST(PeerSampling, AnExchangeSwapsEntriesSoThatNoneIsLostOrCopied) {
  PeerSampling a(0, kFour), b(1, kFour);
  a.introduce(std::vector<NodeId>{1, 2, 3, 4});
  b.introduce(std::vector<NodeId>{5, 6, 7, 8});
  Random random(5);
  Effects asked, answered;
  a.shuffle({.node = 0}, random, asked);
  b.on_request(0, request_in(asked), random, answered);
  a.on_answer(asked.sends[0].to, std::get<PeerAnswer>(answered.sends[0].message));
  std::multiset<NodeId> all;
  for (const PeerSampling* peers : {&a, &b}) {
    EXPECT_EQ(peers->view().size(), 4U);
    for (const Descriptor& entry : peers->view()) all.insert(entry.node);
  }
  EXPECT_EQ(all, (std::multiset<NodeId>{0, 2, 3, 4, 5, 6, 7, 8}))
      << "1 was asked, and is 0's entry turned round";
}

TEST(PeerSampling, IntroducedServersFillWhatIsFreeOnceAndNotOneself) {
  PeerSampling peers(0, kFour);
  peers.introduce(std::vector<NodeId>{3, 0, 3, 5});
  EXPECT_EQ(nodes_of(peers.view()), (std::set<NodeId>{3, 5}));
  EXPECT_EQ(peers.view().size(), 2U);
  peers.introduce(std::vector<NodeId>{6, 7, 8});
  EXPECT_EQ(nodes_of(peers.view()), (std::set<NodeId>{3, 5, 6, 7}));
}

TEST(PeerSampling, WhomNobodyAnswersIsAloneAfterAsManyShufflesAsItHasEntries) {
  PeerSampling peers = knowing(4, kFour);
  Random random(6);
  Effects effects;
  for (int i = 0; i < 4; ++i) peers.shuffle({.node = 0}, random, effects);
  EXPECT_TRUE(peers.view().empty());
  peers.shuffle({.node = 0}, random, effects);
  EXPECT_EQ(effects.sends.size(), 4U) << "nobody is left to ask";
  EXPECT_EQ(peers.any(random), std::nullopt);
}

TEST(PeerSampling, AnyIsDrawnUniformly) {
  const PeerSampling peers = knowing(4, kFour);
  Random random(7);
  std::vector<int> drawn(5, 0);
  for (int i = 0; i < 4000; ++i) ++drawn[*peers.any(random)];
  for (NodeId node = 1; node <= 4; ++node) EXPECT_NEAR(drawn[node], 1000, 5 * std::sqrt(750.0)) << node;
}

TEST(PeerSampling, TheOnlyPeerCanBeFoundWhileItIsAskedButNotOnceItWasAskedInVain) {
  PeerSampling peers(0, {});
  peers.introduce(std::vector<NodeId>{7});
  Random random(1);
  Effects effects;
  peers.shuffle({.node = 0}, random, effects);
  EXPECT_TRUE(peers.view().empty());
  EXPECT_EQ(peers.any(random), 7U);
  peers.shuffle({.node = 0}, random, effects);
  EXPECT_EQ(peers.any(random), std::nullopt);
}

TEST(PeerSampling, OfTwoServersEachKnowsTheOtherWhoeverAsks) {
  GossipInStep network(2, {}, 3);
  for (int round = 0; round < 100; ++round) {
    network.round_one_by_one();
    for (NodeId self = 0; self < 2; ++self)
      ASSERT_EQ(nodes_of(network.peers[self].view()), (std::set<NodeId>{1 - self})) << "in round " << round;
  }
}

TEST(PeerSampling, AViewHoldsEveryServerOnceNeverOneselfAndNothingTooOldWhateverIsLostOrDoubled) {
  GossipInStep network(60, {.peers = 7, .peer_shuffle = 4, .oldest = 12}, 8);
  network.faults = {.loss = 0.2, .duplicate = 0.2};
  for (int round = 0; round < 100; ++round) {
    network.round();
    for (NodeId self = 0; self < 60; ++self) {
      const auto view = network.peers[self].view();
      ASSERT_LE(view.size(), 7U);
      ASSERT_EQ(nodes_of(view).size(), view.size()) << "in round " << round;
      ASSERT_FALSE(nodes_of(view).contains(self));
      for (const Descriptor& entry : view) ASSERT_LE(entry.age, 12U);
    }
  }
}

double variance_of_in_degree(const GossipInStep& network) {
  std::vector<double> degree(network.peers.size(), 0);
  for (const PeerSampling& peers : network.peers)
    for (const Descriptor& entry : peers.view()) degree[entry.node] += 1;
  double squares = 0;
  for (const double in : degree) squares += (in - 10) * (in - 10);
  return squares / static_cast<double>(degree.size());
}

// Figure 8 of the paper: in-degrees lie much closer to the view's size than in a random graph, where their
// variance is that size.
TEST(PeerSampling, InDegreesAreNarrowerThanInARandomGraphWhenExchangesDoNotCross) {
  GossipInStep network(1000, {.peers = 10, .peer_shuffle = 5}, 9);
  for (int round = 0; round < 60; ++round) network.round_one_by_one();
  EXPECT_LT(variance_of_in_degree(network), 4);
  EXPECT_GT(variance_of_in_degree(network), 0.5) << "a lattice would not be random either";
}

// What an answer brings takes the places of what was sent; when these have been taken by others meanwhile, a
// link is lost, and another was doubled.
TEST(PeerSampling, InDegreesAreAboutThoseOfARandomGraphWhenAllExchangesCross) {
  GossipInStep network(1000, {.peers = 10, .peer_shuffle = 5}, 9);
  network.rounds(60);
  EXPECT_LT(variance_of_in_degree(network), 15);
}

std::size_t reached_from(const GossipInStep& network, NodeId start) {
  std::vector<std::set<NodeId>> links(network.peers.size());
  for (NodeId self = 0; self < network.peers.size(); ++self) {
    if (network.gone[self]) continue;
    for (const Descriptor& entry : network.peers[self].view()) {
      if (network.gone[entry.node]) continue;
      links[self].insert(entry.node);
      links[entry.node].insert(self);
    }
  }
  std::set<NodeId> reached = {start};
  std::vector<NodeId> edge = {start};
  while (!edge.empty()) {
    const NodeId at = edge.back();
    edge.pop_back();
    for (const NodeId next : links[at]) {
      if (reached.insert(next).second) edge.push_back(next);
    }
  }
  return reached.size();
}

// Section 5: a third of the servers crashes at once, the others stay in one piece and forget them.
TEST(PeerSampling, CrashedServersAreForgottenWithinOldestShufflesAndTheOthersStayTogether) {
  for (std::uint64_t seed = 10; seed < 15; ++seed) {
    GossipInStep network(300, {.peers = 10, .peer_shuffle = 5, .oldest = 20}, seed);
    network.rounds(30);
    for (NodeId self = 0; self < 90; ++self) network.gone[self] = 1;
    network.rounds(21);
    for (NodeId self = 90; self < 300; ++self)
      for (const Descriptor& entry : network.peers[self].view())
        EXPECT_FALSE(network.gone[entry.node]) << self << " still knows " << entry.node << ", seed " << seed;
    EXPECT_EQ(reached_from(network, 299), 210U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mirab::overlay
