#include <gtest/gtest.h>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {
namespace {

TEST(ShortNames, AreThePrefixAndEightCharacters) {
  ShortNames names;
  EXPECT_EQ(names.name("u-", "70s3v5qRyCO/1PCdI6fVXnrW8FU/w+5CKRSa72xgcIo="), "u-70s3v5qR");
}

TEST(ShortNames, GrowUntilTheyDiffer) {
  ShortNames names;
  EXPECT_EQ(names.name("u-", "abcdefghij"), "u-abcdefgh");
  EXPECT_EQ(names.name("u-", "abcdefghik"), "u-abcdefghi");
  EXPECT_EQ(names.name("u-", "abcdefghil"), "u-abcdefghil");
}

TEST(ShortNames, AreNumberedWhenTheWholeHashIsTaken) {
  ShortNames names;
  EXPECT_EQ(names.name("u-", "a/b"), "u-a_b");
  EXPECT_EQ(names.name("u-", "a:b"), "u-a_b-2");
  EXPECT_EQ(names.name("u-", "a b="), "u-a_b-3");
}

TEST(ShortNames, HoldOnlyLettersDigitsDashesAndUnderscores) {
  ShortNames names;
  EXPECT_EQ(names.name("u-", "a+b/c:d#"), "u-a-b_c_d_");
  EXPECT_EQ(names.name("u-", "\xC3\xA9t\n"), "u-__t_");
}

}  // namespace
}  // namespace mirab::traces
