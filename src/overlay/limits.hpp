#pragma once

#include <cstddef>

namespace mirab::overlay {

// How much a node keeps of what others say. Whoever can reach a node can speak to it from any address, so
// every table that grows with what is heard has an end (docs/overlay-messages.md); no cluster that works
// comes near it.

/// Servers on the roll of the gateway and of the bootstrap server.
inline constexpr std::size_t kMostServers = std::size_t{1} << 20;
/// Users of a home, and of the central server.
inline constexpr std::size_t kMostResidents = std::size_t{1} << 17;
/// Tasks that a host holds, runs, or still tells the end of.
inline constexpr std::size_t kMostTasks = std::size_t{1} << 17;
/// Tasks that wait at a server under probes.
inline constexpr std::size_t kMostProbes = std::size_t{1} << 14;

}  // namespace mirab::overlay
