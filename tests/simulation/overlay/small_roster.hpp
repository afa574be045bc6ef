#pragma once

#include "lab/simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// Two servers of (4, 4), addresses 0 and 1; two users who demand (2, 1) and (1, 2), addresses 2 and 3.
inline Roster small_roster() {
  return {.capacity = {{4, 4}, {4, 4}},
          .total = {8, 8},
          .names = {"anna", "ben"},
          .demand = {{2, 1}, {1, 2}},
          .tasks = {UINT64_MAX, UINT64_MAX},
          .dominant = {0.25, 0.25}};
}

inline constexpr overlay::NodeId kAnna = 2, kBen = 3;

inline Time at_tick(std::int64_t tick) { return Time(tick * Duration(std::chrono::milliseconds(100))); }

}  // namespace mirab::simulation
