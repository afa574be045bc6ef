#include <gmock/gmock.h>

#include "lab/simulation/overlay/audit_ledger.hpp"
#include "simulation/overlay/small_roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::ProposalId;
using overlay::TaskId;
using testing::ElementsAre;
using testing::IsEmpty;

class BooksTest : public testing::Test {
 protected:
  void tell(overlay::NodeId node, const overlay::Fact& fact) { books.on_fact(now, node, fact, findings); }
  void start(overlay::NodeId server, const TaskId& task, std::uint64_t proposal) {
    tell(server, overlay::Held{task, ProposalId{1, proposal}});
    tell(server, overlay::Started{task, ProposalId{1, proposal}});
  }

  const Roster roster = small_roster();
  AuditLedger books{roster};
  ViolationLog findings;
  Time now = at_tick(1);
};

TEST_F(BooksTest, WhatIsHeldAndRunsIsNotFree) {
  tell(0, overlay::Held{{kAnna, 1}, {1, 1}});
  EXPECT_THAT(books.free(0), ElementsAre(2, 3));
  tell(0, overlay::Started{{kAnna, 1}, {1, 1}});
  EXPECT_THAT(books.free(0), ElementsAre(2, 3));
  tell(0, overlay::Stopped{{kAnna, 1}, {1, 1}, true});
  EXPECT_THAT(books.free(0), ElementsAre(4, 4));
  EXPECT_EQ(findings.count, 0);
}

TEST_F(BooksTest, AReservationThatIsGivenBackIsFree) {
  tell(0, overlay::Held{{kBen, 1}, {1, 1}});
  tell(0, overlay::GivenBack{{kBen, 1}, {1, 1}});
  EXPECT_THAT(books.free(0), ElementsAre(4, 4));
  EXPECT_THAT(books.held(), IsEmpty());
}

TEST_F(BooksTest, AServerThatTakesMoreThanItHasBreaksCapacity) {
  for (std::uint64_t number = 1; number <= 2; ++number) start(0, {kAnna, number}, number);
  EXPECT_EQ(findings.count, 0);
  start(0, {kAnna, 3}, 3);
  ASSERT_EQ(findings.count, 1);
  EXPECT_EQ(findings.first[0].promise, "capacity");
}

TEST_F(BooksTest, ATaskThatStartsTwiceBreaksOnePlace) {
  start(0, {kAnna, 1}, 1);
  start(1, {kAnna, 1}, 1);
  ASSERT_EQ(findings.count, 1);
  EXPECT_EQ(findings.first[0].promise, "one place");
  EXPECT_EQ(findings.first[0].what, "task 1 of user 2 starts on server 1 while it runs on server 0");
}

TEST_F(BooksTest, ATaskThatIsWantedStartsOrEndsAfterItsEndBreaksOnce) {
  tell(kAnna, overlay::Wanted{{kAnna, 1}});
  start(0, {kAnna, 1}, 1);
  tell(0, overlay::Stopped{{kAnna, 1}, {1, 1}, true});
  EXPECT_EQ(books.open(kAnna), 1U);
  tell(kAnna, overlay::Over{{kAnna, 1}});
  EXPECT_EQ(books.open(kAnna), 0U);
  EXPECT_EQ(findings.count, 0);
  tell(kAnna, overlay::Wanted{{kAnna, 1}});
  start(1, {kAnna, 1}, 1);
  tell(kAnna, overlay::Over{{kAnna, 1}});
  ASSERT_EQ(findings.count, 3);
  for (const Violation& violation : findings.first) EXPECT_EQ(violation.promise, "once");
  EXPECT_EQ(findings.first[1].what, "task 1 of user 2 starts on server 1 though its user took its end");
}

TEST_F(BooksTest, ATaskThatWasLostMayBeWantedAgain) {
  tell(kAnna, overlay::Wanted{{kAnna, 1}});
  tell(kAnna, overlay::Wanted{{kAnna, 2}});
  tell(kAnna, overlay::Lost{{kAnna, 1}});
  tell(kAnna, overlay::Wanted{{kAnna, 1}});
  EXPECT_EQ(findings.count, 0);
  EXPECT_EQ(books.open(kAnna), 2U);
}

TEST_F(BooksTest, ATaskMayRunElsewhereAfterItsServerLostItsMemory) {
  start(0, {kAnna, 1}, 1);
  books.on_lost_memory(now, 0);
  EXPECT_THAT(books.free(0), ElementsAre(4, 4));
  start(1, {kAnna, 1}, 1);
  EXPECT_EQ(findings.count, 0);
}

TEST_F(BooksTest, HostAndUserDisagreeUntilTheUserKnows) {
  start(0, {kAnna, 1}, 1);
  EXPECT_EQ(books.tasks().at({kAnna, 1}).disagreement, Disagreement::unknown);
  tell(kAnna, overlay::Known{{kAnna, 1}, 0});
  EXPECT_EQ(books.tasks().at({kAnna, 1}).disagreement, Disagreement::none);
  now = at_tick(9);
  tell(0, overlay::Stopped{{kAnna, 1}, {1, 1}, true});
  EXPECT_EQ(books.tasks().at({kAnna, 1}).disagreement, Disagreement::forgotten);
  EXPECT_EQ(books.tasks().at({kAnna, 1}).since, now);
  tell(kAnna, overlay::Over{{kAnna, 1}});
  EXPECT_THAT(books.tasks(), IsEmpty());
}

TEST_F(BooksTest, WhatOutlivesItsLeaseIsStoppedAlsoWhileItsServerIsDown) {
  start(0, {kAnna, 1}, 1);
  start(0, {kBen, 1}, 2);
  tell(0, overlay::Leased{kAnna, at_tick(10)});
  tell(0, overlay::Leased{kBen, at_tick(30)});
  EXPECT_THAT(books.expire(at_tick(9)), IsEmpty());
  EXPECT_THAT(books.expire(at_tick(10)), ElementsAre(TaskId{kAnna, 1}));
  start(1, {kAnna, 1}, 1);
  EXPECT_EQ(findings.count, 0);
  EXPECT_THAT(books.free(0), ElementsAre(1, 1)) << "the server has not said that it is free";
}

TEST_F(BooksTest, ALeaseThatWasRenewedRunsOn) {
  start(0, {kAnna, 1}, 1);
  tell(0, overlay::Leased{kAnna, at_tick(10)});
  tell(0, overlay::Leased{kAnna, at_tick(20)});
  EXPECT_THAT(books.expire(at_tick(15)), IsEmpty());
  EXPECT_THAT(books.expire(at_tick(20)), ElementsAre(TaskId{kAnna, 1}));
}

}  // namespace
}  // namespace mirab::simulation
