// Structs of the C API that grow: callers and libraries of different versions understand each other.
#include <gtest/gtest.h>

#include "c_api/boundary.hpp"

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

}  // namespace
