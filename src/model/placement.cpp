// Labels, taints and tolerations as Kubernetes has them.
//
// Source: the Kubernetes API, core/v1, NodeSelectorRequirement, Taint and Toleration; "Taints and
// Tolerations"; KEP 5471 for tolerations with Gt and Lt.
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include <mirab/model/placement.hpp>

#include "model/placement_text.hpp"

namespace mirab {
namespace {

using Operator = Toleration::Operator;

constexpr std::string_view kEveryTaint = "*";

/// A whole number as tolerations count it: without + and leading zeros.
std::optional<std::int64_t> plain_whole(std::string_view text) {
  const std::optional<std::int64_t> number = whole_number(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

bool has_tolerated_value(const Taint& taint, const Toleration& toleration) {
  switch (toleration.op) {
    case Operator::exists:
      return true;
    case Operator::equal:
      return toleration.value == taint.value;
    case Operator::above:
    case Operator::below:
      break;
  }
  const std::optional<std::int64_t> number = plain_whole(taint.value), bound = plain_whole(toleration.value);
  if (!number || !bound) return false;
  return toleration.op == Operator::above ? *number > *bound : *number < *bound;
}

bool contains(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string_view sign_of(Operator op) {
  switch (op) {
    case Operator::above:
      return ">";
    case Operator::below:
      return "<";
    case Operator::equal:
    case Operator::exists:
      break;
  }
  return "=";
}

/// The parts of `key=value:effect`.
struct Parts {
  std::string_view key;
  char sign = '\0';  // none: there is no value
  std::string_view value;
  std::string_view effect;
};

// A key has no sign in it, a value and an effect no colon.
Parts parts_of(std::string_view text) {
  Parts parts;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    parts.effect = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  const std::size_t sign = text.find_first_of("=<>");
  parts.key = text.substr(0, sign);
  if (sign == std::string_view::npos) return parts;
  parts.sign = text[sign];
  parts.value = text.substr(sign + 1);
  return parts;
}

Check wrong(std::string message) { return Error{.message = std::move(message)}; }

Check check_parts(std::string_view text, const Parts& parts, std::string_view like) {
  if (parts.key.empty()) return wrong(fmt::format("'{}' has no key; write {}", text.substr(0, 60), like));
  const bool has_colon = text.find(':') != std::string_view::npos;
  return has_colon ? check_effect(parts.effect) : Check();
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

bool holds(const LabelCondition& condition, const std::optional<std::string_view>& value) {
  if (condition.any_of && (!value || !contains(*condition.any_of, *value))) return false;
  if (value && contains(condition.none_of, *value)) return false;
  if (condition.exists && *condition.exists != value.has_value()) return false;
  if (!condition.above && !condition.below) return true;
  const std::optional<std::int64_t> number = value ? whole_number(*value) : std::nullopt;
  return number && (!condition.above || *number > *condition.above) &&
         (!condition.below || *number < *condition.below);
}

bool can_hold(const LabelCondition& condition) {
  if (condition.any_of)
    return std::any_of(condition.any_of->begin(), condition.any_of->end(),
                       [&](const std::string& value) { return holds(condition, value); });
  if (condition.exists == false) return !condition.above && !condition.below;
  return !condition.above || !condition.below ||
         (*condition.above < *condition.below && *condition.above < *condition.below - 1);
}

LabelCondition both(LabelCondition a, const LabelCondition& b) {
  if (!a.any_of) {
    a.any_of = b.any_of;
  } else if (b.any_of) {
    std::erase_if(*a.any_of, [&](const std::string& each) { return !contains(*b.any_of, each); });
  }
  for (const std::string& each : b.none_of) {
    if (!contains(a.none_of, each)) a.none_of.push_back(each);
  }
  if (a.exists && b.exists && *a.exists != *b.exists) a.any_of.emplace();  // none
  if (!a.exists) a.exists = b.exists;
  if (b.above && (!a.above || *a.above < *b.above)) a.above = b.above;
  if (b.below && (!a.below || *a.below > *b.below)) a.below = b.below;
  return a;
}

bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& each) {
    if (!each.effect.empty() && each.effect != taint.effect) return false;
    if (each.key.empty()) return each.op == Operator::exists;
    return each.key == taint.key && has_tolerated_value(taint, each);
  });
}

std::string taint_text(const Taint& taint) {
  return fmt::format("{}{}{}{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect == "NoSchedule" ? "" : ":" + taint.effect);
}

std::string toleration_text(const Toleration& toleration) {
  const bool any_value = toleration.op == Operator::exists;
  return fmt::format("{}{}{}{}{}", toleration.key.empty() ? kEveryTaint : toleration.key,
                     any_value ? "" : sign_of(toleration.op), any_value ? "" : toleration.value,
                     toleration.effect.empty() ? "" : ":", toleration.effect);
}

Check check_effect(std::string_view effect) {
  constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
  if (std::find(kEffects.begin(), kEffects.end(), effect) != kEffects.end()) return {};
  return wrong(
      fmt::format("must be NoSchedule, NoExecute or PreferNoSchedule, not '{}'", effect.substr(0, 40)));
}

Result<Taint> parse_taint(std::string_view text) {
  const Parts parts = parts_of(text);
  if (Check bad = check_parts(text, parts, "key, key=value or key=value:NoExecute")) return *std::move(bad);
  if (parts.sign == '<' || parts.sign == '>' || parts.key == kEveryTaint)
    return *wrong(
        fmt::format("'{}' is no taint; write key, key=value or key=value:NoExecute", text.substr(0, 60)));
  Taint taint{.key = std::string(parts.key), .value = std::string(parts.value)};
  if (!parts.effect.empty()) taint.effect = parts.effect;
  return taint;
}

namespace {

Check check_key_and_value(std::string_view key, std::string_view value) {
  const bool is_plain_key = key.find_first_of("=<>:") == std::string_view::npos && key != kEveryTaint;
  if (is_plain_key && value.find(':') == std::string_view::npos) return {};
  return wrong("a key has none of =, <, > and : and is not *, and a value has no colon");
}

}  // namespace

Check check_taint(const Taint& taint) {
  if (taint.key.empty()) return wrong("the key is empty");
  return check_key_and_value(taint.key, taint.value);
}

Check check_toleration(const Toleration& toleration) {
  const bool is_number = toleration.op == Operator::above || toleration.op == Operator::below;
  if (is_number && !plain_whole(toleration.value))
    return wrong(fmt::format("'{}' must be a whole number", toleration.value.substr(0, 40)));
  return check_key_and_value(toleration.key, toleration.value);
}

Result<Toleration> parse_toleration(std::string_view text) {
  const Parts parts = parts_of(text);
  if (Check bad = check_parts(text, parts, "key, key=value, or * for every taint")) return *std::move(bad);
  Toleration toleration{.key = std::string(parts.key),
                        .op = parts.sign == '='   ? Operator::equal
                              : parts.sign == '>' ? Operator::above
                              : parts.sign == '<' ? Operator::below
                                                  : Operator::exists,
                        .value = std::string(parts.value),
                        .effect = std::string(parts.effect)};
  if (parts.key == kEveryTaint) {
    if (toleration.op != Operator::exists)
      return *wrong("of every key there is no value; write * for every taint");
    toleration.key.clear();
  }
  if (Check bad = check_toleration(toleration)) return *std::move(bad);
  return toleration;
}

}  // namespace mirab
