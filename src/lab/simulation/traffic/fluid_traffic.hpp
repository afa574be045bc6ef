#pragma once

#include "lab/simulation/traffic/fluid_rates.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {

/// What TrafficModel::fluid asks of a scenario beyond what every model does: pool mechanisms that divide.
Check check_fluid_traffic(const TrafficScenario& scenario);

/// Simulates one mechanism at one load. O(K + log n) an event in a state that is known, else a division.
TrafficMeasured simulate_fluid_traffic(const TrafficRun& run);

/// The same with rates that the caller keeps; of the classes of the run, in their order.
TrafficMeasured simulate_fluid_traffic(const TrafficRun& run, FluidRates& rates);

}  // namespace mirab::simulation
