#include <gmock/gmock.h>

#include "lab/traces/csv.hpp"
#include "support/files.hpp"

namespace mirab::traces {
namespace {

constexpr Column first{0, "first"};
constexpr Column second{1, "second"};

const std::string file = "t.csv";

Row row_of(std::string_view line) { return *Row::cut(line, {2, "a table"}, file, 7); }

std::string whole_error(std::string_view line) { return describe(row_of(line).whole(second).error()); }
std::string amount_error(std::string_view line) { return describe(row_of(line).amount(second).error()); }

TEST(Row, IsCutAtItsCommas) {
  EXPECT_EQ(row_of("ab,c").text(first), "ab");
  EXPECT_EQ(row_of("ab,c").text(second), "c");
  EXPECT_EQ(row_of(",").text(first), "");
  EXPECT_EQ(row_of("a,").text(second), "");
}

TEST(Row, TooFewAndTooManyColumnsAreErrors) {
  EXPECT_EQ(describe(Row::cut("a", {2, "a table"}, file, 7).error()),
            "t.csv:7: 1 column instead of the 2 of a table");
  EXPECT_EQ(describe(Row::cut("a,b,c", {2, "a table"}, file, 7).error()),
            "t.csv:7: 3 columns instead of the 2 of a table");
}

TEST(Row, WholeNumbersAreReadUpTo64Bits) {
  EXPECT_EQ(*row_of(",0").whole(second), 0u);
  EXPECT_EQ(*row_of(",18446744073709551615").whole(second), UINT64_MAX);
  EXPECT_EQ(whole_error(",18446744073709551616"),
            "t.csv:7: second: \"18446744073709551616\" is larger than 2^64 - 1");
}

TEST(Row, WhatIsNoWholeNumberIsAnError) {
  for (const std::string_view bad : {",", ",-1", ",+1", ", 1", ",1.5", ",1e3", ",x"}) {
    EXPECT_EQ(whole_error(bad),
              "t.csv:7: second: \"" + std::string(bad.substr(1)) + "\" is not a whole number from 0");
  }
}

TEST(Row, AmountsAreExact) {
  EXPECT_EQ(**row_of(",0.2493").amount(second), *Quantity::parse("0.2493"));
  EXPECT_EQ((**row_of(",0.2493").amount(second)).digits(), 2493);
  EXPECT_EQ((**row_of(",1.526e-05").amount(second)).digits(), 1526);
  EXPECT_EQ((**row_of(",1.526e-05").amount(second)).exponent(), -8);
  EXPECT_TRUE((**row_of(",0").amount(second)).is_zero());
}

TEST(Row, AnEmptyFieldHasNoAmount) { EXPECT_EQ(*row_of("a,").amount(second), std::nullopt); }

TEST(Row, WhatIsNoPlainNumberIsAnError) {
  for (const std::string_view bad : {",abc", ",0.5x", ",500m", ",5E", ",64Gi", ", 1", ",0x10", ",1 "}) {
    EXPECT_EQ(amount_error(bad), "t.csv:7: second: \"" + std::string(bad.substr(1)) + "\" is not a number");
  }
}

TEST(Row, NegativeAndNonFiniteAmountsAreErrors) {
  for (const std::string_view bad : {",-0.5", ",inf", ",nan", ",1e400"}) {
    EXPECT_THAT(amount_error(bad),
                ::testing::MatchesRegex("t.csv:7: second: '" + std::string(bad.substr(1)) + "' [^'\"]*"));
  }
}

TEST(ReadRows, AnErrorOfAVisitEndsTheReading) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", "1,a\n2,b\n3,c\n");
  int visits = 0;
  const auto visit = [&](const Row& row) -> Check {
    if (++visits == 2) return row.error(second, "is not wanted");
    return std::nullopt;
  };
  const Check failed =
      read_rows(path, {.columns = 2, .name = "a list (n,word)"}, visit, [](std::uint64_t) {});
  ASSERT_TRUE(failed);
  EXPECT_EQ(describe(*failed), path + ":2: second: \"b\" is not wanted");
  EXPECT_EQ(visits, 2);
}

TEST(ReadRows, AnEmptyFileIsAnError) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.write("empty.csv", ""), folder.write_gzip("empty.csv.gz", "")}) {
    const Check failed = read_rows(
        path, {.columns = 2, .name = "a list (n,word)"}, [](const Row&) { return Check(); },
        [](std::uint64_t) {});
    ASSERT_TRUE(failed);
    EXPECT_EQ(describe(*failed), path + ": the file is empty");
  }
}

}  // namespace
}  // namespace mirab::traces
