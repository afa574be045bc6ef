// The fields of a record as arguments of a Python method: what callers give for each, and how
// pybind11 takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/fields.hpp>

#include "python/conversion.hpp"

namespace mirab::python {

/// What Python's callers give for a member of a record. Exact: nothing is converted on the way.
template <class Member>
struct Argument {
  using Type = Member;
  static constexpr bool kExact = false;
  static Member read(Type&& value, const std::string& /*key*/) { return std::move(value); }
  static pybind11::object shown(const Member& value) { return pybind11::cast(value); }
};

/// An identifier is a number; a choice between words is one of them.
template <class Enum>
requires std::is_enum_v<Enum>
struct Argument<Enum> {
  static constexpr const auto& kAll = scheduling::kWords<Enum>;
  static constexpr bool kIsWord = !kAll.empty();
  using Type = std::conditional_t<kIsWord, std::string, std::uint64_t>;
  static constexpr bool kExact = false;
  static Enum read(Type&& value, const std::string& key) {
    if constexpr (kIsWord) {
      std::string message = "'" + value + "' is none of";
      for (std::size_t k = 0; k < kAll.size(); ++k) {
        if (kAll[k] == value) return static_cast<Enum>(k);
        message += " " + std::string(kAll[k]);
      }
      throw Refusal({.message = std::move(message), .key = key});
    } else {
      return static_cast<Enum>(value);
    }
  }
  static pybind11::object shown(Enum value) {
    if constexpr (kIsWord) {
      return pybind11::cast(kAll[static_cast<std::size_t>(value)]);
    } else {
      return pybind11::cast(static_cast<std::uint64_t>(value));
    }
  }
};

template <class Member>
struct ExactArgument {
  using Type = Member;
  static constexpr bool kExact = true;
  static Member read(Type&& value, const std::string& /*key*/) { return std::move(value); }
  static pybind11::object shown(const Member& value) { return pybind11::cast(value); }
};

template <>
struct Argument<std::int64_t> : ExactArgument<std::int64_t> {};
template <>
struct Argument<std::size_t> : ExactArgument<std::size_t> {};
template <>
struct Argument<std::optional<std::int64_t>> : ExactArgument<std::optional<std::int64_t>> {};
template <>
struct Argument<scheduling::Amounts> : ExactArgument<scheduling::Amounts> {};
template <>
struct Argument<std::optional<scheduling::Amounts>> : ExactArgument<std::optional<scheduling::Amounts>> {};
template <>
struct Argument<std::map<std::string, scheduling::Amounts>>
    : ExactArgument<std::map<std::string, scheduling::Amounts>> {};

template <>
struct Argument<Quantity> {
  using Type = pybind11::object;
  static constexpr bool kExact = false;
  static Quantity read(Type&& value, const std::string& key) { return quantity_of(value, key); }
  static pybind11::object shown(const Quantity& value) { return pybind11::int_(pybind11::str(value.text())); }
};

template <>
struct Argument<std::vector<Quantity>> {
  using Type = std::vector<pybind11::object>;
  static constexpr bool kExact = false;
  static std::vector<Quantity> read(Type&& values, const std::string& key) {
    std::vector<Quantity> quantities;
    for (const pybind11::object& each : values) quantities.push_back(quantity_of(each, key));
    return quantities;
  }
  static pybind11::object shown(const std::vector<Quantity>& /*none*/) { return pybind11::tuple(); }
};

/// A discipline or placement, as on the command line.
template <>
struct Argument<Choice> {
  using Type = std::string;
  static constexpr bool kExact = false;
  static Choice read(Type&& text, const std::string& key) {
    return value_of(key == "placement" ? choose_placement(text) : choose_discipline(text));
  }
};

/// A label, or a label and the largest difference.
template <>
struct Argument<std::optional<scheduling::Spread>> {
  using Type = std::optional<std::variant<std::string, std::pair<std::string, std::int64_t>>>;
  static constexpr bool kExact = true;
  static std::optional<scheduling::Spread> read(Type&& value, const std::string& /*key*/) {
    if (!value) return {};
    if (auto* const label = std::get_if<std::string>(&*value))
      return scheduling::Spread{.label = std::move(*label)};
    auto& [label, most_apart] = std::get<std::pair<std::string, std::int64_t>>(*value);
    return scheduling::Spread{.label = std::move(label), .most_apart = most_apart};
  }
  static pybind11::object shown(const std::optional<scheduling::Spread>& /*none*/) {
    return pybind11::none();
  }
};

/// Servers by their identifiers.
template <>
struct Argument<std::vector<scheduling::ServerId>> {
  using Type = std::vector<std::uint64_t>;
  static constexpr bool kExact = true;
  static std::vector<scheduling::ServerId> read(Type&& numbers, const std::string& /*key*/) {
    std::vector<scheduling::ServerId> servers;
    for (const std::uint64_t number : numbers) servers.push_back(scheduling::ServerId{number});
    return servers;
  }
  static pybind11::object shown(const std::vector<scheduling::ServerId>& /*none*/) {
    return pybind11::tuple();
  }
};

/// Roles as pairs of tasks and demand.
template <>
struct Argument<std::vector<scheduling::Role>> {
  using Type = std::vector<std::pair<std::int64_t, scheduling::Amounts>>;
  static constexpr bool kExact = true;
  static std::vector<scheduling::Role> read(Type&& pairs, const std::string& /*key*/) {
    std::vector<scheduling::Role> roles;
    for (auto& [tasks, demand] : pairs) roles.push_back({.tasks = tasks, .demand = std::move(demand)});
    return roles;
  }
  static pybind11::object shown(const std::vector<scheduling::Role>& /*none*/) { return pybind11::tuple(); }
};

/// A priority, or a priority, a time and a tie.
template <>
struct Argument<std::optional<scheduling::Rank>> {
  using Type = std::optional<std::variant<std::int64_t, std::tuple<std::int64_t, Time, std::int64_t>>>;
  static constexpr bool kExact = true;
  static std::optional<scheduling::Rank> read(Type&& value, const std::string& /*key*/) {
    if (!value) return {};
    if (const auto* const priority = std::get_if<std::int64_t>(&*value))
      return scheduling::Rank{.priority = *priority};
    const auto [priority, time, tie] = std::get<1>(*value);
    return scheduling::Rank{.priority = priority, .time = time, .tie = tie};
  }
  static pybind11::object shown(const std::optional<scheduling::Rank>& /*none*/) { return pybind11::none(); }
};

template <class Each>
inline constexpr std::size_t kFieldCount = std::tuple_size_v<decltype(scheduling::Declared<Each>::kFields)>;

/// How many fields come before the first that is left out like this; those after it are given by name.
template <class Each>
constexpr std::size_t fields_before(scheduling::Presence presence) {
  std::size_t count = 0;
  scheduling::for_each_field<Each>([&](const auto& field) { count += field.presence < presence ? 1 : 0; });
  return count;
}

/// The I-th argument as pybind11 takes it: its name, its default.
template <class Each, std::size_t I, std::size_t positional, class Member>
auto described(const scheduling::Field<Each, Member>& field) {
  namespace py = pybind11;
  py::arg name(field.name.data());
  name.noconvert(Argument<Member>::kExact);
  constexpr const auto& kField = std::get<I>(scheduling::Declared<Each>::kFields);
  if constexpr (!kField.python_default.empty()) {
    return std::tuple(name = kField.python_default);
  } else if constexpr (kField.presence == scheduling::Presence::required) {
    return std::tuple(name);
  } else if constexpr (I == positional) {
    return std::tuple(py::kw_only(), name = Argument<Member>::shown(Each{}.*field.member));
  } else {
    return std::tuple(name = Argument<Member>::shown(Each{}.*field.member));
  }
}

/// All arguments; from `positional` on they are given by name.
template <class Each, std::size_t positional>
auto described_arguments() {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat(
        described<Each, I, positional>(std::get<I>(scheduling::Declared<Each>::kFields))...);
  }
  (std::make_index_sequence<kFieldCount<Each>>{});
}

/// The record that arguments make, in the order of its fields.
template <class Each, class... Given>
Each record_from(Given... arguments) {
  Each record{};
  std::apply(
      [&]<class... Member>(const scheduling::Field<Each, Member>&... field) {
        ((record.*field.member = Argument<Member>::read(std::move(arguments), std::string(field.name))), ...);
      },
      scheduling::Declared<Each>::kFields);
  return record;
}

/// What each argument means, a line each.
template <class Each>
std::string meanings() {
  std::string text;
  scheduling::for_each_field<Each>([&](const auto& field) {
    text += "\n`" + std::string(field.name) + "`: " + std::string(field.meaning) + ".";
  });
  return text;
}

}  // namespace mirab::python
