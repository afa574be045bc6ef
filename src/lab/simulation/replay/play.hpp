#pragma once

#include <cstdint>
#include <functional>

#include "lab/simulation/replay/input.hpp"

namespace mirab::simulation {

/// A task starts.
struct ReplayStart {
  Duration at;
  std::uint32_t job;     ///< index into ReplayInput::jobs
  std::uint32_t server;  ///< the engine's number of it
  friend bool operator==(const ReplayStart&, const ReplayStart&) = default;
};

/// How one contender plays.
struct ReplayPlay {
  const ReplayContender& contender;
  ReplayUntil until = ReplayUntil::span;
  std::size_t samples = 1;
  std::uint64_t seed = 0;
  bool keeps_jobs = false;                                ///< ReplayOutcome::jobs, without their names
  std::function<void(const ReplayStart&)> on_start = {};  ///< told of every start, if there
};

/// Plays the input with one contender. Errors: an unknown discipline or placement, a weight with too many
/// digits.
Result<ReplayOutcome> play(const ReplayInput& input, const ReplayPlay& how);

}  // namespace mirab::simulation
