#pragma once

#include <cstdint>

#include "simulation/overlay/trial.hpp"

namespace mirab::simulation {

/// A random trial of a search, the same for the same options and seed: a small cluster, short patience (so
/// that much happens in little time) with or without a lease, tasks that end or not, and in the first half of
/// the run faults of every kind; the second half is calm, for liveness. In most trials 10 % of the messages
/// are lost while it lasts. Nobody crashes, joins or leaves at once, and no server does twice; server 0
/// neither joins later nor leaves, so that there always is a server. Users are cut off and clocks differ too.
Trial draw_trial(const SearchOptions& options, std::uint64_t seed);

}  // namespace mirab::simulation
