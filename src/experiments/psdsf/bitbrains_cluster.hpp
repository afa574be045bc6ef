#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab::experiments {

/// The moments of the day, half an hour apart, at which the use of the Bitbrains machines is known.
inline constexpr std::size_t kBitbrainsInstants = 48;

/// cpu in GHz, memory in GB, storage (read and write) in MB/s, network out and in in Mb/s.
std::vector<std::string> bitbrains_resources();

/// The data centre of paper 001 at three places, `times` as large.
std::vector<Server> bitbrains_servers(std::int64_t times);

/// The machines that are active at an instant, below kBitbrainsInstants, each a user whose task takes what
/// the machine then uses.
std::vector<User> bitbrains_users(std::size_t instant);

}  // namespace mirab::experiments
