// Any record with a list of fields (mirab/scheduling/fields.hpp) as JSON, and back.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/fields.hpp>

#include "scheduling/persistence/json_reader.hpp"

namespace mirab::scheduling {

/// The name of a discipline or placement with its options.
Json choice_json(const Choice& choice);
Choice read_choice(const JsonReader& json);

/// An exact decimal as a text.
Quantity quantity_of(const JsonReader& json);

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

/// Does a member have the value that it has where it is left out?
template <class Member>
bool is_default(const Member& value, const Member& fallback) {
  if constexpr (kIsOptional<Member>) {
    return !value.has_value();
  } else if constexpr (kIsMap<Member> || kIsList<Member>) {
    return value.empty();
  } else if constexpr (std::equality_comparable<Member>) {
    return value == fallback;
  } else {
    return false;  // never left out
  }
}

template <class Value>
Json to_json(const Value& value) {
  if constexpr (HasFields<Value>) {
    Json json = Json::object();
    for_each_field<Value>([&](const auto& field) { add_member(json, value, field); });
    return json;
  } else if constexpr (std::is_enum_v<Value> && !kWords<Value>.empty()) {
    return kWords<Value>[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_enum_v<Value>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<Value, Quantity>) {
    return value.text();
  } else if constexpr (std::is_same_v<Value, Duration>) {
    return value.count();
  } else if constexpr (std::is_same_v<Value, Time>) {
    return value.time_since_epoch().count();
  } else if constexpr (std::is_same_v<Value, Choice>) {
    return choice_json(value);
  } else if constexpr (kIsOptional<Value>) {
    return value ? to_json(*value) : Json();
  } else if constexpr (kIsMap<Value>) {
    Json json = Json::object();
    for (const auto& [name, each] : value) json[name] = to_json(each);
    return json;
  } else if constexpr (kIsList<Value>) {
    Json json = Json::array();
    for (const auto& each : value) json.push_back(to_json(each));
    return json;
  } else {
    return value;
  }
}

template <class T, class Member>
void add_member(Json& json, const T& record, const Field<T, Member>& field) {
  const Member& value = record.*field.member;
  if (field.presence < Presence::replaceable || !is_default(value, T{}.*field.member))
    json[std::string(field.name)] = to_json(value);
}

/// The names of a record's fields, after these.
template <HasFields T, class... More>
auto names_of(More... more) {
  return std::apply(
      [&](const auto&... field) {
        return std::array<std::string_view, sizeof...(field) + sizeof...(more)>{more..., field.name...};
      },
      Declared<T>::kFields);
}

template <class T, class Member>
void read_member(const JsonReader& json, T& record, const Field<T, Member>& field);

/// Counts are at least 1, identifiers and amounts at least 0.
template <class Value>
void read_json(const JsonReader& json, Value& value) {
  if constexpr (HasFields<Value>) {
    json.allow_only(names_of<Value>());
    for_each_field<Value>([&](const auto& field) { read_member(json, value, field); });
  } else if constexpr (std::is_enum_v<Value> && !kWords<Value>.empty()) {
    value = static_cast<Value>(json.word(kWords<Value>));
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(json.integer<std::uint64_t>(0, UINT64_MAX));
  } else if constexpr (std::is_same_v<Value, Quantity>) {
    value = quantity_of(json);
  } else if constexpr (std::is_same_v<Value, Duration>) {
    value = Duration(json.integer<std::int64_t>(1, INT64_MAX));
  } else if constexpr (std::is_same_v<Value, Time>) {
    value = Time(Duration(json.integer<std::int64_t>(INT64_MIN, INT64_MAX)));
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = json.truth();
  } else if constexpr (std::is_same_v<Value, Choice>) {
    value = read_choice(json);
  } else if constexpr (std::is_same_v<Value, Amounts>) {
    value = json.integers<std::int64_t>(0, INT64_MAX);
  } else if constexpr (kIsOptional<Value>) {
    read_json(json, value.emplace());
  } else if constexpr (kIsMap<Value>) {
    for (const auto& [name, each] : json.members()) read_json(each, value[name]);
  } else if constexpr (kIsList<Value>) {
    for (const JsonReader& each : json.items()) read_json(each, value.emplace_back());
  } else if constexpr (std::is_integral_v<Value>) {
    value = json.integer<Value>(1, std::numeric_limits<Value>::max());
  } else {
    value = json.text();
  }
}

template <class T, class Member>
void read_member(const JsonReader& json, T& record, const Field<T, Member>& field) {
  const std::string name(field.name);
  if constexpr (std::is_same_v<Member, std::int64_t>) {
    if (field.any_sign && (field.presence < Presence::replaceable || json.find(name))) {
      record.*field.member = json[name].template integer<std::int64_t>(INT64_MIN, INT64_MAX);
      return;
    }
  }
  if (field.presence < Presence::replaceable) {
    read_json(json[name], record.*field.member);
  } else if (const auto found = json.find(name)) {
    read_json(*found, record.*field.member);
  }
}

// What snapshots and event logs have in common.

/// Refuses a number of the form other than the one that this program reads.
void require_version(const JsonReader& json, int version);
/// Under which kDecisionVersion it was written.
int read_decision_version(const JsonReader& json);
/// The words for it, where that is not the present one.
std::string other_decision_version(int version);

/// An entry of an event log as the JSON of its line, and back.
Json json_of(const LogEntry& entry);
LogEntry entry_of(const JsonReader& json);

Json json_of(const EngineOptions& options);
EngineOptions options_of(const JsonReader& json);

/// What makes the task class of a job: the fields of JobSubmitted that the list marks so.
void add_wish(Json& json, const JobSubmitted& job);
void read_wish(const JsonReader& json, JobSubmitted& job);

Json json_of(const std::map<std::string, std::string>& texts);
std::map<std::string, std::string> texts_of(const JsonReader& json);

/// Whole units, not below zero.
Amounts amounts_of(const JsonReader& json);

}  // namespace mirab::scheduling
