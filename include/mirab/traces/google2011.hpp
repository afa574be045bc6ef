#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

namespace mirab::traces {

/// Which part of the trace becomes a cluster.
struct Google2011Options {
  std::optional<std::size_t>
      sample_machines;  ///< draw so many machines without replacement; without a value: all
  std::optional<std::size_t> sample_users;  ///< draw so many users without replacement; without a value: all
};

/// A cluster from the trace, and what was left out on the way.
struct Google2011Import {
  Cluster cluster;
  std::size_t machines = 0;          ///< present at time 0 with a known capacity
  std::size_t users = 0;             ///< with at least one usable task
  std::vector<std::string> notices;  ///< rows without a request, users without a usable task, …
};

/// Reads machine_events and task_events (CSV, gzip or plain; any number of part files) of ClusterData2011_2.
///
/// Servers: the machines present at time 0, as one entry for each capacity class, or one entry for each drawn
/// machine. Users: each with the request of one of its tasks, drawn at random, and endless demand (Östman,
/// section 5.1). `progress(done, total)` in compressed bytes, when given. Errors name file and line: a
/// truncated file, too few columns, a bad number.
Result<Google2011Import> import_google2011(
    const std::vector<std::string>& paths, const Google2011Options& options, Random& random,
    const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace mirab::traces
