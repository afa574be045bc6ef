#pragma once

#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::simulation {

/// A time after the end of every run that check_task_bounds accepts: no arrival comes so late.
constexpr double kLongestWait = 4e9;

/// Does a run of whole tasks fit into memory, into some hours and into 63 bits of nanoseconds? Of a scenario
/// with valid classes and loads. Errors: `classes[k].permanent`, `classes[k].demand`, `tasks_per_job`,
/// `load.at[i]`.
Check check_task_bounds(const TrafficScenario& scenario);

/// What TrafficModel::tasks asks of a scenario beyond what every model does.
Check check_task_traffic(const TrafficScenario& scenario);

/// Simulates one mechanism at one load task by task on the engine.
TrafficMeasured simulate_task_traffic(const TrafficRun& run);

}  // namespace mirab::simulation
