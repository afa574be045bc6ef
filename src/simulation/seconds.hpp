#pragma once

#include <mirab/model/time.hpp>

namespace mirab::simulation {

/// The nearest double, for what is reported; virtual time itself is counted in whole nanoseconds.
inline double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

}  // namespace mirab::simulation
