#pragma once

#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// No arrival is waited for so many units of time: every run that check_task_bounds lets by is over long
/// before.
constexpr double kLongestWait = 4e9;

/// Does a run of whole tasks fit into memory, into some hours and into 63 bits of nanoseconds? Of a scenario
/// with valid classes and loads. Errors: `classes[k].permanent`, `classes[k].demand`, `tasks_per_job`,
/// `load.at[i]`.
Check check_task_bounds(const TrafficScenario& scenario);

}  // namespace mirab::simulation
