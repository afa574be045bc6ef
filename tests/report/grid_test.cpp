#include <gtest/gtest.h>

#include "report/text/table.hpp"
#include "report/text/width.hpp"

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

TEST(Grid, ABoldCellIsBoldInEachOfItsLinesAndInItsBlock) {
  EXPECT_EQ(grid({"name", "words", "n"}, {{"a", "three four five", "1"}, {"b", "six", "2"}}, 16,
                 {{false, true, false}, {false, false, true}}),
            "name  words\n"
            "────────────────\n"
            "a     \x1b[1mthree four\x1b[22m\n"
            "      \x1b[1mfive\x1b[22m\n"
            "b     six\n"
            "\n"
            "name  n\n"
            "───────\n"
            "a     1\n"
            "b     \x1b[1m2\x1b[22m\n");
}

TEST(Grid, KeepsToTheWidthWhereItCan) {
  const std::string words(200, 'x');
  std::string sentence;
  for (int i = 0; i < 40; ++i) sentence += "word ";
  EXPECT_LE(widest_line(grid({"a", "b", "c"}, {{"1", sentence, sentence}}, 80)), 80u);
  EXPECT_GT(widest_line(grid({"a", "b"}, {{"1", words}}, 80)), 80u) << "a word is not broken";
}

TEST(Grid, WhatIsTooWideGoesIntoSeveralTablesEachWithTheFirstColumn) {
  EXPECT_EQ(grid({"load", "pf", "drf", "asset"}, {{"0.5", "0.51 ± 0.01", "0.42 ± 0.02", "0.4"}}, 31),
            "load  pf           drf\n"
            "──────────────────────────────\n"
            " 0.5  0.51 ± 0.01  0.42 ± 0.02\n"
            "\n"
            "load  asset\n"
            "───────────\n"
            " 0.5    0.4\n");
}

TEST(Grid, NumbersAreNotBrokenAndTheirHeadingIs) {
  EXPECT_EQ(grid({"x", "moving average of it"}, {{"1", "0.51 ± 0.01"}}, 16),
            "x  moving\n"
            "   average of it\n"
            "────────────────\n"
            "1  0.51 ± 0.01\n");
}

TEST(Grid, ARowMayBeShorterThanTheHeading) { EXPECT_EQ(grid({"a", "b"}, {{"x"}}, 100), "a  b\n────\nx\n"); }

}  // namespace
}  // namespace mirab::report
