// What the documents show is what the program prints.
//
// A ```console block: a line `$ command` runs in the source folder, by bash, with the built program on the
// PATH. The lines up to the next `$ ` or the end of the block are what it prints, on standard output and
// standard error. `…` in such a line, with the blanks before it, stands for any text (times, mostly); a line
// of `…` alone for any lines.
//
// A ```yaml block that starts with `resources:` or `version:` is a whole cluster file, and must be valid.
//
// MIRAB_REWRITE_SNIPPETS=1 writes what the program prints into the documents, with `…` for times.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using Lines = std::vector<std::string>;

const std::string kAnything = "…";

Lines split(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Does the line hold what the pattern shows, `…` and the blanks before it standing for any text?
bool holds(std::string_view pattern, std::string_view line) {
  const std::size_t gap = pattern.find(kAnything);
  if (gap == std::string_view::npos) return pattern == line;
  std::string_view before = pattern.substr(0, gap);
  before = before.substr(0, before.find_last_not_of(' ') + 1);
  if (!line.starts_with(before)) return false;
  const std::string_view rest = pattern.substr(gap + kAnything.size());
  for (std::size_t from = before.size(); from <= line.size(); ++from) {
    if (holds(rest, line.substr(from))) return true;
  }
  return false;
}

/// The same for whole outputs, from these lines on; a line of `…` alone stands for any lines.
bool hold(const Lines& shown, const Lines& printed, std::size_t s = 0, std::size_t p = 0) {
  if (s == shown.size()) return p == printed.size();
  if (shown[s] == kAnything) {
    for (std::size_t from = p; from <= printed.size(); ++from) {
      if (hold(shown, printed, s + 1, from)) return true;
    }
    return false;
  }
  return p < printed.size() && holds(shown[s], printed[p]) && hold(shown, printed, s + 1, p + 1);
}

struct Snippet {
  std::size_t line;  ///< of the command, from 0; the output starts on the next one
  std::string command;
  Lines output;
};

/// The commands of all console blocks, in order.
std::vector<Snippet> snippets(const Lines& document) {
  std::vector<Snippet> found;
  bool inside = false;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const std::string& line = document[i];
    if (!inside) {
      inside = line == "```console";
    } else if (line == "```") {
      inside = false;
    } else if (line.starts_with("$ ")) {
      found.push_back({i, line.substr(2), {}});
    } else if (!found.empty()) {
      found.back().output.push_back(line);
    }
  }
  return found;
}

/// The yaml blocks that are whole cluster files.
std::vector<std::string> cluster_files(const Lines& document) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i + 1 < document.size(); ++i) {
    const std::string& first = document[i + 1];
    if (document[i] != "```yaml" || !(first.starts_with("resources:") || first.starts_with("version:")))
      continue;
    std::string& text = found.emplace_back();
    for (++i; i < document.size() && document[i] != "```"; ++i) text += document[i] + "\n";
  }
  return found;
}

Lines run(const Snippet& snippet) { return split(test::shell("exec 2>&1\n" + snippet.command).out); }

/// `…` in place of what differs from run to run, and of residuals that rounding decides; columns stay where
/// they are.
std::string without_times(std::string line) {
  static const std::regex kVolatileRow("^(time|worst certificate|[a-z-]+-gap) .*");
  static const std::regex kFigure("(< )?[0-9][0-9.e-]*( µs| ms| s)?");
  static const std::regex kVolatileValue("(\"seconds\": )[^,]*");
  if (!std::regex_match(line, kVolatileRow)) return std::regex_replace(line, kVolatileValue, "$1…");
  for (std::smatch figure; std::regex_search(line, figure, kFigure);) {
    const bool has_micro = figure.str().find("µ") != std::string::npos;  // two bytes, one column
    const std::string blanks(static_cast<std::size_t>(figure.length()) - (has_micro ? 2 : 1), ' ');
    line = figure.prefix().str() + blanks + kAnything + figure.suffix().str();
  }
  return line;
}

void rewrite(const std::string& file, Lines document) {
  const std::vector<Snippet> all = snippets(document);
  std::vector<Lines> outputs;  // in order: a command may read what an earlier one wrote
  for (const Snippet& snippet : all) outputs.push_back(run(snippet));
  for (auto snippet = all.rbegin(); snippet != all.rend(); ++snippet) {
    Lines printed = outputs[static_cast<std::size_t>(all.rend() - snippet) - 1];
    if (hold(snippet->output, printed)) continue;
    std::transform(printed.begin(), printed.end(), printed.begin(), without_times);
    const auto start = document.begin() + static_cast<std::ptrdiff_t>(snippet->line) + 1;
    const auto after = document.erase(start, start + static_cast<std::ptrdiff_t>(snippet->output.size()));
    document.insert(after, printed.begin(), printed.end());
  }
  std::ofstream stream(file);
  for (const std::string& line : document) stream << line << '\n';
}

/// Every document: README.md, those below docs/, and all others that people wrote.
std::vector<std::string> documents() {
  static const std::set<std::string> made = {".git", "build", "install", "node_modules", ".cache"};
  const std::filesystem::path source = MIRAB_SOURCE_DIR;
  std::vector<std::string> files;
  for (auto walk = std::filesystem::recursive_directory_iterator(source);
       walk != std::filesystem::recursive_directory_iterator(); ++walk) {
    if (made.contains(walk->path().filename().string())) walk.disable_recursion_pending();
    if (walk->path().extension() == ".md") files.push_back(walk->path().lexically_relative(source).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Document : public ::testing::TestWithParam<std::string> {};

TEST_P(Document, ShowsWhatTheProgramPrints) {
  const std::string file = std::string(MIRAB_SOURCE_DIR "/") + GetParam();
  const Lines document = split(read_text(file));
  if (std::getenv("MIRAB_REWRITE_SNIPPETS") != nullptr) return rewrite(file, document);
  for (const Snippet& snippet : snippets(document)) {
    const Lines printed = run(snippet);
    EXPECT_TRUE(hold(snippet.output, printed))
        << GetParam() << ":" << snippet.line + 1 << ": $ " << snippet.command << "\nprints\n"
        << ::testing::PrintToString(printed) << "\nand the document shows\n"
        << ::testing::PrintToString(snippet.output);
  }
}

TEST_P(Document, ShowsClusterFilesThatAreValid) {
  const TemporaryFolder folder;
  for (const std::string& text :
       cluster_files(split(read_text(std::string(MIRAB_SOURCE_DIR "/") + GetParam())))) {
    const test::Ran ran = test::shell("mirab validate " + folder.write("cluster.yaml", text));
    EXPECT_EQ(ran.status, 0) << ran.err << text;
  }
}

TEST_P(Document, LinksToFilesThatExist) {
  static const std::regex kLink(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  const std::filesystem::path file = std::filesystem::path(MIRAB_SOURCE_DIR) / GetParam();
  const std::string text = read_text(file);
  for (std::sregex_iterator link(text.begin(), text.end(), kLink), end; link != end; ++link) {
    EXPECT_TRUE(std::filesystem::exists(file.parent_path() / (*link)[1].str()))
        << GetParam() << " links to " << (*link)[1];
  }
}

INSTANTIATE_TEST_SUITE_P(Snippets, Document, ::testing::ValuesIn(documents()), [](const auto& suite) {
  std::string name = suite.param;
  for (char& byte : name) {
    if (std::isalnum(static_cast<unsigned char>(byte)) == 0) byte = '_';
  }
  return name;
});

TEST(Snippets, AnEllipsisStandsForAnyTextOfALineAndALineOfItForAnyLines) {
  EXPECT_TRUE(holds("time     … µs", "time   12 µs"));
  EXPECT_FALSE(holds("time … µs", "time   12 ms"));
  EXPECT_TRUE(hold({"a", "…", "d"}, {"a", "b", "c", "d"}));
  EXPECT_FALSE(hold({"a", "…", "d"}, {"a", "b", "c"}));
  EXPECT_FALSE(hold({"a"}, {"a", "b"}));
}

}  // namespace
}  // namespace mirab
