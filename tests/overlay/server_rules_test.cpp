// One server under each rule: when it gives a turn, and whom it asks before.

#include <algorithm>

#include "overlay/one_server.hpp"

namespace mirab::overlay {
namespace {

OverlayOptions asking(Confirm confirm) {
  OverlayOptions options;
  options.confirm = confirm;
  return options;
}

// 3.3.1.
TEST_F(OneServer, UnderDgdrfItServesWhenTheLowestNeighbourConfirms) {
  Server one = server(Scheduler::dgdrf, asking(Confirm::lowest));
  submit(one, 5);
  hear(one, 1, told({{.node = 1, .utility = -0.2}, {.node = 2, .utility = -0.3}}));
  tick(one);
  ASSERT_TRUE(sent<ConfirmRequest>());
  const auto [p, question] = *sent<ConfirmRequest>();
  EXPECT_EQ(p, 2U);
  EXPECT_EQ(question.neighbours, (std::vector<NodeId>{1, kSelf}));
  EXPECT_FALSE(sent<Propose>());
  hear(one, p, ConfirmAnswer{.round = question.round, .confirmed = true});
  EXPECT_TRUE(sent<Propose>());
}

TEST_F(OneServer, UnderDgdrfWithAllAskedItServesWhenTheLastConfirms) {
  Server one = server(Scheduler::dgdrf, asking(Confirm::all));
  submit(one, 5);
  hear(one, 1, told({{.node = 1, .utility = -0.2}, {.node = 2, .utility = -0.3}}));
  tick(one);
  ASSERT_TRUE(sent<ConfirmRequest>());
  const ConfirmAnswer yes{.round = sent<ConfirmRequest>()->second.round, .confirmed = true};
  hear(one, 2, yes);
  EXPECT_FALSE(sent<Propose>());
  hear(one, 1, yes);
  EXPECT_TRUE(sent<Propose>());
}

TEST_F(OneServer, ConfirmsWhatIsItsView) {
  Server one = server(Scheduler::dgdrf);
  hear(one, 1, told({{.node = 1, .utility = -0.2}, {.node = 2, .utility = -0.3}}));
  hear(one, 1, ConfirmRequest{.round = 6, .neighbours = {1, 2}});
  EXPECT_EQ(sent<ConfirmAnswer>()->second, (ConfirmAnswer{.round = 6, .confirmed = true}));
  hear(one, 1, ConfirmRequest{.round = 7, .neighbours = {1, 3}});
  EXPECT_EQ(sent<ConfirmAnswer>()->second, (ConfirmAnswer{.round = 7, .confirmed = false}));
}

TEST_F(OneServer, UnderDdrfItWaitsWhileANeighbourIsPoorer) {
  Server one = server(Scheduler::ddrf_random);
  submit(one, 5, 1);
  hear(one, 2, ShareAnswer{.utility = 0});
  tick(one);  // chooses its neighbours: what was said before is not heard
  EXPECT_TRUE(sent<Propose>());
  EXPECT_TRUE(sent<ShareRequest>());
  hear(one, 2, ShareAnswer{.utility = 0});
  submit(one, 5, 2);
  tick(one);
  EXPECT_FALSE(sent<Propose>());
}

// Its first tick may come before anybody has been heard of: of nobody, all are richer.
TEST_F(OneServer, UnderDdrfGradientItServesNobodyBeforeItHasNeighbours) {
  Server one = server(Scheduler::ddrf_gradient, {}, {});
  submit(one, 5);
  tick(one);
  EXPECT_FALSE(sent<Propose>());
  hear(one, kBootstrap, Peers{{7, 8}});
  shuffle(one);
  tick(one);
  EXPECT_TRUE(sent<Propose>());
  EXPECT_TRUE(sent<ShareRequest>());
}

TEST_F(OneServer, UnderDdrfGradientItAsksTheOneItHasHeardOf) {
  Server one = server(Scheduler::ddrf_gradient, {}, {});
  submit(one, 5);
  hear(one, kBootstrap, Peers{{7}});
  tick(one);
  EXPECT_FALSE(sent<Propose>()) << "whom to ask is not known yet";
  shuffle(one);
  tick(one);
  EXPECT_TRUE(sent<Propose>());
  ASSERT_TRUE(sent<ShareRequest>());
  EXPECT_EQ(sent<ShareRequest>()->first, 7U);
}

TEST_F(OneServer, UnderDdrfTheOnlyServerOfAClusterNeedsNoNeighbours) {
  for (const Scheduler scheduler : {Scheduler::ddrf_random, Scheduler::ddrf_gradient}) {
    Server one({.self = kSelf, .capacity = {10}, .total = {10}, .tick = kTick}, scheduler, {}, Time{});
    submit(one, 5);
    tick(one);
    EXPECT_TRUE(sent<Propose>());
  }
}

// Algorithm 4.
TEST_F(OneServer, UnderProbesItQueuesCopiesAndProposes) {
  Server one = server(Scheduler::probes);
  hear(one, 1, LoadAnswer{.load = 1});
  submit(one, 5);
  EXPECT_EQ(std::ranges::count_if(
                effects.sends, [](const Send& send) { return std::holds_alternative<Copy>(send.message); }),
            2);
  EXPECT_EQ(sent<Copy>()->first, 3U);
  EXPECT_TRUE(sent<Received>());
  tick(one);
  EXPECT_EQ(sent<Propose>()->first, kUser);
  tick(one);
  EXPECT_FALSE(sent<Propose>());
}

// A lost Reject, or a copy whose user has gone.
TEST_F(OneServer, UnderProbesATaskIsForgottenThatNobodyAsksForAnyMore) {
  const Duration runtime = 450 * kTick;
  const Message first = Copy{{.id = {kUser, 1}, .demand = {10}, .runtime = runtime}};
  const Message second = Copy{{.id = {kUser + 1, 1}, .demand = {5}}};
  for (const bool said_again : {false, true}) {
    Server one = server(Scheduler::probes);
    hear(one, 1, first);
    tick(one);
    hear(one, kUser, Accept{1, sent<Propose>()->second.proposal});
    hear(one, 1, second);
    bool proposed = false;
    for (int ticks = 0; ticks < 460; ++ticks) {
      if (said_again && ticks == 300) hear(one, 1, second);
      tick(one);
      proposed = proposed || sent<Propose>();
    }
    EXPECT_EQ(proposed, said_again);
  }
}

TEST_F(OneServer, TellsTheCentralServerWhatIsFreeWhenItChanges) {
  Server one({.self = kSelf,
              .capacity = {10},
              .total = {100},
              .bootstrap = kBootstrap,
              .gateway = kGateway,
              .central = 92,
              .tick = kTick},
             Scheduler::centralised_drf, {}, Time{});
  tick(one);
  EXPECT_EQ(sent<Free>()->second.free, Amounts{10});
  tick(one);
  EXPECT_FALSE(sent<Free>());
  hear(one, 92, Walk{.task = {.id = {kUser, 1}, .demand = {4}}, .home = 92});
  EXPECT_TRUE(sent<Propose>());
  EXPECT_EQ(sent<Placed>()->first, 92U);
  tick(one);
  EXPECT_EQ(sent<Free>()->second.free, Amounts{6});
}

}  // namespace
}  // namespace mirab::overlay
