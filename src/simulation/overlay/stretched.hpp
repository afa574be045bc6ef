#pragma once

#include <cmath>

#include <mirab/model/time.hpp>

namespace mirab::simulation {

/// So many times as long, to the nearest nanosecond.
inline Duration stretched(Duration length, double factor) {
  return Duration(std::llround(static_cast<double>(length.count()) * factor));
}

}  // namespace mirab::simulation
