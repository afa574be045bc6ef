#include "recordings/recording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "recordings/draws.hpp"

namespace mirab::recordings {
namespace {

constexpr double kRelative = 1e-12;
constexpr double kOfDifferences = 1e-12;
constexpr std::size_t kMarkDigits = 4;

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

[[noreturn]] void give_up(const std::string& path, std::size_t line, const std::string& why) {
  std::cerr << path << ':' << line << ": " << why << '\n';
  std::exit(2);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// `numbers LABEL name=value …`; the label has no blanks.
Numbers numbers_of(const std::vector<std::string>& words) {
  Numbers numbers{.label = words.at(1), .values = {}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    numbers.values.emplace_back(words[i].substr(0, equals),
                                std::strtod(words[i].c_str() + equals + 1, nullptr));
  }
  return numbers;
}

void write_case(std::ostream& out, const Recording& recording) {
  out << "case " << recording.name << '\n';
  for (const Kept& part : recording.parts) {
    out << "part " << part.name << ' ' << part.lines << ' ' << part.digest;
    for (const std::string& mark : part.marks) out << ' ' << mark;
    out << '\n';
  }
  for (const Numbers& numbers : recording.numbers) {
    out << "numbers " << numbers.label;
    for (const auto& [name, value] : numbers.values) out << ' ' << name << '=' << exact_text(value);
    out << '\n';
  }
}

/// Which lines of the part are the first that differ, as far as the marks tell.
std::string where_it_differs(const Kept& recorded, const Kept& now, const Part& part) {
  const auto [was, is] =
      std::mismatch(recorded.marks.begin(), recorded.marks.end(), now.marks.begin(), now.marks.end());
  const auto block = static_cast<std::size_t>(was - recorded.marks.begin());
  const std::size_t first = block * kMarked;
  const std::size_t last = std::min(part.lines.size(), first + kMarked);
  std::ostringstream out;
  out << "  " << part.name << ": " << recorded.lines << " lines recorded, " << now.lines
      << " now; the first that differs is one of lines " << first + 1 << " to " << first + kMarked
      << ", which now are\n";
  for (std::size_t line = first; line < last; ++line)
    out << "    " << line + 1 << ": " << part.lines[line] << '\n';
  return out.str();
}

const Part* part_called(const Played& played, std::string_view name) {
  const auto found = std::find_if(played.parts.begin(), played.parts.end(),
                                  [&](const Part& part) { return part.name == name; });
  return found == played.parts.end() ? nullptr : &*found;
}

const double* value_called(const Numbers& numbers, std::string_view name) {
  const auto found = std::find_if(numbers.values.begin(), numbers.values.end(),
                                  [&](const auto& value) { return value.first == name; });
  return found == numbers.values.end() ? nullptr : &found->second;
}

void compare_numbers(const Numbers& recorded, const Played& played, std::vector<std::string>& found) {
  const auto now = std::find_if(played.numbers.begin(), played.numbers.end(),
                                [&](const Numbers& numbers) { return numbers.label == recorded.label; });
  if (now == played.numbers.end()) {
    found.push_back("  numbers " + recorded.label + ": gone\n");
    return;
  }
  for (const auto& [name, value] : recorded.values) {
    const double* const other = value_called(*now, name);
    if (other != nullptr && nearly_equal(name, value, *other)) continue;
    found.push_back("  numbers " + recorded.label + ", " + name + ": recorded " + exact_text(value) +
                    ", now " + (other == nullptr ? "gone" : exact_text(*other)) + "\n");
  }
}

}  // namespace

std::string exact_text(double number) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

bool nearly_equal(std::string_view name, double recorded, double now) {
  if (recorded == now || (std::isnan(recorded) && std::isnan(now))) return true;
  const double apart = std::abs(recorded - now);
  if (name.substr(0, 7) == "measure" && apart <= kOfDifferences) return true;
  return apart <= kRelative * std::max(std::abs(recorded), std::abs(now));  // not of infinity or of no number
}

Kept kept(const Part& part) {
  Kept kept{.name = part.name, .lines = part.lines.size(), .digest = {}, .marks = {}};
  Digest digest;
  for (std::size_t line = 0; line < part.lines.size(); ++line) {
    digest.add(part.lines[line]);
    digest.add("\n");
    if ((line + 1) % kMarked == 0) kept.marks.push_back(hexadecimal(digest.value()).substr(0, kMarkDigits));
  }
  kept.digest = hexadecimal(digest.value());
  return kept;
}

Recording recording_of(const Played& played) {
  Recording recording{.name = played.name, .parts = {}, .numbers = played.numbers};
  for (const Part& part : played.parts) recording.parts.push_back(kept(part));
  return recording;
}

Recordings read_recordings(const std::string& path) {
  Recordings recordings;
  std::ifstream file(path);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    if (words.size() < 2) give_up(path, number, "a line of one word");
    if (words[0] == "decision-version") {
      recordings.decision_version = std::atoi(words[1].c_str());
    } else if (words[0] == "snapshot-version") {
      recordings.snapshot_version = std::atoi(words[1].c_str());
    } else if (words[0] == "case") {
      recordings.cases.push_back({.name = words[1], .parts = {}, .numbers = {}});
    } else if (recordings.cases.empty()) {
      give_up(path, number, "expected 'case'");
    } else if (words[0] == "part" && words.size() >= 4) {
      recordings.cases.back().parts.push_back({.name = words[1],
                                               .lines = std::strtoull(words[2].c_str(), nullptr, 10),
                                               .digest = words[3],
                                               .marks = {words.begin() + 4, words.end()}});
    } else if (words[0] == "numbers") {
      recordings.cases.back().numbers.push_back(numbers_of(words));
    } else {
      give_up(path, number, "'" + words[0] + "' is unknown here");
    }
  }
  return recordings;
}

void write_recordings(const std::string& path, const Recordings& recordings) {
  std::ofstream file(path);
  file << "# Made by recordings --record; tests/recordings/README.md describes it.\n"
       << "decision-version " << recordings.decision_version << "\nsnapshot-version "
       << recordings.snapshot_version << '\n';
  for (const Recording& recording : recordings.cases) write_case(file, recording);
  if (!file.flush()) give_up(path, 0, "cannot be written");
}

std::vector<std::string> differences(const Recording& recorded, const Played& played,
                                     std::string_view leaves_out) {
  std::vector<std::string> found;
  for (const Kept& part : recorded.parts) {
    if (part.name == leaves_out) continue;
    const Part* const now = part_called(played, part.name);
    if (now == nullptr) {
      found.push_back("  " + part.name + ": gone\n");
    } else if (const Kept kept_now = kept(*now); kept_now != part) {
      found.push_back(where_it_differs(part, kept_now, *now));
    }
  }
  for (const Numbers& numbers : recorded.numbers) compare_numbers(numbers, played, found);
  return found;
}

bool decides_otherwise(const Recording& recorded, const Played& played) {
  return std::any_of(played.parts.begin(), played.parts.end(), [&](const Part& part) {
    if (!part.decides) return false;
    const Kept now = kept(part);
    const auto before = std::find_if(recorded.parts.begin(), recorded.parts.end(),
                                     [&](const Kept& other) { return other.name == part.name; });
    return before != recorded.parts.end() && *before != now;
  });
}

}  // namespace mirab::recordings
