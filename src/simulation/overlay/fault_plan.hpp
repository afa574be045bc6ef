#pragma once

#include <cstdint>
#include <vector>

#include <mirab/simulation/overlay.hpp>

#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// Something planned that changes in the world.
struct Change {
  enum class What : std::uint8_t { cut, heal, crash, back, slow, fast, join, leave, restart, pause, resume };
  Time at{};
  What what = What::cut;
  std::uint32_t index = 0;  ///< in the scenario's list of its kind
};

/// The plans of a scenario in the order of time; of the same time in the order of What and the lists.
struct FaultPlan {
  std::vector<Change> changes;
  /// Who is cut off by each partition. [partition][node]
  std::vector<std::vector<bool>> inside;
};

/// `origin`: the first tick, from which plans count. Who is cut off is drawn from the seed.
FaultPlan plan_of(const OverlayScenario& scenario, const Roster& roster, std::uint64_t seed, Time origin);

}  // namespace mirab::simulation
