#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <mirab/model/problem.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {

/// One run of a search: a cluster of single servers, and a scenario with one scheduler and a duration.
struct Trial {
  Cluster cluster;
  OverlayScenario scenario;
  std::uint64_t seed = 1;  ///< of the run

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(cluster.servers.size()); }
  std::uint32_t users() const { return static_cast<std::uint32_t>(cluster.users.size()); }
  std::uint32_t ticks() const {
    return static_cast<std::uint32_t>(scenario.duration.value_or(Duration::zero()) / scenario.tick);
  }
};

/// What happened in it.
struct TrialOutcome {
  std::optional<Violation> violation;  ///< the first; its time counts from the first tick
  std::int64_t messages = 0, lost = 0, duplicated = 0;
  std::int64_t crashes = 0, partitions = 0;             ///< that were planned
  std::int64_t placements = 0, ends = 0, restarts = 0;  ///< of tasks, as their users know
  bool live = false;  ///< it was long enough to see no task placed for longer than promised
};

/// Runs it, and checks every promise after every event, until one is broken or the time is over.
TrialOutcome run_trial(const Trial& trial);

/// Does it break a promise, and which?
using Breaks = std::function<std::optional<Violation>(const Trial& trial)>;

/// The scenario file (kind: overlay, docs/reference/simulate.md) of the trial: with the trial's cluster in
/// the file `cluster`, `mirab simulate` runs the same. Writes what a search draws (search.hpp) and leaves out
/// what is as it is without being said. `comment` lines come first.
std::string write_overlay_yaml(const Trial& trial, const std::string& cluster,
                               const std::vector<std::string>& comment = {});

}  // namespace mirab::simulation
