#include "overlay/host.hpp"

#include <gmock/gmock.h>

#include "overlay/said.hpp"
#include "overlay/ticks.hpp"

namespace mirab::overlay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr NodeId kHostUser = 7, kHostOther = 8;

Task task(std::uint64_t number, std::int64_t cpu, int runtime = 0, NodeId user = kHostUser) {
  return {.id = {user, number}, .demand = {cpu, 1}, .runtime = runtime * kTick, .running = 0};
}

// A host of (10, 10) that holds for 40 ticks, says again after 10, and leases for 100 ticks.
class HostOf : public testing::Test {
 protected:
  Host host{{10, 10}, at(1), {.again = 10, .held = 40, .lease = 100}, kTick};
  Effects effects;

  ProposalId proposed(int tick, const Task& wanted) {
    effects = {};
    EXPECT_TRUE(host.propose(at(tick), wanted, effects));
    return said<Propose>(effects, wanted.id.user).at(0).proposal;
  }
  void hear(int tick, const Message& message, NodeId from = kHostUser) {
    effects = {};
    host.on_message(at(tick), from, message, effects);
  }
  void tick(int tick) {
    effects = {};
    host.on_tick(at(tick), effects);
  }
  ProposalId runs(int tick, const Task& wanted) {
    const ProposalId proposal = proposed(tick, wanted);
    hear(tick, Accept{wanted.id.number, proposal}, wanted.id.user);
    return proposal;
  }
};

TEST_F(HostOf, ATaskFitsWhenItsDemandIsAtMostWhatIsFree) {
  proposed(1, task(1, 6));
  EXPECT_TRUE(host.fits(Amounts{4, 9}));  // Table 3.1, step 7: exactly
  EXPECT_FALSE(host.fits(Amounts{5, 1}));
  EXPECT_FALSE(host.propose(at(1), task(2, 5), effects));
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
}

TEST_F(HostOf, DemandsThatMakeNoSenseFitNowhere) {
  EXPECT_FALSE(host.fits(Amounts{1}));
  EXPECT_FALSE(host.fits(Amounts{1, -1}));
}

TEST_F(HostOf, AReservationThatIsNotAnsweredIsGivenBackAndItsLateAcceptIsRefused) {
  const ProposalId proposal = proposed(1, task(1, 6));
  tick(40);
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
  tick(41);
  EXPECT_THAT(host.free(), ElementsAre(10, 10));
  EXPECT_THAT(facts<GivenBack>(effects), SizeIs(1));
  hear(42, Accept{1, proposal});
  EXPECT_THAT(said<Refused>(effects, kHostUser), ElementsAre(Refused{1, proposal}));
  EXPECT_THAT(facts<Started>(effects), IsEmpty());
}

TEST_F(HostOf, ARejectedReservationIsGivenBackAtOnce) {
  hear(2, Reject{1, proposed(1, task(1, 6))});
  EXPECT_THAT(host.free(), ElementsAre(10, 10));
}

TEST_F(HostOf, ALateRejectDoesNotStopATaskThatRuns) {
  const ProposalId proposal = runs(1, task(1, 6));
  hear(2, Reject{1, proposal});
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
  hear(3, Accept{1, proposal});
  EXPECT_THAT(said<Allocated>(effects, kHostUser), SizeIs(1));
}

TEST_F(HostOf, AnAcceptHeardTwiceStartsATaskOnceAndIsAnsweredTwice) {
  const ProposalId proposal = proposed(1, task(1, 6));
  hear(2, Accept{1, proposal});
  EXPECT_THAT(facts<Started>(effects), SizeIs(1));
  hear(3, Accept{1, proposal});
  EXPECT_THAT(facts<Started>(effects), IsEmpty());
  EXPECT_THAT(said<Allocated>(effects, kHostUser), SizeIs(1));
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
}

TEST_F(HostOf, OfATaskThatIsHeldTheProposalIsSaidAgain) {
  const ProposalId first = proposed(1, task(1, 6));
  EXPECT_EQ(proposed(2, task(1, 6)), first);
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
}

TEST_F(HostOf, OfATaskThatRunsItIsSaidThatItDoes) {
  const ProposalId proposal = runs(1, task(1, 6));
  effects = {};
  EXPECT_TRUE(host.propose(at(2), task(1, 6), effects));
  EXPECT_THAT(said<Allocated>(effects, kHostUser), ElementsAre(Allocated{1, proposal}));
}

TEST_F(HostOf, AHostThatLostItsMemoryRefusesWhatItProposedBeforeAndGivesNoNameTwice) {
  const ProposalId before = proposed(1, task(1, 6));
  host = Host({10, 10}, at(5), {}, kTick);
  EXPECT_NE(proposed(6, task(1, 6)), before);
  hear(6, Accept{1, before});
  EXPECT_THAT(said<Refused>(effects, kHostUser), ElementsAre(Refused{1, before}));
}

TEST_F(HostOf, SaysThatATaskEndedUntilItsUserHasSeenIt) {
  const ProposalId proposal = runs(1, task(1, 6, 20));
  tick(20);
  EXPECT_THAT(said<Ended>(effects, kHostUser), IsEmpty());
  tick(21);
  ASSERT_THAT(facts<Stopped>(effects), SizeIs(1));
  EXPECT_TRUE(facts<Stopped>(effects)[0].by_itself);
  EXPECT_THAT(host.free(), ElementsAre(10, 10));
  tick(31);
  EXPECT_THAT(said<Ended>(effects, kHostUser), ElementsAre(Ended{1, proposal}));
  hear(32, EndSeen{1, proposal});
  tick(60);
  EXPECT_THAT(said<Ended>(effects, kHostUser), IsEmpty());
}

// The wire takes run times up to 2^63 − 1 ns.
TEST_F(HostOf, ATaskOfTheLongestRunTimeDoesNotEnd) {
  Task wanted = task(1, 6);
  wanted.runtime = Duration::max();
  runs(1, wanted);
  EXPECT_THAT(said<Allocated>(effects, kHostUser), SizeIs(1));
  tick(2);
  EXPECT_THAT(said<Ended>(effects, kHostUser), IsEmpty());
}

TEST_F(HostOf, ListsTasksThatRunAndThoseWhoseEndWasNotSeen) {
  runs(1, task(1, 2, 20));
  runs(1, task(3, 2));
  runs(1, task(9, 2, 0, kHostOther));
  proposed(20, task(4, 2));
  hear(30, Renew{.round = 5});
  const std::vector<Running> answers = said<Running>(effects, kHostUser);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].round, 5U);
  EXPECT_EQ(answers[0].incarnation, static_cast<std::uint64_t>(at(1).time_since_epoch().count()));
  EXPECT_THAT(answers[0].numbers, ElementsAre(1, 3));
}

TEST_F(HostOf, ATaskStopsWhenItsUserWasSilentForALease) {
  runs(1, task(1, 6));
  EXPECT_EQ(facts<Leased>(effects).at(0).until, at(101));
  hear(50, Renew{.round = 1});
  EXPECT_EQ(facts<Leased>(effects).at(0).until, at(150));
  tick(149);
  EXPECT_THAT(host.free(), ElementsAre(4, 9));
  tick(150);
  ASSERT_THAT(facts<Stopped>(effects), SizeIs(1));
  EXPECT_FALSE(facts<Stopped>(effects)[0].by_itself);
  EXPECT_THAT(host.free(), ElementsAre(10, 10));
}

TEST_F(HostOf, ALeaseThatRanOutWhileTheServerWasDownIsOverBeforeAnythingIsAnswered) {
  const ProposalId proposal = runs(1, task(1, 6));
  hear(101, Renew{.round = 1});
  EXPECT_THAT(facts<Stopped>(effects), SizeIs(1));
  EXPECT_THAT(facts<Leased>(effects), IsEmpty());
  EXPECT_THAT(said<Running>(effects, kHostUser).at(0).numbers, IsEmpty());
  hear(101, Accept{1, proposal});
  EXPECT_THAT(said<Refused>(effects, kHostUser), SizeIs(1));
}

TEST_F(HostOf, ATaskThatEndedBeforeItsLeaseHasEndedByItselfHoweverLateTheServerWakes) {
  runs(1, task(1, 6, 50));
  tick(500);
  ASSERT_THAT(facts<Stopped>(effects), SizeIs(1));
  EXPECT_TRUE(facts<Stopped>(effects)[0].by_itself);
  EXPECT_THAT(said<Ended>(effects, kHostUser), SizeIs(1));
}

TEST_F(HostOf, TheLeaseOfOneUserDoesNotProlongAnothers) {
  runs(1, task(1, 3));
  runs(1, task(1, 3, 0, kHostOther));
  hear(90, Renew{.round = 1});
  tick(110);
  EXPECT_EQ(facts<Stopped>(effects).at(0).task.user, kHostOther);
  EXPECT_THAT(host.free(), ElementsAre(7, 9));
}

TEST_F(HostOf, AHostThatClosesGivesAllBackAndSaysSoUntilItWasSeen) {
  const ProposalId held = proposed(1, task(1, 3));
  const ProposalId running = runs(1, task(2, 3));
  effects = {};
  host.close(at(5), effects);
  EXPECT_THAT(host.free(), ElementsAre(10, 10));
  EXPECT_FALSE(host.fits(Amounts{1, 1}));
  EXPECT_THAT(said<Refused>(effects, kHostUser), ElementsAre(Refused{1, held}, Refused{2, running}));
  hear(6, EndSeen{1, held});
  tick(16);
  EXPECT_THAT(said<Refused>(effects, kHostUser), ElementsAre(Refused{2, running}));
  hear(17, Accept{2, running});
  EXPECT_THAT(said<Refused>(effects, kHostUser), ElementsAre(Refused{2, running}));
}

}  // namespace
}  // namespace mirab::overlay
