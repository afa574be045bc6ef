#pragma once

#include <cstddef>

namespace mirab::overlay {

// How much a node keeps of others' messages. A peer that can reach a node can use any address, so every table
// that grows with messages is bounded (docs/reference/overlay-messages.md); no cluster that works
// comes near it.

/// Servers on the roll of the gateway and of the bootstrap server.
inline constexpr std::size_t kMaxServers = std::size_t{1} << 20;
/// Users of a home, and of the central server.
inline constexpr std::size_t kMaxUserEntries = std::size_t{1} << 17;
/// Tasks that a host holds, runs, or still tells the end of.
inline constexpr std::size_t kMaxTasks = std::size_t{1} << 17;
/// Tasks that wait at a server under probes.
inline constexpr std::size_t kMaxProbes = std::size_t{1} << 14;

}  // namespace mirab::overlay
