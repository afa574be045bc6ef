#pragma once

#include <bit>
#include <cstdint>

#include <mirab/model/random.hpp>

#include "simulation/streams.hpp"

namespace mirab::simulation {

/// When jobs of class k arrive at a load. The same for every mechanism, whatever other loads and classes
/// there are.
inline Random arrival_stream(std::uint64_t seed, double load, std::size_t k) {
  return stream(seed, "arrivals", {std::bit_cast<std::uint64_t>(load), k});
}

/// How much jobs of class k, in the order in which they arrive, have to do at a load. Idem.
inline Random size_stream(std::uint64_t seed, double load, std::size_t k) {
  return stream(seed, "sizes", {std::bit_cast<std::uint64_t>(load), k});
}

}  // namespace mirab::simulation
