#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// Who is served next and where: one engine.
struct ReplayContender {
  Choice discipline;
  Choice placement;
};

/// What is cut or multiplied before the replay. Each > 0; 1 changes nothing.
struct ReplayScale {
  double machines = 1;  ///< of each entry of the cluster
  double users = 1;     ///< users drawn, or copied
  double load = 1;      ///< arrivals are so many times as fast
};

struct ReplayOptions {
  std::vector<ReplayContender> contenders;
  ReplayScale scale = {};
  std::size_t samples = 400;  ///< of every series over time
};

/// Quantiles of something that tasks have, in seconds or without unit.
struct Quantiles {
  double mean = 0, p10 = 0, p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// What became of one user's tasks.
struct ReplayUser {
  std::string name;
  std::int64_t submitted = 0, started = 0, finished = 0;  ///< tasks
  Quantiles waiting;                                      ///< of started tasks, seconds
  Quantiles slowdown;    ///< (waiting + runtime) / runtime, of finished tasks
  double share = 0;      ///< dominant share, mean over time
  bool starved = false;  ///< had waiting tasks, and never one that ran
};

/// Something over time, on the grid ReplayOutcome::times.
struct Series {
  std::string name;
  std::vector<double> values;
};

/// One contender's replay.
struct ReplayOutcome {
  std::string discipline, placement;
  std::vector<ReplayUser> users;
  std::vector<double> times;   ///< seconds
  std::vector<Series> series;  ///< utilisation of each resource, fragmentation, Jain, Gini, minimum share, …
  Quantiles waiting, slowdown, completion;  ///< of all tasks
  std::int64_t events = 0;
  double unfairness = 0;  ///< share-weighted, integrated over time
  // The rest of what is reported: see docs/simulate.md.
};

/// Plays a workload on a cluster, once for each contender, side by side on `threads` threads, whose number
/// changes nothing. Errors: a user, server or resource of one file that the other does not know.
Result<std::vector<ReplayOutcome>> replay(const Problem& cluster, const Workload& workload,
                                          const ReplayOptions& options, std::uint64_t seed, int threads,
                                          const Progress& progress = {});

}  // namespace mirab::simulation
