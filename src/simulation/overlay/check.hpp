#pragma once

#include <cstdint>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// The most of an overlay.
inline constexpr std::int64_t kMostOverlayServers = 1'000'000;
inline constexpr std::int64_t kMostOverlayUsers = 1'000'000;

/// What an overlay cannot do with this cluster: weights other than 1, placement constraints, demands per
/// server, too many of anything. Keys are those of the cluster file.
Check check_overlay_cluster(const Problem& cluster);

/// That; what makes no sense in the scenario; and what does not go with this cluster. Keys are those of the
/// files.
Check check_overlay(const Problem& cluster, const OverlayScenario& scenario);

/// Servers, every copy of an entry for itself; of too many only that they are.
std::int64_t server_copies(const Problem& cluster);

}  // namespace mirab::simulation
