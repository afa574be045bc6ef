#include "simulation/scenario_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <mirab/model/quantity.hpp>

#include "model/names.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kLongestQuote = 40;
constexpr std::size_t kMostShown = 20;  // names

std::string quoted(const Node& node) { return fmt::format("'{}'", node.text.substr(0, kLongestQuote)); }

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<Unit, 5> kUnits = {{{"ms", 1e-3}, {"min", 60}, {"s", 1}, {"h", 3600}, {"d", 86400}}};

// The seconds of `90`, `90s` or `1.5h`; no value when it is not so written.
std::optional<double> seconds_of(std::string_view text) {
  double unit_seconds = 1;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    unit_seconds = unit.seconds;
    break;
  }
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  const Result<Quantity> number = Quantity::parse(text);
  if (!plain || !number) return {};
  return number->value() * unit_seconds;
}

}  // namespace

std::string item_key(std::string_view list, std::size_t index) { return fmt::format("{}[{}]", list, index); }

std::string key_of(const std::string& map, std::string_view name) {
  return map.empty() ? std::string(name) : fmt::format("{}.{}", map, name);
}

void Fields::fail(std::string key, std::string message, int line) {
  if (error_) return;
  error_ = Error{.message = std::move(message), .key = std::move(key), .file = file_, .line = line};
}

bool Fields::expect_map(const Node& node, const std::string& key, Words known) {
  if (node.kind != Node::Kind::map) {
    fail(key, "must be a map of keys and values", node.line);
    return false;
  }
  for (const Node::Entry& entry : node.entries) {
    if (known.empty() || std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    fail(key_of(key, entry.key), fmt::format("unknown key{}", known_names(entry.key, known)), entry.line);
    return false;
  }
  return true;
}

const Node& Fields::required(const Node& map, const std::string& key, std::string_view name) {
  static const Node kMissing;
  if (const Node* node = map.find(name)) return *node;
  fail(key_of(key, name), "missing", map.line);
  return kMissing;
}

const std::vector<Node::Entry>& Fields::list(const Node& node, const std::string& key) {
  static const std::vector<Node::Entry> kNone;
  if (node.kind == Node::Kind::list && !node.entries.empty()) return node.entries;
  fail(key, "must be a list with at least one entry", node.line);
  return kNone;
}

std::string Fields::text(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::scalar || node.text.empty()) fail(key, "must be a name or text", node.line);
  return node.text;
}

std::size_t Fields::word(const Node& node, const std::string& key, Words words) {
  const auto found = std::find(words.begin(), words.end(), node.text);
  if (node.kind == Node::Kind::scalar && found != words.end()) {
    return static_cast<std::size_t>(found - words.begin());
  }
  fail(key,
       fmt::format(
           "must be one of {}{}", first_names(words, kMostShown),
           node.kind == Node::Kind::scalar ? ", not " + quoted(node) + nearest_names(node.text, words) : ""),
       node.line);
  return 0;
}

double Fields::amount(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::scalar) {
    fail(key, "must be an amount, like 1, 0.1 or 64Gi", node.line);
    return 0;
  }
  const Result<Quantity> quantity = Quantity::parse(node.text);
  if (quantity) return quantity->value();
  fail(key, quantity.error().message, node.line);
  return 0;
}

std::vector<double> Fields::amounts(const Node& node, const std::string& key,
                                    const std::vector<std::string>& resources) {
  std::vector<double> amounts(resources.size());
  if (!expect_map(node, key)) return amounts;
  for (const Node::Entry& entry : node.entries) {
    const auto resource = std::find(resources.begin(), resources.end(), entry.key);
    if (resource == resources.end()) {
      const std::vector<std::string_view> names(resources.begin(), resources.end());
      fail(key_of(key, entry.key), fmt::format("unknown resource{}", known_names(entry.key, names)),
           entry.line);
      return amounts;
    }
    amounts[static_cast<std::size_t>(resource - resources.begin())] =
        amount(entry.value, key_of(key, entry.key));
  }
  return amounts;
}

double Fields::positive(const Node& node, const std::string& key) {
  const Result<Quantity> number = Quantity::parse(node.text);
  if (node.kind == Node::Kind::scalar && number && !number->is_zero()) return number->value();
  const bool scalar = node.kind == Node::Kind::scalar;
  fail(key, fmt::format("must be a number above 0{}", scalar ? ", not " + quoted(node) : ""), node.line);
  return 1;
}

std::int64_t Fields::whole(const Node& node, const std::string& key, std::int64_t least, std::int64_t most) {
  const bool scalar = node.kind == Node::Kind::scalar;
  const Result<Quantity> number = Quantity::parse(node.text);
  if (scalar && number && number->exponent() >= 0) {
    const std::optional<std::int64_t> count = count_units(*number, 0, Rounding::down);
    if (count && *count >= least && *count <= most) return *count;
  }
  fail(key,
       fmt::format("must be a whole number from {} to {}{}", least, most,
                   scalar ? ", not " + quoted(node) : ""),
       node.line);
  return least;
}

Duration Fields::duration(const Node& node, const std::string& key) {
  constexpr double kLongest = 1e9;  // seconds, thirty years
  const std::optional<double> seconds =
      node.kind == Node::Kind::scalar ? seconds_of(node.text) : std::optional<double>{};
  const auto length =
      Duration(seconds && *seconds <= kLongest ? static_cast<std::int64_t>(std::llround(*seconds * 1e9)) : 0);
  if (length > Duration::zero()) return length;
  fail(key,
       fmt::format("must be a time above 0 and up to 1e9 s, like 3600, 90min, 1h or 2d{}",
                   node.kind == Node::Kind::scalar ? ", not " + quoted(node) : ""),
       node.line);
  return Duration(1);
}

std::string Fields::path(const Node& node, const std::string& key) {
  const std::string written = text(node, key);
  return (std::filesystem::path(file_).parent_path() / written).string();
}

Choice Fields::choice(const Node& node, const std::string& key, Result<Choice> (*choose)(std::string_view)) {
  if (node.kind != Node::Kind::scalar) {
    fail(key, "must be a name, with its options after a colon", node.line);
    return {};
  }
  Result<Choice> choice = choose(node.text);
  if (choice) return *std::move(choice);
  fail(key, choice.error().message, node.line);
  return {};
}

std::vector<Choice> Fields::choices(const Node& node, const std::string& key,
                                    Result<Choice> (*choose)(std::string_view)) {
  std::vector<Choice> all;
  for (const Node::Entry& entry : list(node, key)) {
    const std::string entry_key = item_key(key, all.size());
    Choice chosen = choice(entry.value, entry_key, choose);
    if (error_) return all;
    const bool twice = std::any_of(all.begin(), all.end(), [&](const Choice& other) {
      return other.name == chosen.name && other.options == chosen.options;
    });
    if (twice) fail(entry_key, fmt::format("'{}' is listed twice", chosen.text), entry.line);
    all.push_back(std::move(chosen));
  }
  return all;
}

}  // namespace mirab::simulation
