#pragma once

#include "simulation/overlay/promises.hpp"
#include "simulation/overlay/world.hpp"

namespace mirab::simulation {

/// An observer that tells the promises everything. They must outlive it.
Observer observer_of(Promises& promises);

/// What the nodes of a world say of themselves. It must outlive that.
Insight insight_into(const World& world);

}  // namespace mirab::simulation
