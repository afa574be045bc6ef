#include "report/text/table.hpp"

#include <gtest/gtest.h>

#include "report/text/width.hpp"

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

TEST(Table, BoldTextTakesAsMuchRoomAsPlain) {
  Table table;
  table.columns = {{}, {.align = Align::decimal}, {}};
  table.rows = {{{"a"}, {.text = "1.5", .bold = true}, {.text = "last", .bold = true}},
                {{"b"}, {"10"}, {"x"}}};
  EXPECT_EQ(render(table),
            "a   \x1b[1m1.5\x1b[22m  \x1b[1mlast\x1b[22m\n"
            "b  10    x\n");
  EXPECT_EQ(widest_line(render(table)), 13u);
}

// Names are cut no further than the width asks for, nor below their column's shortest; marks stay.
TEST(Table, NamesAreCutWhereTheTableIsTooWide) {
  Table table;
  table.columns = {{.shortest = 6}, {Align::right}};
  table.rows = {{{.text = "a-name-of-20-letters", .mark = " *"}, {"1"}}, {{"short"}, {"22"}}};
  EXPECT_EQ(render(table), "a-name-of-20-letters *   1\nshort                   22\n");
  EXPECT_EQ(render(table, 26), render(table));
  EXPECT_EQ(render(table, 20), "a-name-of-20-… *   1\nshort             22\n");
  EXPECT_EQ(render(table, 3), "a-n… *   1\nshort   22\n");
  table.columns[0].shortest = 0;
  EXPECT_EQ(widest_line(render(table, 3)), 26u);
}

}  // namespace
}  // namespace mirab::report
