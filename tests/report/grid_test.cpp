#include "report/grid.hpp"

#include <gmock/gmock.h>

#include "report/text_width.hpp"

namespace mirab::report {
namespace {

TEST(Grid, LinesUpWordsOnTheLeftAndNumbersOnTheirPoints) {
  EXPECT_EQ(grid({"finding", "printed", "ours"}, {{"tasks of A", "2.52", "2.5199"}, {"B", "–", "12"}}, 100),
            "finding     printed     ours\n"
            "────────────────────────────\n"
            "tasks of A     2.52   2.5199\n"
            "B                 –  12\n");
}

TEST(Grid, BreaksTheWidestColumnAtBlanksWhereItIsTooWide) {
  EXPECT_EQ(grid({"name", "words"}, {{"a", "one two three four five"}, {"b", "six"}}, 20),
            "name  words\n"
            "───────────────────\n"
            "a     one two three\n"
            "      four five\n"
            "b     six\n");
}

TEST(Grid, KeepsToTheWidthWhereItCan) {
  const std::string words(200, 'x');
  std::string sentence;
  for (int i = 0; i < 40; ++i) sentence += "word ";
  EXPECT_LE(widest_line(grid({"a", "b", "c"}, {{"1", sentence, sentence}}, 80)), 80u);
  EXPECT_GT(widest_line(grid({"a", "b"}, {{"1", words}}, 80)), 80u) << "a word is not broken";
}

TEST(Grid, ARowMayBeShorterThanTheHeading) { EXPECT_EQ(grid({"a", "b"}, {{"x"}}, 100), "a  b\n────\nx\n"); }

}  // namespace
}  // namespace mirab::report
