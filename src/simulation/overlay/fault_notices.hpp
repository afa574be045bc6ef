#pragma once

#include <cstdint>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// The notices (notices.hpp) about what goes wrong, and about who pauses, in a cluster of so many servers.
std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers);

}  // namespace mirab::simulation
