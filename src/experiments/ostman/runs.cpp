// Runs of the thesis' schedulers, many settings at a time. Östman, chapter 5: allocation ticks of 100 ms;
// tasks never end, and users never stop to ask. The thesis ran each setting once; here each is run from
// several seeds.
#include "experiments/ostman/runs.hpp"

#include <utility>

#include <mirab/model/assert.hpp>

#include "experiments/means.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "simulation/sweep.hpp"

namespace mirab::experiments {
namespace {

simulation::OverlayRun run_once(const OverlaySetting& setting, std::uint64_t seed) {
  simulation::OverlayScenario scenario;
  simulation::OverlayRules rules{.scheduler = setting.scheduler, .options = {}};
  rules.options.gossip.view = setting.neighbours;
  scenario.rules = {rules};
  scenario.shuffles_per_tick = setting.shuffles_per_tick;
  Result<std::vector<simulation::OverlayRun>> runs =
      simulation::run_overlay(google_cluster(setting.machines, setting.users, seed), scenario, seed, 1);
  MIRAB_ASSERT(static_cast<bool>(runs), "the thesis' scenarios can be run");
  return std::move(runs->front());
}

}  // namespace

std::vector<SeedRuns> overlay_runs(std::span<const OverlaySetting> settings, std::size_t seeds,
                                   const RunOptions& options) {
  std::vector<SeedRuns> runs(settings.size(), SeedRuns(seeds));
  const auto task = [&](std::size_t index) {
    const std::size_t setting = index / seeds;
    const std::size_t seed = index % seeds;
    runs[setting][seed] = run_once(settings[setting], options.seed + seed);
  };
  simulation::sweep(settings.size() * seeds, options.threads, task, options.progress);
  return runs;
}

double least_share(const simulation::OverlayRun& run) { return run.min_share; }
double gini_of(const simulation::OverlayRun& run) { return run.gini; }
double deviation_of(const simulation::OverlayRun& run) { return run.deviation; }
double ticks_of(const simulation::OverlayRun& run) { return run.ticks; }

double wrong_part(const simulation::OverlayRun& run) {
  return run.placements == 0 ? 0
                             : static_cast<double>(run.wrong.front()) / static_cast<double>(run.placements);
}

std::vector<double> measured(const SeedRuns& runs, Measure measure) {
  std::vector<double> values;
  for (const simulation::OverlayRun& run : runs) values.push_back(measure(run));
  return values;
}

std::vector<double> ratios(const SeedRuns& runs, const SeedRuns& to, Measure measure) {
  MIRAB_ASSERT(runs.size() == to.size(), "the same seeds");
  std::vector<double> values;
  for (std::size_t seed = 0; seed < runs.size(); ++seed)
    values.push_back(measure(runs[seed]) / measure(to[seed]));
  return values;
}

simulation::Interval over_seeds(std::span<const double> values) {
  if (values.size() > 1) return simulation::mean_interval(values);
  return {.mean = mean(values), .low = mean(values), .high = mean(values)};
}

}  // namespace mirab::experiments
