#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <mirab/model/time.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// `factor` times as long, to the nearest nanosecond.
inline Duration stretched(Duration length, double factor) {
  return Duration(std::llround(static_cast<double>(length.count()) * factor));
}

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

/// How long what the network does may keep things from being put right (docs/explanation/overlay-faults.md).
struct Bounds {
  Duration held{};       ///< a reservation that is not answered, on a server that ticks
  Duration agreed{};     ///< host and user do not agree on whether a task runs
  Duration placement{};  ///< no placement though the task whose turn it is fits
};

/// The sentences of docs/explanation/overlay-faults.md as numbers. `held` counts from the reservation; the
/// others from the last fault of the plan, or later. Loss that never ends makes them longer: one in 10⁹ fails
/// in spite of all repetitions.
Bounds bounds_for(const overlay::OverlayOptions& options, const OverlayScenario& scenario);

/// When the last fault of the plan is over, from the first tick on. Loss, duplication … that never end do not
/// count: nor does that a server stays away.
Duration last_fault(const Faults& faults);

/// The largest factor by which the plan slows the server down, ≥ 1.
double slowest(const Faults& faults, std::uint32_t node);

}  // namespace mirab::simulation
