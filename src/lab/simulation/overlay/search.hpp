#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/simulation/overlay/trial.hpp"

namespace mirab::simulation {

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
