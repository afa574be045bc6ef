#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/ostman/runs.hpp"

namespace mirab::experiments {

/// The least shares of serial DRF that gives each task to a random server where it fits, over the centralised
/// ones: what the random choice of servers alone loses.
struct Yardstick {
  std::vector<double> means;  ///< of the draws of each seed. [seed]
  std::vector<double> draws;  ///< of all seeds
};

/// On the clusters of these runs of the centralised scheduler, whose seeds count from `first_seed`.
Yardstick yardstick_of(std::size_t machines, std::size_t users, const SeedRuns& centralised,
                       std::uint64_t first_seed);

/// `nearly`: so much of the centralised least share is nearly as good.
std::string in_words(const Yardstick& yardstick, double nearly);

/// Ratios to the centralised least share, seed by seed, as ratios to the yardstick.
std::vector<double> over_yardstick(std::vector<double> ratios, const Yardstick& yardstick);

}  // namespace mirab::experiments
