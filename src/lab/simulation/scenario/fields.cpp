#include "lab/simulation/scenario/fields.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "model/names.hpp"
#include "model/time_units.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostShown = 20;  // words of a list, in an error
// Thirty years, in nanoseconds. Derived: nine such times add up within a Duration, 2^63.
constexpr double kLongestTime = 1e18;

// A plain number, without the units of amounts; no value when it is none, or is negative.
std::optional<double> parse_number(std::string_view text) {
  if (!is_without_suffix(text)) return {};
  const Result<Quantity> number = Quantity::parse(text);
  return number ? std::optional(number->value()) : std::nullopt;
}

// 0.05 of `5%` or `5 %`; no value when it is none, or not below 100.
std::optional<double> parse_percentage(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  const std::optional<double> percent = parse_number(text.substr(0, text.find_last_not_of(' ') + 1));
  return percent && *percent < 100 ? std::optional(*percent / 100) : std::nullopt;
}

// `90`, `90s` or `1.5h` in nanoseconds, where a number alone counts in `unit`; no value for anything else.
std::optional<double> parse_time(const Node& node, Duration unit) {
  if (node.kind != Node::Kind::scalar) return {};
  const TimeText time = split_time(node.text, unit);
  const std::optional<double> number = parse_number(time.number);
  return number ? std::optional(*number * static_cast<double>(time.unit.count())) : std::nullopt;
}

// No value when it is no whole number of this range.
std::optional<std::int64_t> parse_whole(const Node& node, std::int64_t least, std::int64_t most) {
  const Result<Quantity> number = Quantity::parse(node.text);
  if (node.kind != Node::Kind::scalar || !number || number->exponent() < 0) return {};
  const std::optional<std::int64_t> count = count_units(*number, 0, Rounding::down);
  return count && *count >= least && *count <= most ? count : std::nullopt;
}

// `, not 'x'` of a scalar, nothing of what is none.
std::string instead_of(const Node& node) {
  constexpr std::size_t kLongest = 40;  // characters of what was written, in an error
  return node.kind == Node::Kind::scalar ? fmt::format(", not '{}'", node.text.substr(0, kLongest)) : "";
}

}  // namespace

std::string item_key(std::string_view list, std::size_t index) { return fmt::format("{}[{}]", list, index); }

bool same_choice(const Choice& a, const Choice& b) { return a.name == b.name && a.options == b.options; }

const std::vector<Node::Entry>& ScenarioFields::entries(const Node& node, const std::string& key,
                                                        std::size_t most) {
  if (node.kind == Node::Kind::list && (node.entries.empty() || node.entries.size() > most)) {
    fail(key, fmt::format("must have from 1 to {} entries, not {}", most, node.entries.size()), node.line);
  }
  return list(node, key);
}

std::string ScenarioFields::name(const Node& node, const std::string& key) {
  std::string name = text(node, key);
  if (name.empty()) fail(key, "must not be empty", node.line);
  return name;
}

std::string ScenarioFields::unique_name(const Node& item, const std::string& key,
                                        std::span<const std::string> before) {
  const Node& node = required(item, key, "name");
  std::string written = name(node, key + ".name");
  const auto same = std::find(before.begin(), before.end(), written);
  if (same != before.end()) {
    fail(key + ".name",
         fmt::format("duplicate name: number {} is already called '{}'", same - before.begin() + 1, written),
         node.line);
  }
  return written;
}

std::size_t ScenarioFields::word(const Node& node, const std::string& key,
                                 std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), node.text);
  if (node.kind == Node::Kind::scalar && found != words.end()) {
    return static_cast<std::size_t>(found - words.begin());
  }
  fail(key,
       fmt::format("must be one of {}{}{}", first_names(words, kMostShown), instead_of(node),
                   nearest_names(node.text, words)),
       node.line);
  return 0;
}

std::vector<double> ScenarioFields::numbers(const Node& node, const std::string& key,
                                            std::span<const std::string> resources) {
  std::vector<double> numbers;
  for (const Quantity& amount : amounts(node, key, resources)) numbers.push_back(amount.value());
  return numbers;
}

double ScenarioFields::not_negative(const Node& node, const std::string& key) {
  return amount(node, key).value();
}

double ScenarioFields::part(const Node& node, const std::string& key, std::string_view what) {
  if (node.kind == Node::Kind::scalar && Quantity::parse(node.text)) return not_negative(node, key);
  const double likely = parse_percentage(node.text).value_or(0.1);
  fail(key, fmt::format("must be {}, like {:g}{}", what, likely, instead_of(node)), node.line);
  return 0;
}

double ScenarioFields::positive(const Node& node, const std::string& key) {
  const Quantity number = amount(node, key);
  if (number.is_zero()) fail(key, "must be above 0", node.line);
  return number.value();
}

std::int64_t ScenarioFields::whole_between(const Node& node, const std::string& key, std::int64_t least,
                                           std::int64_t most, std::string_view why) {
  if (const std::optional<std::int64_t> number = parse_whole(node, least, most)) return *number;
  fail(key,
       fmt::format("must be a whole number from {} to {}{}{}{}", least, most, instead_of(node),
                   why.empty() ? "" : ": ", why),
       node.line);
  return least;
}

std::optional<std::int64_t> ScenarioFields::whole_or(std::string_view word, const Node& node,
                                                     const std::string& key, std::int64_t least,
                                                     std::int64_t most) {
  if (node.kind == Node::Kind::scalar && node.text == word) return {};
  if (const std::optional<std::int64_t> number = parse_whole(node, least, most)) return number;
  fail(key, fmt::format("must be {}, or a whole number from {} to {}{}", word, least, most, instead_of(node)),
       node.line);
  return least;
}

std::optional<double> ScenarioFields::positive_or(std::string_view word, const Node& node,
                                                  const std::string& key) {
  if (node.kind == Node::Kind::scalar && node.text == word) return {};
  const std::optional<double> number =
      node.kind == Node::Kind::scalar ? parse_number(node.text) : std::nullopt;
  if (number && *number > 0) return number;
  fail(key, fmt::format("must be {}, or a number above 0{}", word, instead_of(node)), node.line);
  return 1;
}

Duration ScenarioFields::duration(const Node& node, const std::string& key) {
  const std::optional<double> length = parse_time(node, std::chrono::seconds(1));
  if (length && *length >= 1 && *length <= kLongestTime) return Duration(std::llround(*length));
  fail(key, fmt::format("must be a time above 0, like 300 (seconds), 90min, 1h or 2d{}", instead_of(node)),
       node.line);
  return Duration(1);
}

Duration ScenarioFields::counted_in(Duration unit, std::string_view examples, const Node& node,
                                    const std::string& key) {
  const std::optional<double> nanoseconds = parse_time(node, unit);
  if (nanoseconds && *nanoseconds <= kLongestTime) return Duration(std::llround(*nanoseconds));
  if (nanoseconds) {
    fail(key, fmt::format("must be less than thirty years{}", instead_of(node)), node.line);
  } else {
    fail(key, fmt::format("must be a time of at least 0, like {}{}", examples, instead_of(node)), node.line);
  }
  return Duration::zero();
}

Duration ScenarioFields::seconds(const Node& node, const std::string& key) {
  return counted_in(std::chrono::seconds(1), "300 (seconds), 90min, 1h or 2d", node, key);
}

Duration ScenarioFields::milliseconds(const Node& node, const std::string& key) {
  return counted_in(std::chrono::milliseconds(1), "100 (milliseconds), 0.1s or 2min", node, key);
}

std::string ScenarioFields::path(const Node& node, const std::string& key) {
  return (std::filesystem::path(file()).parent_path() / name(node, key)).string();
}

Choice ScenarioFields::choice(const Node& node, const std::string& key, Choose choose) {
  if (node.kind != Node::Kind::scalar) {
    fail(key, "must be a name, with its options after a colon", node.line);
    return {};
  }
  Result<Choice> choice = choose(node.text);
  if (choice) return *std::move(choice);
  fail(key, choice.error().message, node.line);
  return {};
}

std::vector<Choice> ScenarioFields::choice_list(const Node& node, const std::string& key, Choose choose) {
  constexpr std::size_t kMost = 100;  // a limit on time: every choice is a run of its own
  std::vector<Choice> all;
  for (const Node::Entry& entry : entries(node, key, kMost)) {
    const std::string entry_key = item_key(key, all.size());
    Choice chosen = choice(entry.value, entry_key, choose);
    if (failed()) return all;
    const bool twice =
        std::any_of(all.begin(), all.end(), [&](const Choice& other) { return same_choice(other, chosen); });
    if (twice) fail(entry_key, fmt::format("'{}' is listed twice", chosen.text), entry.line);
    all.push_back(std::move(chosen));
  }
  return all;
}

}  // namespace mirab::simulation
