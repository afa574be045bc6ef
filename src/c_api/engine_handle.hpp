#pragma once

// The engine behind the handle of mirab/engine.h, and the frame of every function that takes one: no
// exception leaves, and a refusal is kept for mirab_engine_error().

#include <exception>
#include <initializer_list>
#include <optional>
#include <string>

#include <mirab/engine.h>
#include <mirab/scheduling/engine.hpp>

#include "c_api/boundary.hpp"

struct mirab_engine {
  mirab::scheduling::Engine engine;
  mirab::Random random{0};
  mutable std::string error = {};  ///< why the last call was refused; a query may be refused too
  std::optional<mirab::scheduling::Placed> last_step = {};  ///< what came of it
};

namespace mirab::c_api {

inline Time at(std::int64_t now) { return Time(Duration(now)); }

inline mirab_placed plain(const scheduling::Placed& placed) {
  return {.task = static_cast<mirab_id>(placed.task),
          .job = static_cast<mirab_id>(placed.job),
          .user = static_cast<mirab_id>(placed.user),
          .server = static_cast<mirab_id>(placed.server)};
}

inline mirab_task plain(const scheduling::Engine::TaskState& running) {
  return {.task = static_cast<mirab_id>(running.task),
          .job = static_cast<mirab_id>(running.job),
          .server = static_cast<mirab_id>(running.server),
          .started = running.started.time_since_epoch().count(),
          .role = running.role};
}

inline mirab_status refused(mirab_engine& engine, const Error& error) {
  engine.error = describe(error);
  return MIRAB_REFUSED;
}

inline mirab_status invalid(const mirab_engine& engine, const Error& error) {
  engine.error = describe(error);
  return MIRAB_INVALID;
}

/// What `act` returns; MIRAB_INVALID when the engine or one of the arguments is NULL; MIRAB_FAILED when `act`
/// throws, since only memory can run out here.
template <class Act>
mirab_status guarded(const mirab_engine* engine, std::initializer_list<Required> arguments,
                     const Act& act) noexcept {
  if (engine == nullptr) return MIRAB_INVALID;
  try {
    engine->error.clear();
    if (const Check wrong = check_arguments(arguments)) return invalid(*engine, *wrong);
    return act();
  } catch (const std::exception&) {
    return MIRAB_FAILED;
  }
}

/// An output that the caller may leave out.
template <class Value>
void give(const Value& value, Value* to) {
  if (to != nullptr) *to = value;
}

}  // namespace mirab::c_api
