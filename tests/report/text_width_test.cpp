#include <gmock/gmock.h>

#include "report/text/width.hpp"

namespace mirab::report {
namespace {

TEST(TextWidth, CountsCellsAndNotBytes) {
  EXPECT_EQ(display_width("Gini β"), 6U);
  EXPECT_EQ(display_width("水"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(TextWidth, SurvivesBytesThatAreNotUtf8) {
  EXPECT_EQ(display_width("\xff\x80"), 2U);
  EXPECT_EQ(display_width("a\xe6"), 2U);  // a character cut off at the end
}

TEST(TextWidth, NamesThatWouldBeCutToTheSameTextAreCutInTheMiddle) {
  const std::vector<std::string> names = {"team-21/rs-team-21-1-7d9c5b6f4",
                                          "team-21/rs-team-21-1-7d9c5b6f4-2",
                                          "team-22/rs-team-22-1-7d9c5b6f4", "short"};
  const std::vector<std::string> cut = shorten_apart(names, 24);
  EXPECT_EQ(cut[0], "team-21/rs-…-1-7d9c5b6f4");
  EXPECT_EQ(cut[1], "team-21/rs-…-7d9c5b6f4-2");
  EXPECT_EQ(cut[2], "team-22/rs-team-22-1-7d…") << "as before";
  EXPECT_EQ(cut[3], "short");
  EXPECT_EQ(shorten_apart({names[0], names[0]}, 12)[0], "team-21/rs-…") << "the same name stays the same";
}

TEST(TextWidth, NamesThatDifferInTheMiddleStayApart) {
  const std::vector<std::string> cut =
      shorten_apart({"team-38/rs-team-38-250m-7d9c5b6f4-2", "team-38/rs-team-38-500m-7d9c5b6f4-2"}, 20);
  EXPECT_EQ(cut[0], "team…50m-7d9c5b6f4-2");
  EXPECT_EQ(cut[1], "team…00m-7d9c5b6f4-2");
  EXPECT_EQ(shorten_apart({"abcdefgh1xyzxyzxyz", "abcdefgh2xyzxyzxyz"}, 8)[0], "abc…zxyz")
      << "too narrow to tell them apart";
}

TEST(TextWidth, ShortensAtACharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde…");
  EXPECT_EQ(shorten("水水水", 4), "水…");
}

TEST(TextWidth, ControlCharactersAreNotPrintable) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a?[31m??");
  EXPECT_EQ(printable("\u009b31m β 水"), "?31m β 水");
  EXPECT_EQ(printable("\u0080\u009f\u00a0"), "??\u00a0");
  EXPECT_EQ(printable("a\u202Eb\u2066c\u200Fd\u2028e"), "a?b?c?d?e");  // they would turn or break the line
}

TEST(TextWidth, WrapsAtBlanks) {
  EXPECT_THAT(wrap("one two  three", 7), ::testing::ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("incomprehensible a", 5), ::testing::ElementsAre("incomprehensible", "a"));
  EXPECT_THAT(wrap("", 5), ::testing::IsEmpty());
}

}  // namespace
}  // namespace mirab::report
