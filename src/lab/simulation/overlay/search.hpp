#pragma once

#include <cstddef>
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

/// A random trial of a search, the same for the same options and seed: a small cluster, short patience (so
/// that much happens in little time) with or without a lease, tasks that end or not, and in the first half of
/// the run faults of every kind; the second half is calm, for liveness. In most trials 10 % of the messages
/// are lost while it lasts. No server crashes, joins or leaves at once, and no server does twice; server 0
/// neither joins later nor leaves, so that there always is a server. Users are cut off and clocks differ too.
Trial draw_trial(const SearchOptions& options, std::uint64_t seed);

/// A trial that breaks the same promise and cannot be made smaller in one step, or the smallest found after
/// `tries` runs.
struct Shrunk {
  Trial trial;
  Violation violation;
  std::size_t tries = 0;  ///< runs that it took
};

/// Makes a trial small that breaks a promise as `violation` says. Delta debugging (Zeller and Hildebrandt,
/// Simplifying and isolating failure-inducing input, IEEE TSE 28 (2002)): servers and users go from the end,
/// by halves, then one by one; then, of each list of faults and of pauses, first halves, then quarters … then
/// single ones; then whom partitions need not cut off, the chances of loss … corruption, clocks and slow
/// messages, and run times. The time after the violation goes first, and after what was left out. Over again
/// until nothing more goes. Deterministic.
Shrunk shrink_trial(const Trial& trial, const Violation& violation, const Breaks& breaks, std::size_t tries);

}  // namespace mirab::simulation
