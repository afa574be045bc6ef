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

/// A mirab.Placed. Who adds to what a step tells adds it behind.
inline pybind11::object placed_record(const Record& record, const scheduling::Placed& placed) {
  return record(static_cast<std::uint64_t>(placed.task), static_cast<std::uint64_t>(placed.job),
                static_cast<std::uint64_t>(placed.user), static_cast<std::uint64_t>(placed.server));
}

using EngineClass = pybind11::class_<Scheduler>;

/// One method for each event (engine_events.cpp).
void add_events(pybind11::module_& module, EngineClass& engine);

/// Why tasks wait, and are placed (engine_why.cpp). `placed` makes a mirab.Placed.
void add_reasons(pybind11::module_& module, EngineClass& engine, const Record& placed);

}  // namespace mirab::python
