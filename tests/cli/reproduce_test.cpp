// `mirab reproduce`: what is chosen, how it is shown, and that the same seed gives the same bytes.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ids_of(const json& rows) {
  std::vector<std::string> ids;
  for (const json& row : rows) ids.push_back(row["id"]);
  return ids;
}

TEST(Reproduce, ListsWhatThereIsAndRunsNothing) {
  const Ran ran = shell("mirab reproduce --list 'slides-*' --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ids_of(json::parse(ran.out)["experiments"]),
              ElementsAre("slides-table1", "slides-comparison", "slides-properties", "slides-two-servers"));
  EXPECT_THAT(shell("mirab reproduce --list").out, HasSubstr("slides-table1"));
}

TEST(Reproduce, LaysThePrintedNumbersBesideOurs) {
  const Ran ran = shell("mirab reproduce slides-table1 --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out)["results"][0];
  EXPECT_EQ(result["verdict"], "agrees");
  EXPECT_EQ(result["data"], "as published");
  const json last = result["checks"].back();
  EXPECT_EQ(last["what"], "step 5: RAM allocated");
  EXPECT_NEAR(last["printed"].get<double>(), 14.0 / 18, 1e-12);
  EXPECT_NEAR(last["ours"].get<double>(), 14.0 / 18, 1e-12);
  EXPECT_TRUE(last["holds"].get<bool>());
}

TEST(Reproduce, WritesTheListInEveryFormat) {
  for (const std::string format : {"table", "json", "csv", "markdown"})
    EXPECT_THAT(shell("mirab reproduce --list --format " + format).out, HasSubstr("psdsf-fig1")) << format;
}

// Of what is drawn at random, too: the counterexamples of psdsf-table1.
TEST(Reproduce, TheSameSeedGivesTheSameBytesWithAnyNumberOfThreads) {
  for (const std::string format : {"table", "json", "csv", "markdown"}) {
    const std::string line = "mirab reproduce psdsf-table1 'slides-*' --quick --seed 3 --format " + format;
    const Ran one = shell(line);
    ASSERT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(one.out, shell(line + " --threads 3").out) << format;
  }
}

TEST(Reproduce, TellsTimesWhenAskedFor) {
  const json told = json::parse(shell("mirab reproduce slides-table1 --times --format json").out);
  EXPECT_GT(told["results"][0]["seconds"], 0);
  EXPECT_THAT(shell("mirab reproduce slides-table1 --times").out, HasSubstr("time"));
}

TEST(Reproduce, WritesAPageThatHoldsTheResult) {
  const TemporaryFolder folder;
  const Ran ran = shell("mirab reproduce slides-table1 --report " + folder.path("page.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(read_text(folder.path("page.html")), HasSubstr("\"id\":\"slides-table1\""));
  EXPECT_THAT(ran.out, HasSubstr("verdict: agrees"));
}

TEST(Reproduce, WritesTheFiguresBesideTheMarkdownPage) {
  const TemporaryFolder folder;
  const Ran ran = shell("cd " + folder.path("") +
                        " && mkdir docs && mirab reproduce slides-table1 --format markdown -o "
                        "docs/page.md --images docs/images/all");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(read_text(folder.path("docs/page.md")), HasSubstr("](images/all/slides-table1.svg)"));
  EXPECT_THAT(shell("cat " + folder.path("docs/images/all/slides-table1.svg")).out, HasSubstr("</svg>"));
}

TEST(Reproduce, ShowsNoProgressWhereNobodySeesIt) {
  EXPECT_THAT(shell("mirab reproduce psdsf-table1 --quick").err, IsEmpty());
}

}  // namespace
}  // namespace mirab
