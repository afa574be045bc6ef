#pragma once

#include <cstdint>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {

/// What makes no sense in a plan of what goes wrong, whatever the cluster: probabilities that are none, times
/// that run backwards, and what contradicts itself: a server that leaves before it joins, crashes where it is
/// not, or crashes again while it is down.
Check check_faults(const Faults& faults);

/// The same of pauses, of which a user has one at a time.
Check check_pauses(const std::vector<UserPause>& pauses);

/// Is everyone there whom something is to happen to?
Check check_places(const Faults& faults, std::int64_t servers);
Check check_places(const std::vector<UserPause>& pauses, const Problem& cluster);

/// The most of an overlay. Derived: the gateway lists 2^20 servers (overlay/table_limits.hpp).
inline constexpr std::int64_t kMaxOverlayServers = 1'000'000;
inline constexpr std::int64_t kMaxOverlayUsers = 1'000'000;

/// What an overlay cannot do with this cluster: weights other than 1, placement constraints, demands per
/// server, too many of anything. Keys are those of the cluster file.
Check check_overlay_cluster(const Problem& cluster);

/// That; what makes no sense in the scenario; and what does not go with this cluster. Keys are those of the
/// files.
Check check_overlay(const Problem& cluster, const OverlayScenario& scenario);

/// Servers, every copy of an entry for itself; of too many only that they are.
std::int64_t server_copies(const Problem& cluster);

/// The notices() about what goes wrong, and about who pauses, in a cluster of this many servers.
std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers);

/// What a checked scenario says without effect on this cluster, or to an effect that is hardly ever wanted:
/// with its key in the scenario's file or (`servers`, `users`) in the cluster's. No error: it is run all the
/// same. O(N K m) at worst.
std::vector<Error> notices(const Problem& cluster, const OverlayScenario& scenario);

}  // namespace mirab::simulation
