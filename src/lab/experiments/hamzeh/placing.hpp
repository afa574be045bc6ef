#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/demands/series.hpp"

namespace mirab::experiments {

// Tasks that are placed on equal servers, by MRFS or in turns, and what H-FFMRA then grants them there.

/// Equal servers.
struct EqualServers {
  std::size_t count;
  std::vector<double> capacity;  ///< of one, [r]
};

/// Tasks in the order in which they come, one after the other.
struct TaskBatch {
  std::vector<std::vector<double>> demand;  ///< in hundredths, [task][r]
};

/// A cluster of these servers in `entries` entries of equally many servers, without users.
Cluster cluster_of(const EqualServers& servers, std::size_t entries);

/// The amounts of one task, exactly.
ResourceVector amounts_of(const std::vector<double>& demand);

/// argmax_r d_r / c_r, the first of equals.
std::size_t dominant_of(const std::vector<double>& demand, const EqualServers& servers);

/// max - min.
double spread(const std::vector<double>& values);

/// Where each task went, and whether it counts in Ψ: else it is in the non-dominant queue of its server.
struct Placing {
  std::vector<std::optional<std::size_t>> server;  ///< none: it fits nowhere; [task]
  std::vector<bool> counted;                       ///< [task]
};

/// MRFS, with at most one task for each server in a round, as definition 5.2 has it.
Placing place_by_mrfs(const TaskBatch& batch, const EqualServers& servers);

/// MRFS as the engine has it (fill -d mrfs): one task after the other, without rounds.
Placing place_by_mrfs_engine(const TaskBatch& batch, const EqualServers& servers);

/// Round robin: task i goes to server i modulo their number, or to the next one where it fits.
Placing place_round_robin(const TaskBatch& batch, const EqualServers& servers);

/// What came of it; means are over servers with tasks.
struct PlacingMeasures {
  std::vector<std::vector<double>> dominated;  ///< Ψ of all tasks there; [server][r]
  double imbalance = 0;                        ///< mean over servers of max Ψ - min Ψ, all tasks
  double counted_imbalance = 0;                ///< the same of those that count
  double not_counted = 0;                      ///< part of the tasks in non-dominant queues
  double unplaced = 0;                         ///< part of the tasks
  double dominant_part = 0;       ///< of all capacities, granted to those whom they dominate, mean over r
  double non_dominant_part = 0;   ///< and to the others
  double sharing_incentive = 0;   ///< part of the tasks with C_r / n or more of what dominates them
  double counted_incentive = 0;   ///< the same, where tasks in non-dominant queues have not
  double pareto = 0;              ///< (7.9) over the fair share, mean over servers and dominant resources
  double penalty = 0;             ///< α of (5.4), mean over servers
  std::vector<double> penalties;  ///< of each server, [server]
  double tasks = 0;               ///< Σ min_r bundle / demand: how often the tasks really run
  std::vector<double> over_fair;  ///< dominant bundle over C_r / n; 0 for those unplaced, [task]
  std::vector<std::vector<double>> bundles;  ///< [task][r]; nothing for those unplaced
};

/// α of (5.4) on one server: max_r Λ_r - min_r Λ_r (ours; the same as the paper's for two resources), where
/// Λ_r = Σ d_r / tasks / c_r over the tasks that r dominates, 0 without any. All are [r].
double penalty_of(const std::vector<double>& demand, const std::vector<double>& tasks,
                  const std::vector<double>& capacity);

/// Grants by H-FFMRA with every task on its server only. O(tasks · servers).
PlacingMeasures measure_placing(const TaskBatch& batch, const Placing& placing, const EqualServers& servers);

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
