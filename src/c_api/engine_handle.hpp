#pragma once

#include <exception>
#include <optional>
#include <string>

#include <mirab/engine.h>
#include <mirab/scheduling/engine.hpp>

struct mirab_engine {
  mirab::scheduling::Engine engine;
  mirab::Random random{0};
  std::string error = {};
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

inline mirab_status refused(mirab_engine& engine, const Error& error) {
  engine.error = describe(error);
  return MIRAB_REFUSED;
}

/// What `act` returns, or MIRAB_FAILED: only memory can run out here.
template <class Act>
mirab_status guarded(const Act& act) noexcept {
  try {
    return act();
  } catch (const std::exception&) {
    return MIRAB_FAILED;
  }
}

/// The same for what changes the engine, and may be refused.
template <class Act>
mirab_status guarded(mirab_engine& engine, const Act& act) noexcept {
  return guarded([&] {
    engine.error.clear();
    return act();
  });
}

}  // namespace mirab::c_api
