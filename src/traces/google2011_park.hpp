#pragma once

#include <optional>
#include <vector>

#include <mirab/model/workload.hpp>

#include "traces/google2011_machines.hpp"

namespace mirab::traces::google2011 {

/// The servers of the beginning, and what becomes of them.
struct Park {
  std::vector<Server> servers;
  std::vector<ServerChange> changes;  ///< by time
  std::size_t machines = 0;           ///< that could be drawn
};

/// Timestamps of the trace begin 600 s before it: 0 stands for all that was there at its beginning.
Duration time_in_window(std::uint64_t microseconds);

/// The machines at time 0, all of them in classes or `sample` of them one by one, and what happens to them,
/// and in full to new ones, until `end` (µs). A machine without cpu or memory is none. One whose platform or
/// capacity changes goes and comes back, in full as another instance of its new class. Errors: more to draw
/// than there is.
Result<Park> park_over_time(const MachineEvents& events, std::optional<std::size_t> sample, std::uint64_t end,
                            Random& random);

}  // namespace mirab::traces::google2011
