// The documents that are made from the command line and the registry.

#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What bash offers when the tab key is pressed after these words, the last of which is being typed.
std::string completions(const std::string& words) {
  return shell("source <(mirab generate bash); compopt() { :; }; COMP_WORDS=(" + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mirab; printf '%s\\n' \"${COMPREPLY[@]}\"")
      .out;
}

/// The manual pages in a folder, by name.
std::map<std::string, std::string> manual_pages(const TemporaryFolder& folder) {
  EXPECT_EQ(shell("mirab generate man " + folder.path() + " /doc").status, 0);
  std::map<std::string, std::string> pages;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    pages.emplace(file.path().filename().string(), read_text(file.path().string()));
  return pages;
}

TEST(Documents, EveryManualPageIsCleanForMandocAndGroff) {
  const TemporaryFolder folder;
  const std::string all = folder.path() + "/*.[15]";
  ASSERT_FALSE(manual_pages(folder).empty());
  if (shell("command -v mandoc").status == 0) {
    EXPECT_THAT(shell("mandoc -Tlint -Wwarning " + all).out, IsEmpty());
  }
  if (shell("command -v man").status != 0) return;
  for (const std::string width : {"80", "160"}) {
    EXPECT_THAT(shell("for page in " + all + "; do MANWIDTH=" + width +
                      " man --warnings -l $page 2>&1 >/dev/null; done")
                    .out,
                IsEmpty());
  }
}

// At 80 columns nothing is hyphenated, and examples stand as they are typed.
TEST(Documents, AManualPageCanBeCopiedFrom) {
  if (shell("command -v man").status != 0) GTEST_SKIP() << "man is not installed";
  const TemporaryFolder folder;
  ASSERT_FALSE(manual_pages(folder).empty());
  const std::string shown = shell("MANWIDTH=80 man -l " + folder.path() + "/mirab-simulate.1 | cat").out;
  EXPECT_THAT(shown, HasSubstr("\n           mirab simulate --search --seeds 10 --scheduler dgdrf\n"));
  EXPECT_THAT(shown, Not(HasSubstr("\u2010")));
  EXPECT_THAT(shown, HasSubstr("Does any fault break what DGDRF promises?\n"));
  EXPECT_THAT(shown, HasSubstr("--scheduler SCHEDULER\n"));
}

TEST(Documents, EveryCommandHasAManualPageWithItsOptions) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> pages = manual_pages(folder);
  for (const std::string name :
       {"allocate", "audit", "explain", "diff", "fill", "limits", "mechanisms", "reproduce", "simulate",
        "validate", "import-kubernetes", "import-google2011", "import-swf"}) {
    ASSERT_TRUE(pages.contains("mirab-" + name + ".1")) << name;
    for (const std::string section : {".SH EXIT STATUS", ".SH SEE ALSO", ".SH OPTIONS", ".SH SYNOPSIS"})
      EXPECT_THAT(pages.at("mirab-" + name + ".1"), HasSubstr(section)) << name;
  }
  EXPECT_THAT(pages.at("mirab-import-google2011.1"), HasSubstr("\\-\\-sample\\-machines"));
  EXPECT_THAT(pages.at("mirab-simulate.1"), HasSubstr("a search found a broken promise"));
  EXPECT_THAT(pages.at("mirab-mechanisms.1"), Not(HasSubstr("a search found a broken promise")));
  for (const std::string section : {".SH ENVIRONMENT", ".SH FILES", "mirab\\-import\\-slurm\\fR(1)"}) {
    const std::string& page = section.starts_with(".SH") ? pages.at("mirab.1") : pages.at("mirab-import.1");
    EXPECT_THAT(page, HasSubstr(section));
  }
}

TEST(Documents, TheManualPagesNameDocumentsThatExist) {
  const TemporaryFolder folder;
  std::size_t named = 0;
  static const std::regex kDocument(R"(/doc/((docs|examples)[^ ,\n]*)\\fR)");
  for (const auto& [name, page] : manual_pages(folder)) {
    const std::string plain = std::regex_replace(page, std::regex(R"(\\-)"), "-");
    for (std::sregex_iterator each(plain.begin(), plain.end(), kDocument), end; each != end; ++each, ++named)
      EXPECT_TRUE(std::filesystem::exists(MIRAB_SOURCE_DIR "/" + (*each)[1].str()))
          << name << " " << (*each)[1];
  }
  EXPECT_GT(named, 20U);
}

TEST(Documents, TheManualPageOfTheClusterFileHasEveryKeyOfTheSchemaWithItsMeaning) {
  const TemporaryFolder folder;
  const std::string page = manual_pages(folder).at("mirab-cluster.5");
  const auto schema = nlohmann::json::parse(read_text(MIRAB_SOURCE_DIR "/docs/schema/cluster.schema.json"));
  const auto expect_keys = [&](const nlohmann::json& object) {
    for (const auto& [key, property] : object.at("properties").items()) {
      EXPECT_THAT(page, HasSubstr(".TP\n\\fB" + key + "\\fR (")) << key;
      EXPECT_TRUE(property.contains("description")) << key;
    }
  };
  expect_keys(schema);
  for (const std::string name : {"server", "user", "shape", "group", "running"})
    expect_keys(schema.at("definitions").at(name));
}

TEST(Documents, BashCompletesCommandsOptionsNamesAndFiles) {
  EXPECT_EQ(completions("mirab al"), "allocate\n");
  EXPECT_EQ(completions("mirab allocate --mech"), "--mechanism\n");
  EXPECT_EQ(completions("mirab allocate examples/textbook.yaml -m ass"), "asset\n");
  EXPECT_EQ(completions("mirab allocate --fill drf/best"), "drf/best-fit\n");
  EXPECT_EQ(completions("mirab fill -d drf -p worst"), "worst-fit\n");
  EXPECT_EQ(completions("mirab fill --format = cs"), "csv\n");
  EXPECT_EQ(completions("mirab validate examples/textbook.y"), "examples/textbook.yaml\n");
  EXPECT_EQ(completions("mirab explain -m ass"), "asset\n");
  EXPECT_EQ(completions("mirab simulate examples/traffic-l"), "examples/traffic-liars.yaml\n");
  EXPECT_EQ(completions("mirab audit --properties env"), "envy-freeness\n");
  EXPECT_EQ(completions("mirab diff examples/textbook.yaml examples/team-"), "examples/team-cluster.yaml\n");
  EXPECT_EQ(completions("mirab reproduce slides-ta"), "slides-table1\n");
  EXPECT_EQ(completions("mirab import go"), "google2011\n");
  EXPECT_EQ(completions("mirab import op"), "openb\n");
  EXPECT_EQ(completions("mirab import google2011 --sample-m"), "--sample-machines\n");
  EXPECT_EQ(completions("mirab import kubernetes --li"), "--live\n");
  EXPECT_EQ(completions("mirab import kubernetes --kube"), "--kubeconfig\n");
  EXPECT_EQ(completions("mirab import kubernetes --kubeconfig examples/textbook.y"),
            "examples/textbook.yaml\n");
  EXPECT_EQ(completions("mirab import kubernetes --live --con"), "--context\n");
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
