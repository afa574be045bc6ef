#pragma once

#include <vector>

#include "simulation/traffic/point.hpp"

namespace mirab::simulation {

/// What was measured, as one point for each class, with intervals of that confidence.
std::vector<TrafficPoint> points_of(const TrafficRun& run, const TrafficMeasured& measured,
                                    double confidence = 0.95);

/// The points of a load that is not stable: nothing is simulated, n_k is infinite and γ_k is 0.
std::vector<TrafficPoint> unstable_points(const TrafficScenario& scenario, double load,
                                          std::size_t mechanism);

}  // namespace mirab::simulation
