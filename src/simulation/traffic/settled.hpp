#pragma once

#include <span>

#include "simulation/traffic/point.hpp"

namespace mirab::simulation {

/// Was the run long enough for the interval of class k? `residuals` are what that interval is made of,
/// [batch] (ratio_residuals).
bool is_settled(const TrafficRun& run, std::size_t k, std::span<const double> residuals);

/// The time in which a pool forgets how many jobs were there, in units of a job alone: infinite from load 1
/// on.
double relaxation_time(const TrafficScenario& scenario, double load);

}  // namespace mirab::simulation
