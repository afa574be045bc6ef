// Random traffic: every stable load under every mechanism is one independent simulation.
#include <utility>

#include <mirab/simulation/traffic.hpp>

#include "simulation/sweep.hpp"
#include "simulation/traffic/fluid_traffic.hpp"
#include "simulation/traffic/load.hpp"
#include "simulation/traffic/points.hpp"
#include "simulation/traffic/task_traffic.hpp"

namespace mirab::simulation {
namespace {

struct Simulated {
  std::vector<TrafficPoint> points;
  std::int64_t events = 0;
  std::int64_t not_converged = 0;
};

Simulated simulate(const TrafficScenario& scenario, double load, std::size_t mechanism, std::uint64_t seed) {
  if (!is_stable(scenario, load)) return {.points = unstable_points(scenario, load, mechanism)};
  const TrafficRun run{.scenario = scenario,
                       .mechanism = mechanism,
                       .load = load,
                       .arrivals = arrival_rates(scenario, load),
                       .seed = seed};
  const TrafficMeasured measured =
      scenario.model == TrafficModel::fluid ? simulate_fluid_traffic(run) : simulate_task_traffic(run);
  return {
      .points = points_of(run, measured), .events = measured.events, .not_converged = measured.not_converged};
}

}  // namespace

Result<TrafficOutcome> simulate_traffic(const TrafficScenario& scenario, std::uint64_t seed, int threads,
                                        const Progress& progress) {
  if (const Check found = check(scenario)) return *found;
  const std::size_t mechanisms = scenario.mechanisms.size();
  std::vector<Simulated> simulated(scenario.loads.size() * mechanisms);
  const auto simulate_one = [&](std::size_t task) {
    const std::size_t one = simulated.size() - 1 - task;  // high loads take longest, and are written last
    simulated[one] = simulate(scenario, scenario.loads[one / mechanisms], one % mechanisms, seed);
  };
  sweep(simulated.size(), threads, simulate_one, progress);
  TrafficOutcome outcome{.points = {}, .events = 0, .seed = seed, .not_converged = {}};
  outcome.not_converged.resize(mechanisms);
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const Simulated& one = simulated[i];
    outcome.not_converged[i % mechanisms] += one.not_converged;
    outcome.points.insert(outcome.points.end(), one.points.begin(), one.points.end());
    outcome.events += one.events;
  }
  return outcome;
}

}  // namespace mirab::simulation
