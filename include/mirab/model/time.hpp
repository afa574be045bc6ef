#pragma once

#include <chrono>
#include <cstdint>

namespace mirab {

/// The caller's clock: virtual in a simulation, real in a service. Nothing in Mirab reads it.
struct CallerClock {
  using duration = std::chrono::duration<std::int64_t, std::nano>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<CallerClock>;
  static constexpr bool is_steady = true;
};

/// A point in time: whole nanoseconds since an origin that the caller chooses.
using Time = CallerClock::time_point;

/// Whole nanoseconds between two of them.
using Duration = CallerClock::duration;

}  // namespace mirab
