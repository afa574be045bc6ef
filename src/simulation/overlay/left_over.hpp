#pragma once

#include <optional>

#include "simulation/overlay/ledger.hpp"
#include "simulation/overlay/world.hpp"

namespace mirab::simulation {

/// Has the run come to rest with room left because of a user without a task that is the poorest
/// (Idle::block)? Only where tasks do not end and no duration cuts the run off, and to schedulers who wait
/// for such a user. Of the tasks that would fit those of the first users are counted first, each on the first
/// servers. O(N K m).
std::optional<LeftOver> left_over(const World& world, const Ledger& ledger, const OverlayRules& rules,
                                  const OverlayScenario& scenario);

}  // namespace mirab::simulation
