#include <gmock/gmock.h>

#include "overlay/said.hpp"
#include "overlay/user_state.hpp"

namespace mirab::overlay {
namespace {

using testing::SizeIs;

constexpr ProposalId kFirst{50, 1}, kUserTasksSecond{60, 1};

class BooksOfAUser : public testing::Test {
 protected:
  UserTasks tasks{7, 3};
  Effects effects;

  void place(NodeId host, ProposalId proposal) {
    tasks.next(effects);
    tasks.accept({}, host, proposal);
    EXPECT_TRUE(tasks.runs(host, tasks.number(), proposal, 0, effects));
  }
};

TEST_F(BooksOfAUser, NumberTasksFromOneAndEndWithTheLast) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(tasks.number(), number);
    place(1, {50, number});
  }
  EXPECT_FALSE(tasks.next(effects));
  EXPECT_EQ(tasks.placed(), 3U);
}

TEST_F(BooksOfAUser, OwedTasksComeFirstTheLowestNumberFirst) {
  place(1, kFirst);
  place(1, {50, 2});
  EXPECT_TRUE(tasks.gave_up(1, effects));
  EXPECT_EQ(tasks.owed(), 2U);
  EXPECT_TRUE(tasks.next(effects));
  EXPECT_EQ(tasks.present(), 1U);
}

TEST_F(BooksOfAUser, KnowWhereAnythingIs) {
  EXPECT_FALSE(tasks.on(1));
  tasks.next(effects);
  tasks.accept({}, 1, kFirst);
  EXPECT_TRUE(tasks.on(1));
  EXPECT_TRUE(tasks.gave_up(1, effects));
  EXPECT_FALSE(tasks.on(1));
  EXPECT_EQ(tasks.present(), 1U) << "it is wanted still";
}

TEST_F(BooksOfAUser, NewsOfAnotherProposalChangeNothing) {
  place(1, kFirst);
  EXPECT_FALSE(tasks.refused(1, 1, kUserTasksSecond, effects));
  EXPECT_FALSE(tasks.ended(2, 1, kFirst, effects));
  EXPECT_FALSE(tasks.runs(1, 1, kFirst, 0, effects));
  EXPECT_EQ(tasks.placed(), 1U);
}

TEST_F(BooksOfAUser, ATaskThatWasGivenUpAndHadEndedIsNotRunAgain) {
  place(1, kFirst);
  tasks.gave_up(1, effects);
  EXPECT_TRUE(tasks.ended(1, 1, kFirst, effects));
  EXPECT_EQ(tasks.owed(), 0U);
  EXPECT_EQ(tasks.number(), 2U);
  EXPECT_THAT(facts<Over>(effects), SizeIs(1));
}

TEST_F(BooksOfAUser, ATaskThatRunsElsewhereByNowIsNotOverWhenItsFirstRunHasEnded) {
  place(1, kFirst);
  tasks.gave_up(1, effects);
  place(2, kUserTasksSecond);
  EXPECT_FALSE(tasks.ended(1, 1, kFirst, effects));
  EXPECT_EQ(tasks.placed(), 1U);
}

TEST(BooksOfAUserDeathTest, NeverAcceptTwice) {
  UserTasks tasks(7, 3);
  Effects effects;
  tasks.next(effects);
  tasks.accept({}, 1, kFirst);
  EXPECT_DEATH(tasks.accept({}, 2, kUserTasksSecond), "one place at a time");
}

}  // namespace
}  // namespace mirab::overlay
