// Scripted facts: what is due by when.
#include "lab/simulation/overlay/promises.hpp"

#include <gtest/gtest.h>

#include "simulation/overlay/small_roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::ProposalId;
using overlay::TaskId;

constexpr TaskId kTask{kAnna, 1};
constexpr ProposalId kProposal{1, 1};

class PromisesTest : public testing::Test {
 protected:
  PromisesTest() {
    rules.scheduler = overlay::Scheduler::pdgdrf;
    rules.options.patience = {.again = 4, .held = 16, .walk = 60, .home = 16, .user = 60, .lease = 0};
    scenario.wire.skew = {};
  }
  Promises& promises() {
    if (!made) {
      made.emplace(
          roster, rules, scenario, Time{},
          NodeInspector{.view = [&](NodeId) { return std::span<const overlay::Descriptor>{}; },
                        .free = [&](NodeId server) { return std::span<const std::int64_t>(free[server]); },
                        .want = [&](NodeId) { return want; }});
      for (NodeId server = 0; server < 2; ++server) made->on_server_event({}, server, ServerEvent::started);
    }
    return *made;
  }
  void tell(std::int64_t tick, NodeId node, const overlay::Fact& fact) {
    promises().on_fact(at_tick(tick), node, fact);
  }
  void start(std::int64_t tick) {
    tell(tick, 0, overlay::Held{kTask, kProposal});
    tell(tick, 0, overlay::Started{kTask, kProposal});
    free[0] = {2, 3};
  }
  void start_and_tell_its_user(std::int64_t tick) {
    start(tick);
    tell(tick + 1, kAnna, overlay::Known{kTask, 0});
  }
  /// The promises that are broken until that tick.
  std::vector<std::string> until(std::int64_t tick) {
    for (; ticked <= tick; ++ticked) promises().after_event(at_tick(ticked), kBen);
    std::vector<std::string> broken;
    for (const Violation& violation : promises().findings().first) broken.push_back(violation.promise);
    return broken;
  }
  static std::vector<std::string> only(const char* promise) { return {promise}; }
  static constexpr std::int64_t kAgreed = 3 * 4 + 16 + 80;

  const Roster roster = small_roster();
  OverlayRules rules;
  OverlayScenario scenario;
  std::vector<overlay::Amounts> free = roster.capacity;
  Want want;
  std::optional<Promises> made;
  std::int64_t ticked = 0;
};

TEST_F(PromisesTest, AReservationThatIsHeldForTooLongIsALeak) {
  tell(10, 0, overlay::Held{kTask, kProposal});
  EXPECT_TRUE(until(10 + 17).empty());
  EXPECT_EQ(until(10 + 18), only("no leak"));
}

TEST_F(PromisesTest, AReservationCountsFromWhenItWasProposedLast) {
  tell(10, 0, overlay::Held{kTask, kProposal});
  tell(20, 0, overlay::Prolonged{kTask, kProposal});
  EXPECT_TRUE(until(20 + 17).empty());
  EXPECT_EQ(until(20 + 18), only("no leak"));
}

TEST_F(PromisesTest, AReservationThatIsGivenBackInTimeIsNot) {
  tell(10, 0, overlay::Held{kTask, kProposal});
  tell(26, 0, overlay::GivenBack{kTask, kProposal});
  EXPECT_TRUE(until(100).empty());
}

TEST_F(PromisesTest, AServerThatWasDownHasTimeAgain) {
  tell(10, 0, overlay::Held{kTask, kProposal});
  promises().on_server_event(at_tick(12), 0, ServerEvent::silenced);
  EXPECT_TRUE(until(99).empty());
  promises().on_server_event(at_tick(100), 0, ServerEvent::started);
  EXPECT_TRUE(until(117).empty());
  EXPECT_EQ(until(118), only("no leak"));
}

TEST_F(PromisesTest, ASlowServerHasMoreTime) {
  scenario.faults.slow = {{.to = at_tick(9) - Time{}, .node = 0, .factor = 3}};
  tell(10, 0, overlay::Held{kTask, kProposal});
  EXPECT_TRUE(until(10 + 53).empty());
  EXPECT_EQ(until(10 + 54), only("no leak"));
}

TEST_F(PromisesTest, ATaskThatNoUserKnowsOfIsALeak) {
  start(10);
  EXPECT_TRUE(until(10 + kAgreed - 1).empty());
  EXPECT_EQ(until(10 + kAgreed), only("no leak"));
}

TEST_F(PromisesTest, UntilTheLastFaultNobodyNeedsToKnow) {
  scenario.faults.until = at_tick(500) - Time{};
  start(10);
  EXPECT_TRUE(until(500 + kAgreed - 1).empty());
  EXPECT_EQ(until(500 + kAgreed), only("no leak"));
}

TEST_F(PromisesTest, ATaskThatItsUserWasToldRunsIsNotForgotten) {
  start_and_tell_its_user(10);
  EXPECT_TRUE(until(299).empty());
  tell(300, 0, overlay::Stopped{kTask, kProposal, true});
  EXPECT_TRUE(until(300 + kAgreed - 1).empty());
  EXPECT_EQ(until(300 + kAgreed), only("not forgotten"));
}

TEST_F(PromisesTest, ATaskWhoseEndIsKnownIsNotForgotten) {
  start_and_tell_its_user(10);
  tell(300, 0, overlay::Stopped{kTask, kProposal, true});
  tell(310, kAnna, overlay::Over{kTask});
  EXPECT_TRUE(until(900).empty());
}

TEST_F(PromisesTest, ATaskThatIsSubmittedAgainIsNotForgotten) {
  rules.options.patience.lease = 40;
  start_and_tell_its_user(10);
  promises().on_server_event(at_tick(300), 0, ServerEvent::died);
  promises().on_server_event(at_tick(310), 0, ServerEvent::started);
  tell(320, kAnna, overlay::Lost{kTask});
  EXPECT_TRUE(until(900).empty());
}

TEST_F(PromisesTest, WithoutALeaseAUserNeverHearsOfWhatDied) {
  start_and_tell_its_user(10);
  promises().on_server_event(at_tick(20), 0, ServerEvent::died);
  EXPECT_TRUE(until(900).empty());
}

TEST_F(PromisesTest, WithALeaseItGivesUpAServerThatNeverComesBack) {
  rules.options.patience.lease = 40;
  start_and_tell_its_user(10);
  promises().on_server_event(at_tick(20), 0, ServerEvent::died);
  EXPECT_TRUE(until(20 + kAgreed + 90 - 1).empty());
  EXPECT_EQ(until(20 + kAgreed + 90), only("not forgotten"));
}

TEST_F(PromisesTest, AServerThatMiscountsItsRoomBreaksCapacity) {
  start(10);
  free[0] = {4, 4};
  promises().after_event(at_tick(10), 0);
  EXPECT_EQ(until(10), only("capacity"));
}

TEST_F(PromisesTest, AUserThatDropsWhatItOwesBreaksOnce) {
  tell(1, kBen, overlay::Wanted{{kBen, 1}});
  want.present = true;
  EXPECT_TRUE(until(5).empty());
  tell(6, kBen, overlay::Lost{{kBen, 1}});
  want = {.owed = 1};
  EXPECT_TRUE(until(6).empty());
  want.owed = 0;
  EXPECT_EQ(until(7), only("once"));
}

TEST_F(PromisesTest, NobodyIsPlacedThoughThePoorestFitsBreaksLiveness) {
  want.present = true;
  tell(0, kBen, overlay::Wanted{{kBen, 1}});
  constexpr std::int64_t kPlacement = 60 + 60 + 16 + 8 * 16 + 2 * 50 + 3 * 4;
  EXPECT_TRUE(until(kPlacement).empty());
  EXPECT_EQ(until(kPlacement + 1), only("liveness"));
}

TEST_F(PromisesTest, APlacementNowAndThenIsAlive) {
  want.present = true;
  tell(0, kBen, overlay::Wanted{{kBen, 1}});
  for (std::int64_t tick = 0; tick < 2000; tick += 300) {
    tell(tick, kAnna, overlay::Known{kTask, 0});
    tell(tick, kAnna, overlay::Over{kTask});
    EXPECT_TRUE(until(tick + 300).empty());
  }
}

}  // namespace
}  // namespace mirab::simulation
