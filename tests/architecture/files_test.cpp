// What is in the repository must be of use on every machine, and in plain English.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
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

// Made by the program, from texts that are checked where they are written.
const std::vector<std::string> generated = {"docs/reference/mechanisms.md"};

constexpr std::array<std::string_view, 9> avoided = {"so many", "whoever", "anew",    "heed",    "heeds",
                                                     "heeded",  "is said", "is told", "for ever"};

constexpr std::size_t columns = 100;  // of a line of a document

bool begins_with_one_of(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& each) { return name.starts_with(each); });
}

/// A text without line breaks, in small letters, and the line of each letter.
struct Prose {
  std::string text;
  std::vector<int> line;
};

/// The prose of a file: without the marks of comments, and without the code blocks of a document.
Prose prose_of(const std::string& text, bool is_document) {
  Prose prose;
  bool is_code = false;
  int number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_document && line.starts_with("```")) is_code = !is_code;
    if (is_code) continue;
    const std::size_t first = line.find_first_not_of(" \t/*#>");
    if (first != std::string::npos) prose.text += line.substr(first);
    prose.text += ' ';
    prose.line.resize(prose.text.size(), number);
  }
  for (char& letter : prose.text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return prose;
}

bool is_whole_word(const std::string& text, std::size_t from, std::size_t length) {
  const auto is_of_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
  };
  return (from == 0 || !is_of_word(text[from - 1])) &&
         (from + length == text.size() || !is_of_word(text[from + length]));
}

/// file:line: word, for each word that is to be avoided.
std::vector<std::string> avoided_words(const std::string& name, const std::string& text) {
  const Prose prose = prose_of(text, name.ends_with(".md"));
  std::vector<std::string> found;
  for (const std::string_view word : avoided) {
    for (auto at = prose.text.find(word); at != std::string::npos; at = prose.text.find(word, at + 1)) {
      if (is_whole_word(prose.text, at, word.size()))
        found.push_back(name + ":" + std::to_string(prose.line[at]) + ": " + std::string(word));
    }
  }
  return found;
}

/// Letters of a line, without the targets of links.
std::size_t width_of(const std::string& line) {
  static const std::regex target(R"(\]\([^)]*\)|<?https?://[^ >]*>?)");
  const std::string shown = std::regex_replace(line, target, "");
  return static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;  // the first byte of a letter in UTF-8
  }));
}

/// file:line: columns, for each line of a document that is too long; tables and code may be.
std::vector<std::string> long_lines(const std::string& name, const std::string& text) {
  std::vector<std::string> found;
  bool is_code = false;
  int number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) is_code = !is_code;
    if (is_code || line.starts_with("|") || width_of(line) <= columns) continue;
    found.push_back(name + ":" + std::to_string(number) + ": " + std::to_string(width_of(line)) + " columns");
  }
  return found;
}

/// What `check` finds in all files with one of these endings.
template <class Check>
std::vector<std::string> found_in_prose(const std::set<std::string>& endings, Check check) {
  std::vector<std::string> found;
  for (const fs::path& file : written_files()) {
    const std::string name = fs::relative(file, root).generic_string();
    if (!endings.contains(file.extension().string()) || begins_with_one_of(name, generated) ||
        name == "tests/architecture/files_test.cpp")
      continue;
    const std::vector<std::string> here = check(name, text_of(file));
    found.insert(found.end(), here.begin(), here.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Files, NoneUsesAWordThatIsAvoided) {
  EXPECT_THAT(found_in_prose({".md", ".cpp", ".hpp", ".h", ".c", ".py", ".pyi", ".ts", ".mjs", ".cmake"},
                             avoided_words),
              IsEmpty())
      << "write plain English: see CONTRIBUTING.md";
}

/// file: document, for each document that the text names and that is not there.
std::vector<std::string> missing_documents(const std::string& name, const std::string& text) {
  static const std::regex document(R"(docs/[A-Za-z0-9_./-]+\.md)");
  std::vector<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), document); match != std::sregex_iterator();
       ++match) {
    const bool is_pattern = match->str().ends_with("/NAME.md");
    if (!is_pattern && !fs::exists(root / match->str())) found.push_back(name + ": " + match->str());
  }
  return found;
}

TEST(Files, EveryDocumentThatASourceNamesIsThere) {
  const auto of_sources = [](const std::string& name, const std::string& text) {
    const bool is_test = name.starts_with("tests/");  // which make documents of their own
    return is_test ? std::vector<std::string>() : missing_documents(name, text);
  };
  EXPECT_THAT(found_in_prose({".cpp", ".hpp", ".h", ".ts", ".json", ".py"}, of_sources), IsEmpty());
  EXPECT_THAT(missing_documents("x.cpp", "see docs/no-such.md"),
              testing::ElementsAre("x.cpp: docs/no-such.md"));
}

TEST(Files, NoLineOfADocumentIsTooLong) { EXPECT_THAT(found_in_prose({".md"}, long_lines), IsEmpty()); }

TEST(Files, AnAvoidedWordIsSeenAcrossLinesAndInComments) {
  EXPECT_THAT(avoided_words("a.cpp", "int a;  // so\n// many\n"), testing::ElementsAre("a.cpp:1: so many"));
  EXPECT_THAT(avoided_words("a.md", "It Is\nsaid.\n```\nanew\n```\n"),
              testing::ElementsAre("a.md:1: is said"));
  EXPECT_THAT(avoided_words("a.md", "renewed, heedless, this said"), IsEmpty());
}

TEST(Files, ALongLineIsSeenWithoutTheTargetsOfItsLinks) {
  const std::string text(columns, 'x');
  EXPECT_THAT(long_lines("a.md", text + "y\n"), testing::ElementsAre("a.md:1: 101 columns"));
  EXPECT_THAT(long_lines("a.md", text + "](" + text + ")\n|" + text + "|\n```\n" + text + "y\n```\n"),
              IsEmpty());
}

}  // namespace
}  // namespace mirab::architecture
