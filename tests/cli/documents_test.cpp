// The documents that are made from the command line and the registry.

#include <gmock/gmock.h>
#include <sstream>
#include <string>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What bash offers when the tab key is pressed after these words, the last of which is being typed.
std::string completions(const std::string& words) {
  return shell("source <(mirab generate bash); compopt() { :; }; COMP_WORDS=(" + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mirab; printf '%s\\n' \"${COMPREPLY[@]}\"")
      .out;
}

TEST(Documents, TheManPageIsCleanForMandoc) {
  if (shell("command -v mandoc").status != 0) GTEST_SKIP() << "mandoc is not installed";
  const Ran ran = shell("mirab generate man | mandoc -Tlint -Wwarning");
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(Documents, TheManPageNamesEveryCommandAndOption) {
  const std::string page = shell("mirab generate man").out;
  for (const std::string word :
       {"mirab allocate", "mirab audit", "mirab explain", "mirab diff", "mirab fill", "mirab simulate",
        "mirab reproduce", "mirab import google2011", "mirab import openb", "mirab import swf",
        "\\-\\-sample\\-machines", "\\-\\-report", "EXIT STATUS"}) {
    EXPECT_THAT(page, HasSubstr(word));
  }
}

TEST(Documents, BashCompletesCommandsOptionsNamesAndFiles) {
  EXPECT_EQ(completions("mirab al"), "allocate\n");
  EXPECT_EQ(completions("mirab allocate --mech"), "--mechanism\n");
  EXPECT_EQ(completions("mirab allocate examples/slides.yaml -m ass"), "asset\n");
  EXPECT_EQ(completions("mirab allocate --fill drf/best"), "drf/best-fit\n");
  EXPECT_EQ(completions("mirab fill -d drf -p worst"), "worst-fit\n");
  EXPECT_EQ(completions("mirab fill --format = cs"), "csv\n");
  EXPECT_EQ(completions("mirab validate examples/slides.y"), "examples/slides.yaml\n");
  EXPECT_EQ(completions("mirab explain -m ass"), "asset\n");
  EXPECT_EQ(completions("mirab simulate examples/traffic-l"), "examples/traffic-liars.yaml\n");
  EXPECT_EQ(completions("mirab audit --properties env"), "envy-freeness\n");
  EXPECT_EQ(completions("mirab diff examples/slides.yaml examples/team-"), "examples/team-cluster.yaml\n");
  EXPECT_EQ(completions("mirab reproduce slides-ta"), "slides-table1\n");
  EXPECT_EQ(completions("mirab import go"), "google2011\n");
  EXPECT_EQ(completions("mirab import op"), "openb\n");
  EXPECT_EQ(completions("mirab import google2011 --sample-m"), "--sample-machines\n");
}

TEST(Documents, ZshAndFishReadTheirCompletions) {
  for (const std::string name : {"zsh", "fish"}) {
    EXPECT_THAT(shell("mirab generate " + name).out, HasSubstr("google2011"));
    if (shell("command -v " + name).status != 0) continue;
    const Ran ran = shell("mirab generate " + name + " | " + name + " -n");
    EXPECT_EQ(ran.status, 0) << ran.err;
  }
}

TEST(Documents, TheListOfMechanismsIsWhatTheProgramGenerates) {
  EXPECT_EQ(read_text(MIRAB_SOURCE_DIR "/docs/reference/mechanisms.md"),
            shell("mirab mechanisms --format markdown").out)
      << "bring it up to date with: mirab mechanisms --format markdown -o docs/reference/mechanisms.md";
}

TEST(Documents, TheSummaryOfReproductionsHasALineForEveryExperiment) {
  const std::string page = read_text(MIRAB_SOURCE_DIR "/docs/reference/reproduced.md");
  std::istringstream ids(shell("mirab reproduce --list --format csv | tail -n +2 | cut -d, -f1").out);
  for (std::string id; std::getline(ids, id);) {
    EXPECT_THAT(page, HasSubstr("\n| `" + id + "` | "))
        << "add its line: mirab reproduce " << id << " prints the verdict and the findings that hold";
  }
}

}  // namespace
}  // namespace mirab
