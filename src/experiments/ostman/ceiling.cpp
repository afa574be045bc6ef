// The ceiling of a least share without a centre. The centralised scheduler goes through the servers in their
// order; a walk comes to them at random. Serial DRF that gives each task to a server drawn from those where
// it fits is a DGDRF that never errs, whose walks are never in vain, and which stops when the poorest user's
// task fits nowhere, as DGDRF does: none can be expected to end above it.
#include "experiments/ostman/ceiling.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include <mirab/audit/metrics.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/scheduling/fill.hpp>

#include "experiments/means.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "simulation/streams.hpp"

namespace mirab::experiments {
namespace {

using overlay::Scheduler;

constexpr std::size_t kDraws = 40;  // for each seed

double least_share_by_serial_drf(const Problem& cluster, Random random) {
  const Result<FillOutcome> filled = fill(
      cluster,
      {.discipline = *choose_discipline("drf:blocking=freeze"), .placement = *choose_placement("random")},
      random);
  MIRAB_ASSERT(static_cast<bool>(filled), "the drawn clusters can be filled");
  return std::ranges::min(dominant_shares(cluster, filled->allocation));
}

// Of least shares over the centralised one.
struct Ceiling {
  std::vector<double> means;  // [seed]
  std::vector<double> draws;  // of all seeds
};

Ceiling ceiling_of(const SolutionsPlan& plan, const SeedRuns& centralised, std::uint64_t first_seed) {
  Ceiling ceiling;
  for (std::uint64_t s = 0; s < plan.seeds; ++s) {
    const Problem cluster = google_cluster(plan.machines, plan.users, first_seed + s);
    std::vector<double> draws;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      draws.push_back(
          least_share_by_serial_drf(cluster, simulation::stream(first_seed + s, "ostman-ceiling", {draw})) /
          least_share(centralised[s]));
    }
    ceiling.means.push_back(mean(draws));
    ceiling.draws.insert(ceiling.draws.end(), draws.begin(), draws.end());
  }
  return ceiling;
}

// Seed by seed, of the least share over the centralised one.
std::vector<double> mean_ratios(const Solutions& solutions, Scheduler scheduler) {
  std::vector<double> ratios = mean_over_neighbours(solutions, scheduler, least_share);
  const std::vector<double> centralised =
      mean_over_neighbours(solutions, Scheduler::centralised_drf, least_share);
  std::ranges::transform(ratios, centralised, ratios.begin(), std::divides<>());
  return ratios;
}

}  // namespace

void hold_ceiling(const SolutionsPlan& plan, const Solutions& solutions, double nearly,
                  std::uint64_t first_seed, Reproduction& result) {
  const Ceiling ceiling = ceiling_of(plan, solutions.of(Scheduler::centralised_drf).front(), first_seed);
  for (const Scheduler scheduler : {Scheduler::dgdrf, Scheduler::pdgdrf}) {
    std::vector<double> parts = mean_ratios(solutions, scheduler);
    std::ranges::transform(parts, ceiling.means, parts.begin(), std::divides<>());
    const simulation::Interval part = over_seeds(parts);
    result.findings.push_back(
        {.what = fmt::format("least share of {} over that of serial DRF on random servers, mean over the "
                             "neighbours ({} or more)",
                             overlay::row_of(scheduler).name, nearly),
         .ours = part.mean,
         .interval = {{part.low, part.high}},
         .holds = part.mean >= nearly});
  }
  const auto below = std::ranges::count_if(ceiling.draws, [&](double draw) { return draw < nearly; });
  result.remarks.push_back(fmt::format(
      "The ceiling of the least share: serial DRF, each task on a random server where it fits, ends with "
      "{:.2f} of the centralised one, the mean of {} draws for each seed; the draws lie between {:.2f} and "
      "{:.2f}, {} of {} below {}.",
      mean(ceiling.means), kDraws, std::ranges::min(ceiling.draws), std::ranges::max(ceiling.draws), below,
      ceiling.draws.size(), nearly));
}

}  // namespace mirab::experiments
