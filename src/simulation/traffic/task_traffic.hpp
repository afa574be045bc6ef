#pragma once

#include "simulation/traffic/point.hpp"

namespace mirab::simulation {

/// What TrafficModel::tasks asks of a scenario beyond what every model does.
Check check_task_traffic(const TrafficScenario& scenario);

/// Simulates one mechanism at one load task by task on the engine.
TrafficMeasured simulate_task_traffic(const TrafficRun& run);

}  // namespace mirab::simulation
