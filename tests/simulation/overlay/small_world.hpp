#pragma once

#include "lab/simulation/overlay/roster.hpp"
#include "lab/simulation/overlay/world.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {

/// A world of 20 servers and 5 users.
struct SmallWorld {
  explicit SmallWorld(const OverlayScenario& given, std::uint64_t seed = 1)
      : scenario(given),
        roster(roster_of(small_cluster(20, 5))),
        world(roster, scenario.rules[0], scenario, seed) {}

  OverlayScenario scenario;
  Roster roster;
  World world;
};

}  // namespace mirab::simulation
