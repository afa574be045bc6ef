#pragma once

#include <optional>
#include <pybind11/pybind11.h>

#include <mirab/model/random.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "python/records.hpp"

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

inline pybind11::object lost_record(const Record& record, const scheduling::Lost& lost) {
  return record(static_cast<std::uint64_t>(lost.task), static_cast<std::uint64_t>(lost.job));
}

/// How to make a mirab.Placed, with what it consists of.
struct PlacedRecord {
  Record placed;
  Record companion;
  Record lost;

  pybind11::object operator()(const scheduling::Placed& placed) const;
};

/// One method for each event (engine_events.cpp). `lost` makes a mirab.Lost.
void add_events(EngineClass& engine, const Record& lost);

/// What is decided, and how a Placed is made (engine_steps.cpp).
PlacedRecord add_steps(pybind11::module_& module, EngineClass& engine, const Record& lost);

/// Why tasks wait, and are placed (engine_why.cpp).
void add_reasons(pybind11::module_& module, EngineClass& engine, const PlacedRecord& placed);

/// The rules of reservations and preemption, and which servers are kept (engine_rules.cpp).
void add_rules(pybind11::module_& module, EngineClass& engine);

}  // namespace mirab::python
