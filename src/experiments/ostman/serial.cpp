// The ceiling of DGDRF's least share: what is lost to the random choice of servers alone, without a network.
#include "experiments/ostman/serial.hpp"

#include <algorithm>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "experiments/ostman/google_cluster.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {

std::vector<double> serial_least_shares(std::size_t machines, std::size_t users, std::uint64_t seed,
                                        std::size_t draws) {
  const Problem cluster = google_cluster(machines, users, seed);
  const FillOptions options{.discipline = *choose_discipline("drf:blocking=freeze"),
                            .placement = *choose_placement("random")};
  std::vector<double> least;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    Random random = simulation::stream(seed, "ostman-serial", {draw});
    const Result<FillOutcome> filled = fill(cluster, options, random);
    MIRAB_ASSERT(static_cast<bool>(filled), "the drawn clusters can be filled");
    least.push_back(std::ranges::min(dominant_shares(cluster, filled->allocation)));
  }
  return least;
}

}  // namespace mirab::experiments
