#pragma once

#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// What a checked scenario says without effect on this cluster, or to an effect that hardly anybody wants:
/// with its key in the scenario's file or (`servers`, `users`) in the cluster's. No error: it is run all the
/// same. O(N K m) at worst.
std::vector<Error> notices(const Problem& cluster, const OverlayScenario& scenario);

}  // namespace mirab::simulation
