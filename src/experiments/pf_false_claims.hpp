#pragma once

#include <string_view>

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

/// A plot of figure 5 of Bonald and Roberts: all jobs of class 1 claim β of the RAM where they need α, under
/// one mechanism, `drf` or `pf`, for the claims of figure 4. Simulated beside the exact chains.
Reproduction reproduce_false_claims(std::string_view mechanism, std::string_view title,
                                    const RunOptions& options);

}  // namespace mirab::experiments
