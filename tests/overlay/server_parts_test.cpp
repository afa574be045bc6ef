// One server, told what others say to it: what it says and does.

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

#include <mirab/overlay/server.hpp>

namespace mirab::overlay {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(100);
constexpr NodeId kSelf = 4;
constexpr NodeId kUser = 50;
constexpr NodeId kBootstrap = 90;
constexpr NodeId kGateway = 91;

OverlayOptions climbing() {
  OverlayOptions options;
  options.rise = Rise::climb;
  return options;
}

OverlayOptions asking(Confirm confirm) {
  OverlayOptions options;
  options.confirm = confirm;
  return options;
}

class OneServer : public testing::Test {
 protected:
  Server server(Scheduler scheduler, const OverlayOptions& options = {},
                const std::vector<NodeId>& neighbours = {1, 2, 3}) const {
    return {{.self = kSelf,
             .capacity = {10},
             .total = {100},
             .bootstrap = kBootstrap,
             .gateway = kGateway,
             .neighbours = neighbours,
             .tick = kTick},
            scheduler,
            options,
            Time{}};
  }
  void hear(Server& server, NodeId from, const Message& message) {
    effects = {};
    server.on_message(now, from, message, random, effects);
  }
  void tick(Server& server) {
    now += kTick;
    effects = {};
    server.on_tick(now, random, effects);
  }
  void shuffle(Server& server) {
    effects = {};
    server.on_shuffle(now, random, effects);
  }
  void submit(Server& server, std::int64_t demand, std::uint64_t running = 0) {
    const Task task{.id = {kUser, running + 1}, .demand = {demand}, .running = running};
    hear(server, kUser, Submit{.task = task, .sequence = ++sequence});
  }
  /// The last message of this type that was sent, and to whom.
  template <typename What>
  std::optional<std::pair<NodeId, What>> sent() const {
    std::optional<std::pair<NodeId, What>> last;
    for (const Send& send : effects.sends) {
      if (const What* what = std::get_if<What>(&send.message)) last = {send.to, *what};
    }
    return last;
  }

  Random random{1};
  Time now{};
  std::uint64_t sequence = 0;
  Effects effects;
};

GradientAnswer told(const std::vector<Descriptor>& news) { return {Slope::poorest, news}; }

// Eq. 4.2.
TEST_F(OneServer, ItsUtilityIsLessTheShareOfItsPoorestUser) {
  Server one = server(Scheduler::dgdrf);
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity());
  submit(one, 5, 2);
  EXPECT_DOUBLE_EQ(one.utility(), -0.1);
}

TEST_F(OneServer, HostsOnItselfFirst) {
  Server one = server(Scheduler::pdgdrf);
  submit(one, 5);
  tick(one);
  ASSERT_TRUE(sent<Propose>());
  EXPECT_EQ(sent<Propose>()->first, kUser);
  EXPECT_EQ(one.free()[0], 5);
  EXPECT_DOUBLE_EQ(one.utility(), -0.05) << "a proposal counts in the share";
}

// 4.3: "Random walk of tasks does not change the receiving nodes minimum dominant share".
TEST_F(OneServer, ATaskThatWalksDoesNotCountUntilItIsPlaced) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, kBootstrap, Peers{{7}});
  submit(one, 11);
  tick(one);
  ASSERT_TRUE(sent<Walk>());
  const auto [to, walk] = *sent<Walk>();
  EXPECT_EQ(to, 7U);
  EXPECT_EQ(one.utility(), 0);
  hear(one, 8, Placed{.task = walk.task.id, .attempt = walk.attempt});
  EXPECT_DOUBLE_EQ(one.utility(), -0.11);
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

TEST_F(OneServer, AWalkWithoutHopsThatDoesNotFitIsReportedToItsHome) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, 7, Walk{.task = {.id = {kUser, 1}, .demand = {11}}, .home = 6, .attempt = 3, .hops_left = 0});
  EXPECT_EQ(sent<NoRoom>()->first, 6U);
  EXPECT_EQ(sent<NoRoom>()->second.attempt, 3U);
}

TEST_F(OneServer, ARisingUtilityClimbsAtOnceWhenThatIsChosen) {
  Server one = server(Scheduler::pdgdrf, climbing());
  hear(one, 1, told({{.node = 1, .utility = -0.2}, {.node = 2, .utility = -0.1}}));
  submit(one, 5, 1);
  ASSERT_TRUE(sent<Climb>());
  EXPECT_EQ(sent<Climb>()->first, 2U) << "to the best of its neighbours";
  EXPECT_EQ(sent<Climb>()->second.risen.node, kSelf);
  tick(one);
  EXPECT_FALSE(sent<Climb>());
}

TEST_F(OneServer, NewsThatClimbIsLearntAndHandedOnUpwardsOnly) {
  Server one = server(Scheduler::pdgdrf, climbing());
  submit(one, 5, 1);
  hear(one, 1, told({{.node = 1, .utility = -0.01}}));
  hear(one, 9, Climb{.risen = {.node = 9, .utility = -0.5}});
  EXPECT_EQ(sent<Climb>()->first, 1U);
  EXPECT_EQ(sent<Climb>()->second.hops, 1U);
  EXPECT_TRUE(std::ranges::any_of(one.view(), [](const Descriptor& entry) { return entry.node == 9; }));
  hear(one, 8, Climb{.risen = {.node = 8, .utility = 0}});
  EXPECT_FALSE(sent<Climb>()) << "the best it knows is the risen one";
}

TEST_F(OneServer, LeavingInPeaceItTellsItsUsersAndTakesNoTaskAnyMore) {
  Server one = server(Scheduler::pdgdrf);
  submit(one, 5);
  effects = {};
  one.leave(now, effects);
  EXPECT_TRUE(sent<Register>()->second.leaving);
  EXPECT_TRUE(sent<Received>()->second.gone);
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity());
  hear(one, 7, Walk{.task = {.id = {kUser, 2}, .demand = {1}}, .home = 6, .hops_left = 0});
  EXPECT_TRUE(sent<NoRoom>());
  submit(one, 5);
  EXPECT_TRUE(sent<Received>()->second.gone);
  tick(one);
  EXPECT_FALSE(sent<Propose>());
}

TEST_F(OneServer, WhoLeftIsForgotten) {
  Server one = server(Scheduler::pdgdrf);
  hear(one, 1, told({{.node = 1, .utility = -0.2}}));
  ASSERT_EQ(one.view().size(), 1U);
  hear(one, 1, Register{.leaving = true});
  EXPECT_TRUE(one.view().empty());
}

TEST_F(OneServer, RegistersBeforeItIsForgotten) {
  Server one = server(Scheduler::pdgdrf);
  one.on_start(effects);
  EXPECT_EQ(effects.sends.size(), 2U);
  const std::uint32_t remembered = OverlayOptions{}.patience.user;
  std::uint32_t said = 0;
  for (std::uint32_t ticks = 0; ticks < remembered; ++ticks) {
    tick(one);
    said += sent<Register>() ? 1 : 0;
  }
  EXPECT_EQ(said, 4U);
}

TEST_F(OneServer, AMessageThatMakesNoSenseHereIsIgnored) {
  Server one = server(Scheduler::pdgdrf);
  for (const Message& message : {Message{Propose{}}, Message{ServerAnswer{}}, Message{ConfirmAnswer{}}})
    hear(one, 7, message);
  EXPECT_TRUE(effects.sends.empty());
  hear(one, kUser, Submit{.task = {.id = {kUser, 1}, .demand = {1, 1}}, .sequence = 1});
  EXPECT_EQ(one.utility(), -std::numeric_limits<double>::infinity()) << "a demand of two resources";
}

}  // namespace
}  // namespace mirab::overlay
