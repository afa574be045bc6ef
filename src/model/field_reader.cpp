#include "model/field_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "model/names.hpp"

namespace mirab {

void FieldReader::fail(std::string key, std::string message, int line) {
  if (error_) return;
  error_ = Error{.message = std::move(message), .key = std::move(key), .file = file_, .line = line};
}

const Node& FieldReader::required(const Node& map, const std::string& key, std::string_view name) {
  static const Node kMissing;
  if (const Node* node = map.find(name)) return *node;
  fail(key.empty() ? std::string(name) : fmt::format("{}.{}", key, name), "missing", map.line);
  return kMissing;
}

bool FieldReader::expect_map(const Node& node, const std::string& key,
                             std::span<const std::string_view> keys) {
  if (node.kind != Node::Kind::map) {
    fail(key, "must be a map of keys and values", node.line);
    return false;
  }
  for (const Node::Entry& entry : node.entries) {
    if (keys.empty() || std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    fail(key.empty() ? entry.key : key + "." + entry.key,
         fmt::format("unknown key{}", known_names(entry.key, keys)), entry.line);
    return false;
  }
  return true;
}

const std::vector<Node::Entry>& FieldReader::list(const Node& node, const std::string& key) {
  static const std::vector<Node::Entry> kNone;
  if (node.kind == Node::Kind::list) return node.entries;
  fail(key, "must be a list", node.line);
  return kNone;
}

std::string FieldReader::text(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::scalar) fail(key, "must be a name or text", node.line);
  return node.text;
}

std::vector<std::string> FieldReader::texts(const Node& node, const std::string& key) {
  if (node.kind == Node::Kind::scalar) return {node.text};
  std::vector<std::string> all;
  for (const Node::Entry& entry : list(node, key)) {
    all.push_back(text(entry.value, fmt::format("{}[{}]", key, all.size())));
  }
  return all;
}

bool FieldReader::truth(const Node& node, const std::string& key) {
  if (node.text != "true" && node.text != "false") fail(key, "must be true or false", node.line);
  return node.text == "true";
}

Quantity FieldReader::amount(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::scalar) {
    fail(key, "must be an amount, like 16, 500m or 64Gi", node.line);
    return {};
  }
  Result<Quantity> quantity = Quantity::parse(node.text);
  if (quantity) return *quantity;
  fail(key, quantity.error().message, node.line);
  return {};
}

std::optional<std::size_t> FieldReader::resource(const Node::Entry& entry, const std::string& key,
                                                 std::span<const std::string> resources) {
  const auto found = std::find(resources.begin(), resources.end(), entry.key);
  if (found != resources.end()) return static_cast<std::size_t>(found - resources.begin());
  const std::vector<std::string_view> names(resources.begin(), resources.end());
  fail(key + "." + entry.key, fmt::format("unknown resource{}", known_names(entry.key, names)), entry.line);
  return std::nullopt;
}

ResourceVector FieldReader::amounts(const Node& node, const std::string& key,
                                    std::span<const std::string> resources) {
  ResourceVector amounts(resources.size());
  if (!expect_map(node, key)) return amounts;
  for (const Node::Entry& entry : node.entries) {
    const std::optional<std::size_t> r = resource(entry, key, resources);
    if (!r) return amounts;
    amounts[*r] = amount(entry.value, key + "." + entry.key);
  }
  return amounts;
}

std::vector<Running> FieldReader::running(const Node& node, const std::string& key) {
  static constexpr std::array<std::string_view, 4> kKeys = {"user", "shape", "server", "tasks"};
  std::vector<Running> running;
  for (const Node::Entry& entry : list(node, key)) {
    const std::string entry_key = fmt::format("{}[{}]", key, running.size());
    if (failed() || !expect_map(entry.value, entry_key, kKeys)) break;
    Running& tasks = running.emplace_back();
    tasks.user = text(required(entry.value, entry_key, "user"), entry_key + ".user");
    const Node* const shape = entry.value.find("shape");
    if (shape != nullptr && shape->kind != Node::Kind::null) tasks.shape = text(*shape, entry_key + ".shape");
    tasks.server = text(required(entry.value, entry_key, "server"), entry_key + ".server");
    tasks.tasks = amount(required(entry.value, entry_key, "tasks"), entry_key + ".tasks");
  }
  return running;
}

std::int64_t FieldReader::whole(const Node& node, const std::string& key) {
  const Result<Quantity> quantity = Quantity::parse(node.text);
  if (!quantity || quantity->is_zero() || quantity->exponent() < 0) {
    const bool scalar = node.kind == Node::Kind::scalar;
    fail(key,
         fmt::format("must be a whole number from 1 up to 2^63 - 1{}",
                     scalar ? fmt::format(", not '{}'", node.text.substr(0, 40)) : ""),
         node.line);
    return 1;
  }
  return *count_units(*quantity, 0, Rounding::down);
}

std::map<std::string, std::string> FieldReader::labels(const Node& node, const std::string& key) {
  std::map<std::string, std::string> labels;
  if (!expect_map(node, key)) return labels;
  for (const Node::Entry& label : node.entries) {
    labels.emplace(label.key, text(label.value, key + "." + label.key));
  }
  return labels;
}

std::map<std::string, std::vector<std::string>> FieldReader::choices(const Node& node,
                                                                     const std::string& key) {
  std::map<std::string, std::vector<std::string>> choices;
  if (!expect_map(node, key)) return choices;
  for (const Node::Entry& label : node.entries) {
    choices.emplace(label.key, texts(label.value, key + "." + label.key));
  }
  return choices;
}

}  // namespace mirab
