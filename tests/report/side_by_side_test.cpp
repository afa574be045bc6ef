#include <gmock/gmock.h>

#include "report/simulation/series.hpp"
#include "report/text/table.hpp"

namespace mirab::report {
namespace {

using ::testing::ElementsAre;

SideBySide three() {
  SideBySide table("tasks", {{"drf", "best-fit"}, {"fifo"}, {"pf:", "alpha=2"}});
  table.add("finished", {"10", "9", "8"});
  table.add_rule();
  table.add("waiting", {"1 s", "2 s", "3 s"});
  return table;
}

TEST(SideBySide, ContendersStandInColumnsUnderLabelsOfSeveralLines) {
  EXPECT_EQ(three().text(100),
            "               drf  fifo      pf:\n"
            "tasks     best-fit        alpha=2\n"
            "─────────────────────────────────\n"
            "finished        10     9        8\n"
            "─────────────────────────────────\n"
            "waiting        1 s   2 s      3 s\n"
            "\n");
}

TEST(SideBySide, AreBrokenIntoBlocksThatKeepToTheWidth) {
  EXPECT_EQ(three().text(24),
            "               drf  fifo\n"
            "tasks     best-fit\n"
            "────────────────────────\n"
            "finished        10     9\n"
            "────────────────────────\n"
            "waiting        1 s   2 s\n"
            "\n"
            "              pf:\n"
            "tasks     alpha=2\n"
            "─────────────────\n"
            "finished        8\n"
            "─────────────────\n"
            "waiting       3 s\n"
            "\n");
}

TEST(SideBySide, AContenderThatIsTooWideHasABlockOfItsOwn) {
  const std::string text = three().text(1);
  EXPECT_NE(text.find("drf"), std::string::npos);
  EXPECT_NE(text.find("alpha=2"), std::string::npos);
}

TEST(LabelLines, AreBrokenAfterTheMarksOfAChoice) {
  EXPECT_THAT(label_lines("drf"), ElementsAre("drf"));
  EXPECT_THAT(label_lines("alpha-fair:alpha=2,yardstick=dominant"),
              ElementsAre("alpha-fair:", "alpha=2,", "yardstick=dominant"));
}

TEST(Thinned, KeepsEverySoManyAndTheLast) {
  EXPECT_EQ(thinned({0, 1, 2}, 3).dump(), "[0.0,1.0,2.0]");
  EXPECT_EQ(thinned({0, 1, 2, 3, 4}, 3).dump(), "[0.0,2.0,4.0]");
  EXPECT_EQ(thinned({0, 1, 2, 3, 4, 5}, 3).dump(), "[0.0,2.0,4.0,5.0]");
  EXPECT_EQ(thinned({}, 3).dump(), "[]");
}

}  // namespace
}  // namespace mirab::report
