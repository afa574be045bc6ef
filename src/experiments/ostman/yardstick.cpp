// What a least share without a centre can be held against. The centralised scheduler goes through the servers
// in their order, a walk comes to them as good as at random. Serial DRF that gives each task to a server
// drawn from those where it fits is about a DGDRF that never errs and whose walks are never in vain; it stops
// when the poorest user's task fits nowhere, as DGDRF does. (No bound: DGDRF's tasks try their home first.)
#include "experiments/ostman/yardstick.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "experiments/means.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {
namespace {

constexpr std::size_t kDraws = 40;  // for each seed

double least_share_by_serial_drf(const Problem& cluster, Random random) {
  const Result<FillOutcome> filled = fill(
      cluster,
      {.discipline = *choose_discipline("drf:blocking=freeze"), .placement = *choose_placement("random")},
      random);
  MIRAB_ASSERT(static_cast<bool>(filled), "the drawn clusters can be filled");
  return std::ranges::min(dominant_shares(cluster, filled->allocation));
}

}  // namespace

Yardstick yardstick_of(std::size_t machines, std::size_t users, const SeedRuns& centralised,
                       std::uint64_t first_seed) {
  Yardstick yardstick;
  for (std::uint64_t s = 0; s < centralised.size(); ++s) {
    const Problem cluster = google_cluster(machines, users, first_seed + s);
    std::vector<double> draws;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      draws.push_back(
          least_share_by_serial_drf(cluster, simulation::stream(first_seed + s, "ostman-yardstick", {draw})) /
          least_share(centralised[s]));
    }
    yardstick.means.push_back(mean(draws));
    yardstick.draws.insert(yardstick.draws.end(), draws.begin(), draws.end());
  }
  return yardstick;
}

std::string in_words(const Yardstick& yardstick, double nearly) {
  const auto below = std::ranges::count_if(yardstick.draws, [&](double draw) { return draw < nearly; });
  return fmt::format(
      "What random servers alone lose: serial DRF, each task on a random server where it fits, ends with "
      "{:.2f} of the centralised least share, the mean of {} draws for each seed; the draws lie between "
      "{:.2f} and "
      "{:.2f}, {} of {} below {}.",
      mean(yardstick.means), kDraws, std::ranges::min(yardstick.draws), std::ranges::max(yardstick.draws),
      below, yardstick.draws.size(), nearly);
}

std::vector<double> over_yardstick(std::vector<double> ratios, const Yardstick& yardstick) {
  std::ranges::transform(ratios, yardstick.means, ratios.begin(), std::divides<>());
  return ratios;
}

}  // namespace mirab::experiments
