#pragma once

#include <string_view>

#include <mirab/simulation/reallocation.hpp>

#include "simulation/server_kinds.hpp"
#include "simulation/step_integral.hpp"

namespace mirab::simulation {

inline constexpr std::string_view kChangesLeftOut =
    "servers that come or go are left out: the cluster stays as it is at the beginning";

/// Errors as for reallocate(), but for those of server_kinds() and of a mechanism.
Check check_reallocation(const Problem& cluster, const Workload& workload,
                         const ReallocationOptions& options);

/// Fills times, servers and active from what was held over [0, span): the use of each kind of server and
/// resource, then the number of claimants.
void report_use(const Problem& cluster, const ServerKinds& kinds, const ReallocationOptions& options,
                Duration span, const StepIntegral& steps, ReallocationOutcome& outcome);

}  // namespace mirab::simulation
