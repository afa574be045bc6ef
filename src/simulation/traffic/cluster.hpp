#pragma once

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// The pool as one server, and a user for each class, who asks for what its jobs claim. Errors: an amount
/// that no Quantity holds.
Result<Cluster> cluster_of(const TrafficScenario& scenario);

}  // namespace mirab::simulation
