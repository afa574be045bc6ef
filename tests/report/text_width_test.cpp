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
