#pragma once

#include "scheduling/engine_state.hpp"
#include "scheduling/victims.hpp"

namespace mirab::scheduling {

/// A queue whose next task may be placed by force.
struct Engine::State::Gain {
  std::uint32_t queue;
  Victims victims;  ///< who lose tasks to it
};

}  // namespace mirab::scheduling
