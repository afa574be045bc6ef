#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mirab::experiments {

/// The least dominant shares that serial DRF ends with on one of the drawn clusters, when each task goes to a
/// server drawn from those where it fits, one for each draw: what a DGDRF reaches that never errs and whose
/// walks are never in vain. It stops when the poorest user's task fits nowhere, as DGDRF does.
std::vector<double> serial_least_shares(std::size_t machines, std::size_t users, std::uint64_t seed,
                                        std::size_t draws);

}  // namespace mirab::experiments
