#pragma once

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// What an overlay cannot do with this cluster: weights other than 1, placement constraints, demands per
/// server, more than 1,000,000 servers.
Check check_overlay_cluster(const Problem& cluster);

/// What makes no sense in the scenario, or in this cluster. Keys are those of the scenario file.
Check check_overlay(const Problem& cluster, const OverlayScenario& scenario);

}  // namespace mirab::simulation
