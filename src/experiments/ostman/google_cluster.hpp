#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <mirab/model/problem.hpp>

namespace mirab::experiments {

/// Experiment.data of what runs on such clusters: the thesis' own draws are not published.
inline constexpr std::string_view kDrawnFromTheTrace =
    "stand-in: machines and users drawn from part 0 of the Google trace";

/// A cluster as the thesis draws them (Östman, 5.1): so many machines of the Google trace, drawn without
/// replacement among the 12,477 that are there at time 0; so many of its 505 users, likewise; each asks
/// endlessly for what one of its tasks, drawn at random, requests of CPU and memory. The machines do not
/// depend on the number of users, and the first users of a larger number are those of a smaller.
Problem google_cluster(std::size_t machines, std::size_t users, std::uint64_t seed);

}  // namespace mirab::experiments
