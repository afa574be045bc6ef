// Östman, 2.4.2, 3.3 (eq. 3.9) and 4.4.

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "overlay/gossip.hpp"
#include "overlay/gossip_in_step.hpp"
#include "random_cases.hpp"

namespace mirab::overlay {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<NodeId> in_order(std::span<const Descriptor> view) {
  std::vector<NodeId> nodes;
  for (const Descriptor& entry : view) nodes.push_back(entry.node);
  return nodes;
}

// Of few different utilities, so that many are equal, and -∞ among them.
Descriptor any_descriptor(Random& random) {
  constexpr double utilities[] = {-kInfinite, -3, -2, -1, -0.5, 0};
  return {.node = static_cast<NodeId>(random.below(12)), .age = 0, .utility = utilities[random.below(6)]};
}

TEST(Prefers, IsAStrictTotalOrderForEveryBase) {
  Random random(1);
  for (int i = 0; i < random_cases(100000); ++i) {
    const Descriptor base = any_descriptor(random), a = any_descriptor(random), b = any_descriptor(random),
                     c = any_descriptor(random);
    const bool same = a.node == b.node && a.utility == b.utility;
    ASSERT_EQ(int{prefers(base, a, b)} + int{prefers(base, b, a)} + int{same}, 1) << "draw " << i;
    const bool in_a_row = prefers(base, a, b) && prefers(base, b, c);
    ASSERT_TRUE(!in_a_row || prefers(base, a, c)) << "draw " << i;
  }
}

TEST(Prefers, SaysWhatEquation39SaysWhereThatIsStrict) {
  Random random(2);
  int decided = 0;
  for (int i = 0; i < random_cases(100000); ++i) {
    const Descriptor l = any_descriptor(random), a = any_descriptor(random), b = any_descriptor(random);
    const bool between = a.utility > l.utility && l.utility > b.utility;
    const bool one_side =
        std::min(a.utility, b.utility) > l.utility || std::max(a.utility, b.utility) < l.utility;
    const bool nearer = std::abs(a.utility - l.utility) < std::abs(b.utility - l.utility);
    if (!between && !(one_side && nearer)) continue;
    ++decided;
    ASSERT_TRUE(prefers(l, a, b)) << "draw " << i;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(decided, 10000);
}

TEST(Prefers, OfEqualUtilitiesTheNearerPlaceByAddress) {
  const Descriptor base{.node = 5, .utility = -1};
  const auto at = [](NodeId node) { return Descriptor{.node = node, .utility = -1}; };
  EXPECT_TRUE(prefers(base, at(4), at(3)));
  EXPECT_TRUE(prefers(base, at(3), at(6))) << "before it is better than behind it";
  EXPECT_TRUE(prefers(base, at(6), at(7)));
}

// P before it, the nearest first; where there are fewer, all of them and then those behind it.
std::vector<NodeId> ideal_view(const std::vector<NodeId>& ranked, std::size_t place, std::size_t size) {
  std::vector<NodeId> view;
  for (std::size_t before = place; before-- > 0 && view.size() < size;) view.push_back(ranked[before]);
  for (std::size_t behind = place + 1; behind < ranked.size() && view.size() < size; ++behind)
    view.push_back(ranked[behind]);
  return view;
}

TEST(Gradient, InTheEndEveryServerHasTheViewThatTrueNewsWouldGiveIt) {
  for (const std::size_t size : {2U, 5U, 10U}) {
    GossipInStep network(80, {.view = size}, 20 + size);
    for (NodeId self = 0; self < 80; ++self)  // many equal, half of all without users
      network.utility[self] = self % 2 == 0 ? -kInfinite : -0.1 * static_cast<double>(self % 7);
    network.rounds(100);
    const std::vector<NodeId> ranked = network.ranked();
    for (std::size_t place = 0; place < ranked.size(); ++place)
      EXPECT_EQ(in_order(network.gradients[ranked[place]].view()), ideal_view(ranked, place, size))
          << "P " << size << ", place " << place;
  }
}

// 3.3: the centre has the P next ones, and the first P + 1 have links to each other alone.
bool centre_is_complete(const GossipInStep& network, std::size_t size) {
  const std::vector<NodeId> ranked = network.ranked();
  const std::set<NodeId> centre(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(size) + 1);
  return std::all_of(centre.begin(), centre.end(), [&](NodeId node) {
    std::set<NodeId> others = centre;
    others.erase(node);
    return nodes_of(network.gradients[node].view()) == others;
  });
}

// Rounds from one centre's service until the next centre is complete, the mean of 40 times.
double mean_rounds_to_heal(const GossipOptions& options) {
  GossipInStep network(100, options, 30 + options.view);
  for (double& utility : network.utility) utility = -network.random.unit();
  network.rounds(100);
  EXPECT_TRUE(centre_is_complete(network, options.view));
  int rounds = 0;
  for (int served = 0; served < 40; ++served) {
    network.utility[network.ranked()[0]] -= network.random.unit();
    int waited = 0;
    do {
      network.round();
    } while (++waited < 100 && !centre_is_complete(network, options.view));
    rounds += waited;
  }
  return rounds / 40.0;
}

TEST(Gradient, AfterTheCentreServedTheNextCentreIsCompleteWhenItsOldNewsHasGrownTooOldAtTheLatest) {
  for (const std::size_t size : {2U, 4U, 10U})
    EXPECT_LE(mean_rounds_to_heal({.view = size, .oldest = 30}), 34) << "P " << size;
}

TEST(Gradient, AfterTheCentreServedTheNextCentreIsCompleteWithinAFewRoundsWhenWhoFellIsRemembered) {
  for (const std::size_t size : {2U, 4U, 10U})
    EXPECT_LE(mean_rounds_to_heal({.view = size, .remember = 8}), 10) << "P " << size;
}

TEST(Gradient, CrashedServersAreForgottenWithinOldestShufflesAndTwo) {
  GossipInStep network(120, {.view = 6, .oldest = 25}, 40);
  for (double& utility : network.utility) utility = -network.random.unit();
  network.rounds(60);
  const std::vector<NodeId> ranked = network.ranked();
  for (std::size_t place = 0; place < ranked.size(); place += 3) network.gone[ranked[place]] = 1;
  network.rounds(27);
  for (const NodeId self : network.ranked())
    for (const Descriptor& entry : network.gradients[self].view()) EXPECT_FALSE(network.gone[entry.node]);
  network.rounds(20);
  EXPECT_TRUE(centre_is_complete(network, 6));
}

TEST(Gradient, AViewHoldsEveryServerOnceNeverOneselfAndNothingTooOldWhateverIsLostOrDoubled) {
  GossipInStep network(60, {.view = 5, .oldest = 15}, 50);
  network.faults = {.loss = 0.3, .duplicate = 0.3};
  for (int round = 0; round < 100; ++round) {
    network.utility[network.random.below(60)] = -network.random.unit();
    network.round();
    for (NodeId self = 0; self < 60; ++self) {
      const auto view = network.gradients[self].view();
      ASSERT_LE(view.size(), 5U);
      ASSERT_EQ(nodes_of(view).size(), view.size());
      ASSERT_FALSE(nodes_of(view).contains(self));
      for (std::size_t i = 0; i < view.size(); ++i) ASSERT_LE(view[i].age, 15U);
    }
  }
}

TEST(Gradient, WithTenPercentOfLossTheCentreIsCompleteTooMostOfTheTime) {
  GossipInStep network(100, {.view = 5}, 60);
  for (double& utility : network.utility) utility = -network.random.unit();
  network.faults.loss = 0.1;
  network.rounds(60);
  int complete = 0;
  for (int round = 0; round < 100; ++round) {
    network.round();
    complete += centre_is_complete(network, 5) ? 1 : 0;
  }
  EXPECT_GE(complete, 95);
}

// A server 50 of utility -5 with a view of three.
struct Fifty {
  explicit Fifty(GossipOptions options = {.view = 3, .oldest = 10}) : gradient(50, Slope::poorest, options) {}
  void hears(NodeId from, std::vector<Descriptor> news) {
    gradient.on_answer(from, {Slope::poorest, std::move(news)}, own);
  }
  void one_shuffle() {
    Random random(1);
    Effects effects;
    gradient.shuffle(own, {}, random, effects);
  }
  Descriptor own{.node = 50, .utility = -5};
  Gradient gradient;
};

TEST(Gradient, KeepsTheYoungerNewsAndOfEquallyOldTheOneThatCameLater) {
  Fifty fifty;
  fifty.hears(1, {{.node = 2, .age = 5, .utility = -1}});
  fifty.hears(1, {{.node = 2, .age = 6, .utility = -2}});
  EXPECT_EQ(fifty.gradient.view()[0].utility, -1);
  fifty.hears(1, {{.node = 2, .age = 5, .utility = -3}});
  EXPECT_EQ(fifty.gradient.view()[0].utility, -3);
  fifty.hears(1, {{.node = 2, .age = 4, .utility = -4}});
  EXPECT_EQ(fifty.gradient.view()[0].utility, -4);
}

TEST(Gradient, WhatAServerSaysOfItselfIsYoungerThanWhatOthersHeardFromIt) {
  Fifty fifty;
  fifty.hears(2, {{.node = 2, .age = 0, .utility = -2}});
  fifty.hears(1, {{.node = 2, .age = 0, .utility = -1}});
  EXPECT_EQ(fifty.gradient.view()[0], (Descriptor{.node = 2, .age = 0, .utility = -2}));
}

TEST(Gradient, TheOrderInWhichNewsComesInAMessageDoesNotMatter) {
  // 1 fell behind: its place goes to whom it would have pushed out.
  const std::vector<Descriptor> news = {{.node = 1, .age = 0, .utility = -9},
                                        {.node = 4, .age = 0, .utility = -1}};
  Fifty forth, back;
  for (Fifty* fifty : {&forth, &back}) {
    for (const NodeId node : {1U, 2U, 3U})
      fifty->hears(node, {{.node = node, .utility = -2 - 0.1 * static_cast<double>(node)}});
    fifty->one_shuffle();
  }
  forth.hears(9, news);
  back.hears(9, {news[1], news[0]});
  EXPECT_EQ(in_order(forth.gradient.view()), (std::vector<NodeId>{3, 2, 4}));
  EXPECT_EQ(in_order(back.gradient.view()), in_order(forth.gradient.view()));
}

TEST(Gradient, NewsThatIsTooOldIsNotTakenAndNewsThatGrowsTooOldIsDropped) {
  Fifty fifty;
  fifty.hears(1, {{.node = 2, .age = 11, .utility = -1}, {.node = 3, .age = 8, .utility = -2}});
  EXPECT_EQ(in_order(fifty.gradient.view()), std::vector<NodeId>{3});
  Random random(1);
  Effects effects;
  fifty.gradient.shuffle(fifty.own, {}, random, effects);
  EXPECT_EQ(in_order(fifty.gradient.view()), std::vector<NodeId>{3});
  fifty.gradient.shuffle(fifty.own, {}, random, effects);
  EXPECT_TRUE(fifty.gradient.view().empty());
}

TEST(Gradient, LearnsByTheWayAndForgetsWhoLeft) {
  Fifty fifty;
  fifty.gradient.learn({.node = 2, .utility = -1}, fifty.own);
  EXPECT_EQ(in_order(fifty.gradient.view()), std::vector<NodeId>{2});
  fifty.gradient.forget(2);
  EXPECT_TRUE(fifty.gradient.view().empty());
}

// How often each of a view of three, most preferred first, is asked at a temperature.
std::vector<double> asked(double temperature) {
  Fifty fifty({.view = 3, .temperature = temperature, .oldest = 1000000});
  for (const NodeId node : {1U, 2U, 3U})
    fifty.hears(node, {{.node = node, .utility = -static_cast<double>(node)}});
  Random random(1);
  std::vector<double> part(3, 0);
  for (int i = 0; i < 30000; ++i) {
    Effects effects;
    fifty.gradient.shuffle(fifty.own, {}, random, effects);
    part[3 - effects.sends.at(0).to] += 1.0 / 30000;
  }
  return part;
}

TEST(Gradient, AsksBySoftmaxOverTheRanksOfPreference) {
  const auto near = [](double temperature, std::vector<double> expected) {
    const std::vector<double> found = asked(temperature);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(found[k], expected[k], 5 * std::sqrt(0.25 / 30000))
          << "rank " << k << " at " << temperature;
  };
  near(kInfinite, {1.0 / 3, 1.0 / 3, 1.0 / 3});
  const double e = std::exp(1.0), sum = 1 + 1 / e + 1 / (e * e);
  near(1, {1 / sum, 1 / e / sum, 1 / (e * e) / sum});
  near(1e-300, {1, 0, 0});
}

TEST(Gradient, AShuffleSendsOneselfAndWhatThePartnerPrefers) {
  Fifty fifty({.view = 5, .shuffle = 2, .oldest = 10});
  for (const NodeId node : {1U, 2U, 3U, 4U, 49U})
    fifty.hears(node, {{.node = node, .utility = -0.1 * static_cast<double>(node)}});
  Effects effects;
  fifty.gradient.on_request(9, {Slope::poorest, {{.node = 9, .utility = -0.25}}}, fifty.own, effects);
  const auto& offered = std::get<GradientAnswer>(effects.sends.at(0).message).offered;
  EXPECT_EQ(in_order(offered), (std::vector<NodeId>{50, 2, 1})) << "the two before -0.25, the nearer first";
}

TEST(Gradient, WhoAsksHearsWhoAskedBeforeInAMessageNoLongerThanInEquation45) {
  Fifty fifty;
  for (const NodeId node : {1U, 2U, 3U}) fifty.hears(node, {{.node = node, .utility = -1}});
  Effects effects;
  fifty.gradient.on_request(60, {Slope::poorest, {{.node = 60, .utility = -6}}}, fifty.own, effects);
  fifty.gradient.on_request(61, {Slope::poorest, {{.node = 61, .utility = -7}}}, fifty.own, effects);
  const auto& offered = std::get<GradientAnswer>(effects.sends.at(1).message).offered;
  EXPECT_EQ(in_order(offered), (std::vector<NodeId>{50, 3, 2, 60}));
}

TEST(Gradient, WhenNobodyIsIntroducedAnAnswerHoldsWhatEquation45Says) {
  Fifty fifty({.view = 3, .oldest = 10, .introduce = Introduce::nobody});
  Effects effects;
  fifty.gradient.on_request(60, {Slope::poorest, {{.node = 60, .utility = -4}}}, fifty.own, effects);
  for (const NodeId node : {1U, 2U, 3U}) fifty.hears(node, {{.node = node, .utility = -4.5}});
  fifty.gradient.on_request(61, {Slope::poorest, {{.node = 61, .utility = -7}}}, fifty.own, effects);
  const auto& offered = std::get<GradientAnswer>(effects.sends.at(1).message).offered;
  EXPECT_EQ(in_order(offered), (std::vector<NodeId>{50, 3, 2, 1}));
}

TEST(Gradient, WhoFellDoesNotComeBackWithOlderNewsAndWhoeverTellsSuchIsCorrected) {
  for (const std::size_t remember : {0U, 1U}) {
    Fifty fifty({.view = 3, .oldest = 10, .remember = remember});
    for (const NodeId node : {1U, 2U, 3U})
      fifty.hears(node, {{.node = node, .utility = -4 - 0.1 * static_cast<double>(node)}});
    fifty.hears(3, {{.node = 3, .utility = -8}});
    fifty.hears(4, {{.node = 4, .utility = -4.4}});
    ASSERT_EQ(in_order(fifty.gradient.view()), (std::vector<NodeId>{4, 2, 1}));
    const std::vector<Descriptor> stale = {{.node = 3, .age = 2, .utility = -4.3}};
    Effects effects;
    fifty.gradient.on_request(60, {Slope::poorest, stale}, fifty.own, effects);
    EXPECT_EQ(nodes_of(fifty.gradient.view()).contains(3), remember == 0);
    const auto& offered = std::get<GradientAnswer>(effects.sends.at(0).message).offered;
    EXPECT_EQ(offered.back().node, remember == 0 ? 1U : 3U);
    EXPECT_EQ(offered.back().utility, remember == 0 ? -4.1 : -8.0);
    EXPECT_EQ(offered.size(), 4U) << "no longer than in equation 4.5";
  }
}

TEST(Gradient, OnAnotherSlopePeersAreAskedAndTheirUtilitiesAreNotTaken) {
  Gradient free(50, Slope::free, {.view = 3});
  const std::vector<Descriptor> peers = {{.node = 7, .utility = -1}};
  Random random(1);
  Effects effects;
  const Descriptor own{.node = 50, .utility = 0.5};
  free.shuffle(own, peers, random, effects);
  ASSERT_EQ(effects.sends.size(), 1U);
  EXPECT_EQ(effects.sends[0].to, 7U);
  EXPECT_EQ(std::get<GradientRequest>(effects.sends[0].message).slope, Slope::free);
  EXPECT_TRUE(free.view().empty());
  free.on_answer(8, {Slope::free, {{.node = 8, .utility = 0.7}}}, own);
  std::set<NodeId> asked_now;
  for (int i = 0; i < 4; ++i) {
    Effects more;
    free.shuffle(own, peers, random, more);
    asked_now.insert(more.sends.at(0).to);
  }
  EXPECT_EQ(asked_now, (std::set<NodeId>{7, 8})) << "new servers are met by chance alone";
}

TEST(Gradient, WithoutAnybodyNothingIsSent) {
  Fifty fifty;
  Random random(1);
  Effects effects;
  fifty.gradient.shuffle(fifty.own, {}, random, effects);
  EXPECT_TRUE(effects.sends.empty());
}

}  // namespace
}  // namespace mirab::overlay
