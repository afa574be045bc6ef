#pragma once

#include <cstdint>

#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// How long what the network does may keep things from being put right (docs/overlay-faults.md).
struct Bounds {
  Duration held{};       ///< a reservation that is not answered, on a server that ticks
  Duration agreed{};     ///< host and user do not agree on whether a task runs
  Duration placement{};  ///< no placement though the task whose turn it is fits
};

/// The sentences of docs/overlay-faults.md as numbers. `held` counts from the reservation; the others from
/// the last fault of the plan, or later. Loss that never ends makes them longer: so many repetitions that one
/// in 10⁹ fails at all.
Bounds bounds_for(const overlay::OverlayOptions& options, const OverlayScenario& scenario);

/// When the last fault of the plan is over, from the first tick on. Loss, duplication … that never end do not
/// count: nor does that a server stays away.
Duration last_fault(const Faults& faults);

/// The largest factor by which the plan slows the server down, ≥ 1.
double slowest(const Faults& faults, std::uint32_t node);

}  // namespace mirab::simulation
