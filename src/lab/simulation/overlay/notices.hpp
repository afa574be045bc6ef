#pragma once

#include <cstdint>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {

/// The notices (notices.hpp) about what goes wrong, and about who pauses, in a cluster of this many servers.
std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers);

/// What a checked scenario says without effect on this cluster, or to an effect that is hardly ever wanted:
/// with its key in the scenario's file or (`servers`, `users`) in the cluster's. No error: it is run all the
/// same. O(N K m) at worst.
std::vector<Error> notices(const Problem& cluster, const OverlayScenario& scenario);

}  // namespace mirab::simulation
