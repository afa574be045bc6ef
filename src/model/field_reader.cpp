#include "model/field_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "model/names.hpp"
#include "model/placement_text.hpp"

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

std::string RunningPlace::key(std::string_view part) const {
  const bool is_of_server = server && (part == ".server" || part == ".tasks");
  return is_of_server ? fmt::format("running[{}].tasks.{}", entry, *server)
                      : fmt::format("running[{}]{}", entry, part);
}

std::vector<Running> FieldReader::running(const Node& node, const std::string& key,
                                          std::vector<RunningPlace>& places) {
  static constexpr std::array<std::string_view, 4> kKeys = {"user", "shape", "server", "tasks"};
  std::vector<Running> running;
  std::size_t number = 0;
  for (const Node::Entry& entry : list(node, key)) {
    const std::string entry_key = fmt::format("{}[{}]", key, number);
    if (failed() || !expect_map(entry.value, entry_key, kKeys)) break;
    Running tasks{.user = text(required(entry.value, entry_key, "user"), entry_key + ".user"), .server = {}};
    const Node* const shape = entry.value.find("shape");
    if (shape != nullptr && shape->kind != Node::Kind::null) tasks.shape = text(*shape, entry_key + ".shape");
    const Node* const by_server = entry.value.find("tasks");
    if (by_server == nullptr || by_server->kind != Node::Kind::map) {
      tasks.server = text(required(entry.value, entry_key, "server"), entry_key + ".server");
      tasks.tasks = amount(required(entry.value, entry_key, "tasks"), entry_key + ".tasks");
      places.push_back({.entry = number, .server = {}, .line = entry.value.line});
      running.push_back(std::move(tasks));
    } else if (const Node* const server = entry.value.find("server")) {
      fail(entry_key + ".server", "must be left out where `tasks` are given by server", server->line);
    } else {
      for (const Node::Entry& each : by_server->entries) {
        tasks.server = each.key;
        tasks.tasks = amount(each.value, fmt::format("{}.tasks.{}", entry_key, each.key));
        places.push_back({.entry = number, .server = each.key, .line = each.line});
        running.push_back(tasks);
      }
    }
    ++number;
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

LabelCondition FieldReader::condition(const Node& node, const std::string& key) {
  static constexpr std::array<std::string_view, 5> kParts = {"in", "not", "exists", "above", "below"};
  LabelCondition condition;
  if (node.kind != Node::Kind::map) {
    condition.any_of = texts(node, key);
    return condition;
  }
  if (!expect_map(node, key, kParts)) return condition;
  if (node.entries.empty())
    fail(key, "must be a value, a list of values, or a map with in, not, exists, above or below", node.line);
  const auto number = [&](const Node& part, const std::string& part_key) {
    const std::optional<std::int64_t> value = whole_number(part.text);
    if (!value)
      fail(part_key, fmt::format("must be a whole number, not '{}'", part.text.substr(0, 40)), part.line);
    return value;
  };
  for (const Node::Entry& each : node.entries) {
    const std::string& part = each.key;
    const Node& value = each.value;
    const std::string part_key = fmt::format("{}.{}", key, part);
    if (part == "in") condition.any_of = texts(value, part_key);
    if (part == "not") condition.none_of = texts(value, part_key);
    if (part == "exists") condition.exists = truth(value, part_key);
    if (part == "above") condition.above = number(value, part_key);
    if (part == "below") condition.below = number(value, part_key);
  }
  const bool needs_it = condition.any_of || condition.above || condition.below;
  if (needs_it && condition.exists == false)
    fail(key + ".exists", "must be true, since the other parts ask for a value of the label", node.line);
  return condition;
}

std::map<std::string, LabelCondition> FieldReader::conditions(const Node& node, const std::string& key) {
  std::map<std::string, LabelCondition> conditions;
  if (!expect_map(node, key)) return conditions;
  for (const Node::Entry& label : node.entries)
    conditions.emplace(label.key, condition(label.value, key + "." + label.key));
  return conditions;
}

Taint FieldReader::taint(const Node& node, const std::string& key) {
  static constexpr std::array<std::string_view, 4> kParts = {"key", "value", "effect", "timeAdded"};
  if (node.kind != Node::Kind::map) {
    if (node.kind == Node::Kind::list) {
      fail(key,
           "must be a text like key, key=value or key=value:NoExecute, or a map like {key: gpu, value: a}",
           node.line);
      return {};
    }
    Result<Taint> taint = parse_taint(node.text);
    if (taint) return *std::move(taint);
    fail(key, taint.error().message, node.line);
    return {};
  }
  if (!expect_map(node, key, kParts)) return {};
  Taint taint{.key = text(required(node, key, "key"), key + ".key")};
  if (const Node* const value = node.find("value"))
    taint.value = value->kind == Node::Kind::null ? "" : text(*value, key + ".value");
  if (const Node* const effect = node.find("effect")) taint.effect = text(*effect, key + ".effect");
  if (failed()) return {};
  if (const Check wrong = check_taint(taint)) fail(key, wrong->message, node.line);
  if (const Check wrong = check_effect(taint.effect)) fail(key + ".effect", wrong->message, node.line);
  return taint;
}

std::vector<Taint> FieldReader::taints(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::list) return {taint(node, key)};
  std::vector<Taint> taints;
  for (const Node::Entry& entry : node.entries) {
    if (failed()) break;
    taints.push_back(taint(entry.value, fmt::format("{}[{}]", key, taints.size())));
  }
  return taints;
}

Toleration FieldReader::toleration(const Node& node, const std::string& key) {
  static constexpr std::array<std::string_view, 5> kParts = {"key", "operator", "value", "effect",
                                                             "tolerationSeconds"};
  static constexpr std::array kOperators = {
      std::pair{"Exists", Toleration::Operator::exists}, std::pair{"Equal", Toleration::Operator::equal},
      std::pair{"Gt", Toleration::Operator::above}, std::pair{"Lt", Toleration::Operator::below}};
  if (node.kind != Node::Kind::map) {
    Result<Toleration> toleration = parse_toleration(text(node, key));
    if (toleration) return *std::move(toleration);
    fail(key, toleration.error().message, node.line);
    return {};
  }
  if (!expect_map(node, key, kParts)) return {};
  const auto part = [&](std::string_view name) {
    const Node* const value = node.find(name);
    const bool is_there = value != nullptr && value->kind != Node::Kind::null;
    return is_there ? text(*value, fmt::format("{}.{}", key, name)) : std::string();
  };
  Toleration toleration{.key = part("key"), .value = part("value"), .effect = part("effect")};
  const std::string written = part("operator");
  const auto* const op = std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& each) {
    return written == each.first || (written.empty() && each.second == Toleration::Operator::equal);
  });
  if (op == kOperators.end()) {
    fail(key + ".operator", fmt::format("must be Exists, Equal, Gt or Lt, not '{}'", written.substr(0, 40)),
         node.line);
    return {};
  }
  toleration.op = op->second;
  if (toleration.op == Toleration::Operator::exists) toleration.value.clear();
  if (toleration.key.empty() && toleration.op != Toleration::Operator::exists)
    fail(key + ".key", "missing; every taint is tolerated with `operator: Exists` alone", node.line);
  if (const Check wrong = check_toleration(toleration)) fail(key, wrong->message, node.line);
  if (const Check wrong = toleration.effect.empty() ? Check() : check_effect(toleration.effect))
    fail(key + ".effect", wrong->message, node.line);
  return toleration;
}

std::vector<Toleration> FieldReader::tolerations(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::list) return {toleration(node, key)};
  std::vector<Toleration> tolerations;
  for (const Node::Entry& entry : node.entries) {
    if (failed()) break;
    tolerations.push_back(toleration(entry.value, fmt::format("{}[{}]", key, tolerations.size())));
  }
  return tolerations;
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
