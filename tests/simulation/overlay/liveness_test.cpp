#include <gmock/gmock.h>

#include "lab/simulation/overlay/promises.hpp"
#include "simulation/overlay/small_roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::Idle;
using overlay::Scheduler;
using testing::ElementsAre;
using testing::IsEmpty;

class LivenessTest : public testing::Test {
 protected:
  std::vector<overlay::NodeId> who(Scheduler scheduler = Scheduler::pdgdrf, Idle idle = Idle::block) const {
    return promised(books, roster, wants, here, scheduler, idle);
  }
  /// Room for one task of Ben's is left, on server 1.
  void fill() {
    ViolationLog findings;
    for (std::uint64_t number = 1; number <= 3; ++number)
      books.on_fact({}, number == 1 ? 1U : 0U, overlay::Started{{kAnna, number}, {1, number}}, findings);
    books.on_fact({}, 1, overlay::Started{{kBen, 1}, {1, 9}}, findings);
  }

  static Roster roster_with_more_memory() {
    Roster roster = small_roster();
    roster.capacity[1] = {4, 5};
    return roster;
  }

  const Roster roster = roster_with_more_memory();
  AuditLedger books{roster};
  std::vector<Want> wants = {{.present = true, .running = 2}, {.present = true, .running = 1}};
  std::vector<bool> here = {true, true};
};

TEST_F(LivenessTest, ThePoorestGetsAPlace) { EXPECT_THAT(who(), ElementsAre(kBen)); }

TEST_F(LivenessTest, OfSeveralPoorestAllMustFit) {
  wants[0].running = 1;
  EXPECT_THAT(who(), ElementsAre(kAnna, kBen));
  fill();
  EXPECT_THAT(who(), IsEmpty()) << "Anna's task, of two cores, fits nowhere, and may be the first";
}

TEST_F(LivenessTest, NothingIsPromisedWhileThePoorestIsIdleUnlessItIsSkipped) {
  wants[1].present = false;
  EXPECT_THAT(who(), IsEmpty());
  EXPECT_THAT(who(Scheduler::pdgdrf, Idle::skip), ElementsAre(kAnna));
}

TEST_F(LivenessTest, NothingIsPromisedOnServersThatAreNotHere) {
  fill();
  EXPECT_THAT(who(), ElementsAre(kBen));
  here[1] = false;
  EXPECT_THAT(who(), IsEmpty());
}

TEST_F(LivenessTest, InAFifoAllWhoWaitMustFit) {
  EXPECT_THAT(who(Scheduler::centralised_fifo), ElementsAre(kAnna, kBen));
  fill();
  EXPECT_THAT(who(Scheduler::centralised_fifo), IsEmpty());
}

bool live(Scheduler scheduler, const Faults& faults = {}, const overlay::OverlayOptions& options = {}) {
  return is_live({.scheduler = scheduler, .options = options}, faults);
}

TEST(Liveness, IsNotPromisedWhereATaskMayNotFindItsServer) {
  EXPECT_TRUE(live(Scheduler::dgdrf));
  EXPECT_FALSE(live(Scheduler::probes));
  overlay::OverlayOptions options;
  options.stuck = overlay::Stuck::leave;
  EXPECT_FALSE(live(Scheduler::dgdrf, {}, options));
}

TEST(Liveness, NeedsALeaseWhereAServerNeverComesBack) {
  Faults faults;
  faults.crashes = {{.at = std::chrono::seconds(1), .node = 0}};
  EXPECT_FALSE(live(Scheduler::dgdrf, faults));
  overlay::OverlayOptions options;
  options.patience.lease = 40;
  EXPECT_TRUE(live(Scheduler::dgdrf, faults, options));
  EXPECT_FALSE(live(Scheduler::ddrf_random, faults, options)) << "its neighbours wait for it";
}

TEST(Liveness, IsNotPromisedWhereAFixedNeighbourLeaves) {
  Faults faults;
  faults.leaves = {{.at = std::chrono::seconds(1), .node = 0}};
  EXPECT_FALSE(live(Scheduler::ddrf_gradient, faults));
  EXPECT_TRUE(live(Scheduler::pdgdrf, faults));
}

}  // namespace
}  // namespace mirab::simulation
