// What is in the repository must be of use on every machine.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace mirab::architecture {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const fs::path root = MIRAB_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

// Every file that people wrote: not what was built or fetched.
std::vector<fs::path> written_files() {
  static const std::set<std::string> made = {".git", "build", "install", "node_modules", ".cache"};
  std::vector<fs::path> files;
  for (auto walk = fs::recursive_directory_iterator(root); walk != fs::recursive_directory_iterator();
       ++walk) {
    if (made.contains(walk->path().filename().string())) {
      walk.disable_recursion_pending();
    } else if (walk->is_regular_file()) {
      files.push_back(walk->path());
    }
  }
  return files;
}

// Every (file, line) with a match, from the root.
std::vector<std::string> matches(const std::regex& pattern) {
  std::vector<std::string> found;
  for (const fs::path& file : written_files()) {
    std::istringstream lines(text_of(file));
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
      if (line.size() < 10'000 && std::regex_search(line, pattern)) {
        found.push_back(fs::relative(file, root).generic_string() + ":" + std::to_string(number));
      }
    }
  }
  return found;
}

TEST(Files, NoneNamesAPlaceOnOneMachine) {
  EXPECT_THAT(matches(std::regex("(^|[^[:alnum:]._/-])/(home|work|Users)/[[:alnum:]]")), IsEmpty());
}

TEST(Files, NoneNamesTheHostOfARegistry) {
  EXPECT_THAT(matches(std::regex("\"resolved\"[:]|registry[.](npm|yarn)|^ *registry *=")), IsEmpty());
}

TEST(Files, EveryCheckThatIsSwitchedOffHasItsReason) {
  const std::string text = text_of(root / ".clang-tidy");
  const auto checks = text.find("\nChecks:");
  ASSERT_NE(checks, std::string::npos);
  const std::regex off("\\s(-[a-z][a-z.-]+)(?=[,\\s])");
  const std::string list = text.substr(checks);
  int count = 0;
  for (std::sregex_iterator check(list.begin(), list.end(), off), end; check != end; ++check, ++count) {
    EXPECT_NE(text.find("# " + (*check)[1].str() + ": "), std::string::npos)
        << (*check)[1] << " has no reason";
  }
  EXPECT_GT(count, 0);
}

TEST(Files, TheHeaderForEverythingIncludesEveryPublicHeader) {
  const std::string everything = text_of(root / "include/mirab/mirab.hpp");
  for (const auto& entry : fs::recursive_directory_iterator(root / "include/mirab")) {
    if (!entry.is_regular_file() || entry.path().filename() == "mirab.hpp") continue;
    if (entry.path().extension() == ".h") continue;  // for C
    const std::string header = fs::relative(entry.path(), root / "include").generic_string();
    EXPECT_NE(everything.find("#include <" + header + ">"), std::string::npos) << header << " is left out";
  }
}

}  // namespace
}  // namespace mirab::architecture
