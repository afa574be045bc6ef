#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "simulation/workloads.hpp"

namespace mirab::simulation {

/// What the naive replay looks for among servers with room.
enum class NaivePlacement { first_fit, best_fit };

/// Whom it serves next.
enum class NaiveDiscipline { fifo, drf };

/// A task starts: when, of which user, with which request, on which server.
using NaiveStart = std::tuple<Duration, std::uint32_t, std::uint32_t, std::uint32_t>;

/// Replays a trace of whole amounts by scanning everything at every instant, without the engine: for what is
/// small only. Until the end of the span, or until nothing more happens. Servers have the lowest number that
/// is vacant.
std::vector<NaiveStart> naive_replay(const SmallTrace& trace, NaiveDiscipline discipline,
                                     NaivePlacement placement, ReplayUntil until);

}  // namespace mirab::simulation
