// Structs of the C API that grow: callers and libraries of different versions understand each other.
#include <gtest/gtest.h>

#include "c_api/boundary.hpp"
#include "c_api/event_structs.hpp"

namespace {

using mirab::c_api::read_sized;
using mirab::c_api::write_sized;

/// As this version knows it; the first ended after `first`.
struct Grown {
  std::size_t size;
  int first;
  int second;
};

constexpr std::size_t kFirst = offsetof(Grown, first) + sizeof(Grown::first);

TEST(Sized, AMemberThatTheCallerDoesNotKnowIsReadAsZero) {
  const auto known = read_sized(Grown{.size = kFirst, .first = 3, .second = 9}, kFirst);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->first, 3);
  EXPECT_EQ(known->second, 0);
}

TEST(Sized, AllThatIsKnownIsReadFromACallerOfThisVersionAndOfALaterOne) {
  for (const std::size_t size : {sizeof(Grown), sizeof(Grown) + 100}) {
    const auto known = read_sized(Grown{.size = size, .first = 3, .second = 9}, kFirst);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->first, 3);
    EXPECT_EQ(known->second, 9);
  }
}

TEST(Sized, WhatIsSmallerThanTheFirstVersionIsNotRead) {
  EXPECT_FALSE(read_sized(Grown{.size = kFirst - 1, .first = 3, .second = 9}, kFirst));
  EXPECT_FALSE(read_sized(Grown{.size = 0, .first = 3, .second = 9}, kFirst));
}

TEST(Sized, NothingIsWrittenBeyondTheCallersStruct) {
  Grown older{.size = kFirst, .first = 0, .second = 7};
  write_sized(Grown{.size = 0, .first = 1, .second = 2}, older);
  EXPECT_EQ(older.first, 1);
  EXPECT_EQ(older.second, 7);
  EXPECT_EQ(older.size, kFirst);
}

TEST(Sized, ACallerOfALaterVersionIsToldAllThereIsAndKeepsItsSize) {
  Grown later{.size = sizeof(Grown) + 100, .first = 0, .second = 0};
  write_sized(Grown{.size = 0, .first = 1, .second = 2}, later);
  EXPECT_EQ(later.first, 1);
  EXPECT_EQ(later.second, 2);
  EXPECT_EQ(later.size, sizeof(Grown) + 100);
}

// The structs of events are read by the lists of their fields.

template <class Record, class Struct>
constexpr bool kHasItsLayout = mirab::c_api::layout_of<Record>(true).size() == sizeof(Struct);

TEST(EventStructs, HaveTheLayoutOfTheirLists) {
  using namespace mirab::scheduling;
  EXPECT_TRUE((kHasItsLayout<Spread, mirab_spread>));
  EXPECT_TRUE((kHasItsLayout<ServerAdded, mirab_server_added_event>));
  EXPECT_TRUE((kHasItsLayout<ServerChanged, mirab_server_changed_event>));
  EXPECT_TRUE((kHasItsLayout<ServerDrained, mirab_server_drained_event>));
  EXPECT_TRUE((kHasItsLayout<ServerReopened, mirab_server_reopened_event>));
  EXPECT_TRUE((kHasItsLayout<ServerRemoved, mirab_server_removed_event>));
  EXPECT_TRUE((kHasItsLayout<ServerFailed, mirab_server_failed_event>));
  EXPECT_TRUE((kHasItsLayout<UserAdded, mirab_user_added_event>));
  EXPECT_TRUE((kHasItsLayout<UserReweighted, mirab_user_reweighted_event>));
  EXPECT_TRUE((kHasItsLayout<UserRemoved, mirab_user_removed_event>));
  EXPECT_TRUE((kHasItsLayout<JobSubmitted, mirab_job_submitted_event>));
  EXPECT_TRUE((kHasItsLayout<JobCancelled, mirab_job_cancelled_event>));
  EXPECT_TRUE((kHasItsLayout<TaskFinished, mirab_task_finished_event>));
  EXPECT_TRUE((kHasItsLayout<TaskFailed, mirab_task_failed_event>));
  EXPECT_TRUE((kHasItsLayout<Rank, mirab_rank>));
  EXPECT_TRUE((kHasItsLayout<ServerHeld, mirab_server_held_event>));
  EXPECT_TRUE((kHasItsLayout<ServerRelabelled, mirab_server_relabelled_event>));
  EXPECT_TRUE((kHasItsLayout<SetChanged, mirab_set_changed_event>));
  EXPECT_TRUE((kHasItsLayout<TaskAdopted, mirab_task_adopted_event>));
}

}  // namespace
