#pragma once

#include <cstddef>

#include "simulation/overlay/trial.hpp"

namespace mirab::simulation {

/// A trial that breaks the same promise and cannot be made smaller in one step, or the smallest found after
/// `tries` runs.
struct Shrunk {
  Trial trial;
  Violation violation;
  std::size_t tries = 0;  ///< runs that it took
};

/// Makes a trial small that breaks a promise as `violation` says. Delta debugging (Zeller and Hildebrandt,
/// Simplifying and isolating failure-inducing input, IEEE TSE 28 (2002)): of each list of faults first
/// halves, then quarters … then single ones are left out; then loss … corruption; then servers and users from
/// the end, the time after the violation, and what is drawn about tasks. Over again until nothing more goes.
/// Deterministic.
Shrunk shrink_trial(const Trial& trial, const Violation& violation, const Breaks& breaks, std::size_t tries);

}  // namespace mirab::simulation
