#pragma once

#include <cstdint>
#include <vector>

#include <mirab/experiments/experiment.hpp>

#include "experiments/hamzeh_placing.hpp"
#include "simulation/demand_generator.hpp"

namespace mirab::experiments {

/// Where batches of tasks of CPU and RAM come from.
struct RequestSource {
  std::vector<simulation::DemandProfile> profiles;  ///< the generator's users; none for a sample
  std::vector<std::vector<double>> sample;          ///< requests, [task][r]
  double scale = 1;                                 ///< every demand is multiplied by it
};

/// Forty users of the generator, about as many of their tasks dominated by CPU as by RAM on (3000, 6000).
RequestSource generated_requests(const RunOptions& options, double scale);

/// One hundredth of the tasks of the Google trace, as parts of a server of that capacity.
RequestSource google_requests(const RunOptions& options, const std::vector<double>& capacity, double scale);

/// The batch of an iteration: the tasks of users, or of the sample, drawn at random. The same for every
/// placement.
TaskBatch draw_batch(const RequestSource& source, std::size_t tasks, std::uint64_t seed,
                     std::size_t iteration);

}  // namespace mirab::experiments
