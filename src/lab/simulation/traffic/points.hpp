#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/fluid_rates.hpp"

namespace mirab::simulation {

/// One mechanism of a checked scenario at one load that is stable: what a model simulates in one go.
struct TrafficRun {
  const TrafficScenario& scenario;
  std::size_t mechanism;         ///< index into scenario.mechanisms
  double load;                   ///< one of scenario.loads
  std::vector<double> arrivals;  ///< λ_k, jobs a unit of time, [k]; μ_k = 1 (see TrafficScenario::sizes)
  std::uint64_t seed;            ///< of the whole simulation: draw from the streams of arrivals.hpp
  Progress progress = {};        ///< of this run
};

/// What a class went through in one batch.
struct ClassBatch {
  double present = 0;  ///< ∫ n_k dt, without permanent jobs
  double arrived = 0;  ///< jobs, each counted as its size (mean 1) where a model draws sizes
  double served = 0;   ///< ∫ of the rate of one permanent job dt; 0 without one
};

/// A stretch of a run, from one arrival to another.
struct TrafficBatch {
  double time = 0;                  ///< its length
  std::vector<ClassBatch> classes;  ///< [k]
};

/// What a model measured.
struct TrafficMeasured {
  std::vector<TrafficBatch> batches;
  std::int64_t events = 0;         ///< arrivals and departures, with those of the warm-up
  std::int64_t not_converged = 0;  ///< divisions whose shares are not the rule's
};

/// Schmeiser 1982: between ten and thirty.
constexpr std::size_t kTrafficBatches = 20;

/// Jobs that arrive before the first batch. The pool is empty at first.
constexpr std::int64_t warm_up_jobs(std::int64_t jobs) { return jobs / 5; }

/// How many jobs have arrived since the warm-up when batch b ends; jobs when the last one does.
constexpr std::int64_t batch_end(std::int64_t jobs, std::size_t b) {
  return jobs * static_cast<std::int64_t>(b + 1) / static_cast<std::int64_t>(kTrafficBatches);
}

/// The part of all arriving jobs, those of the warm-up included, that have arrived when batch b ends.
constexpr double part_done(std::int64_t jobs, std::size_t b) {
  return static_cast<double>(warm_up_jobs(jobs) + batch_end(jobs, b)) /
         static_cast<double>(warm_up_jobs(jobs) + jobs);
}

/// Was the run long enough for the interval of class k? `residuals` are what that interval is made of,
/// [batch] (ratio_residuals).
bool is_settled(const TrafficRun& run, std::size_t k, std::span<const double> residuals);

/// The time in which a pool forgets how many jobs were there, in units of a job alone: infinite from load 1
/// on.
double relaxation_time(const TrafficScenario& scenario, double load);

/// What was measured, as one point for each class, with intervals of that confidence.
std::vector<TrafficPoint> points_of(const TrafficRun& run, const TrafficMeasured& measured,
                                    double confidence = 0.95);

/// The points of a load that is not stable: nothing is simulated, n_k is infinite and γ_k is 0.
std::vector<TrafficPoint> unstable_points(const TrafficScenario& scenario, double load,
                                          std::size_t mechanism);

// The two models that measure a run: fluid jobs, and whole tasks.

/// What TrafficModel::fluid asks of a scenario beyond what every model does: pool mechanisms that divide.
Check check_fluid_traffic(const TrafficScenario& scenario);

/// Simulates one mechanism at one load. O(K + log n) an event in a state that is known, else a division.
TrafficMeasured simulate_fluid_traffic(const TrafficRun& run);

/// The same with rates that the caller keeps; of the classes of the run, in their order.
TrafficMeasured simulate_fluid_traffic(const TrafficRun& run, FluidRates& rates);

/// A time after the end of every run that check_task_bounds accepts: no arrival comes so late.
constexpr double kLongestWait = 4e9;

/// Does a run of whole tasks fit into memory, into some hours and into 63 bits of nanoseconds? Of a scenario
/// with valid classes and loads. Errors: `classes[k].permanent`, `classes[k].demand`, `tasks_per_job`,
/// `load.at[i]`.
Check check_task_bounds(const TrafficScenario& scenario);

/// What TrafficModel::tasks asks of a scenario beyond what every model does.
Check check_task_traffic(const TrafficScenario& scenario);

/// Simulates one mechanism at one load task by task on the engine.
TrafficMeasured simulate_task_traffic(const TrafficRun& run);

}  // namespace mirab::simulation
