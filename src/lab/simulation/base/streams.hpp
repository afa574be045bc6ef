#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <mirab/model/random.hpp>

namespace mirab::simulation {

/// The seed of the stream of one purpose: `stream_seed(seed, "arrivals", {k})`. What another purpose or
/// another index draws, how much of it and in which order, changes nothing here; so contenders that share
/// seed, purpose and index live through the same (common random numbers: Law, Simulation Modeling and
/// Analysis, section 11.2).
std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose,
                          std::initializer_list<std::uint64_t> index = {});

/// The stream itself.
Random stream(std::uint64_t seed, std::string_view purpose, std::initializer_list<std::uint64_t> index = {});

}  // namespace mirab::simulation
