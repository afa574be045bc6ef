#include "report/text/table.hpp"

#include <gtest/gtest.h>

namespace mirab::report {
namespace {

TEST(Table, ColumnsAreAsWideAsTheirWidestCellAndLinesEndWithoutBlanks) {
  Table table;
  table.columns = {{Align::left}, {Align::right}, {Align::left}};
  table.rows = {{{"user"}, {"n"}, {"note"}}, {{"Ann"}, {"100"}, {""}}, {}, {{"B"}, {"2"}}};
  EXPECT_EQ(render(table),
            "user    n  note\n"
            "Ann   100\n"
            "\n"
            "B       2\n");
}

TEST(Table, WideAndCombiningCharactersLineUp) {
  Table table;
  table.columns = {{Align::left}, {Align::left}};
  table.rows = {{{"水守"}, {"x"}}, {{"Zoe\u0308"}, {"x"}}, {{"abcd"}, {"x"}}};
  EXPECT_EQ(render(table),
            "水守  x\n"
            "Zoe\u0308   x\n"
            "abcd  x\n");
}

TEST(Table, DecimalPointsLineUp) {
  Table table;
  table.columns = {{Align::left}, {Align::decimal}};
  table.rows = {{{"a"}, {"12.5"}}, {{"b"}, {"0"}}, {{"c"}, {"3.125"}}, {{"d"}, {"0%"}}};
  EXPECT_EQ(render(table),
            "a  12.5\n"
            "b   0\n"
            "c   3.125\n"
            "d   0%\n");
}

TEST(Table, ASpanningCellWidensWhatItCovers) {
  Table table;
  table.columns = {{Align::left}, {Align::right}, {Align::right, 1}};
  table.rows = {{{""}, {"long label", 2, Align::right}}, {{"a"}, {"1"}, {"2"}}};
  table.add_rule();
  EXPECT_EQ(render(table),
            "   long label\n"
            "a  1        2\n"
            "─────────────\n");
}

TEST(Table, ControlCharactersCannotReachTheTerminal) {
  Table table;
  table.columns = {{Align::left}};
  table.rows = {{{"a\x1b[31m\nb"}}};
  EXPECT_EQ(render(table), "a?[31m?b\n");
}

}  // namespace
}  // namespace mirab::report
