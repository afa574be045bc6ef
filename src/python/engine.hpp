#pragma once

#include <optional>
#include <pybind11/pybind11.h>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "python/conversion.hpp"

namespace mirab::python {

/// `mirab.Engine`: an engine with the random numbers that it draws.
struct Scheduler {
  scheduling::Engine engine;
  Random random;

  /// The caller's time, or when that is left out the time of the latest event.
  Time at(const std::optional<Time>& now) const { return now ? *now : engine.now().value_or(Time{}); }

  std::optional<scheduling::Placed> step(const std::optional<Time>& now) {
    return engine.step(at(now), random);
  }
};

using EngineClass = pybind11::class_<Scheduler>;

/// The type of named tuples for a record with a list of fields. `name` is `mirab.Name`.
template <class T>
Record record_of(pybind11::module_& module, const char* name) {
  std::vector<std::pair<const char*, const char*>> fields;
  scheduling::for_each_field<T>([&](const auto& field) {
    const std::string_view shown = field.python_name.empty() ? field.name : field.python_name;
    fields.emplace_back(shown.data(), field.meaning.data());
  });
  return {module, name, scheduling::Declared<T>::kEffect.data(), fields};
}

/// A record as a named tuple: identifiers as numbers, other members as `value_of` makes them.
template <class T, class ValueOf>
pybind11::object named_tuple(const Record& record, const T& value, ValueOf value_of) {
  const auto member = [&]<class Member>(const Member& each) {
    if constexpr (std::is_enum_v<Member> && !scheduling::kWords<Member>.empty()) {
      return scheduling::kWords<Member>[static_cast<std::size_t>(each)];
    } else if constexpr (std::is_enum_v<Member>) {
      return static_cast<std::uint64_t>(each);
    } else {
      return value_of(each);
    }
  };
  return std::apply([&](const auto&... field) { return record(member(value.*field.member)...); },
                    scheduling::Declared<T>::kFields);
}

/// A mirab.Lost or mirab.Preempted.
template <class Ended>
pybind11::object ended_record(const Record& record, const Ended& ended) {
  return named_tuple(record, ended, [](const auto& value) { return value; });
}

/// How to make a mirab.Placed, with what it consists of.
struct PlacedRecord {
  Record placed;
  Record companion;
  Record preempted;

  pybind11::object operator()(const scheduling::Placed& placed) const;
  pybind11::object operator()(const scheduling::Companion& other) const;
  pybind11::object operator()(const scheduling::Preempted& task) const {
    return ended_record(preempted, task);
  }
};

/// One method for each event (engine_events.cpp). `lost` makes a mirab.Lost.
void add_events(EngineClass& engine, const Record& lost);

/// What is decided, and how a Placed is made.
PlacedRecord add_steps(pybind11::module_& module, EngineClass& engine);

/// Why tasks wait, and are placed.
void add_reasons(pybind11::module_& module, EngineClass& engine, const PlacedRecord& placed);

/// The rules of reservations and preemption, and which servers are kept.
void add_rules(pybind11::module_& module, EngineClass& engine);

}  // namespace mirab::python
