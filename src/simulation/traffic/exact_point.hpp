#pragma once

#include <limits>

#include <mirab/simulation/exact_traffic.hpp>

namespace mirab::simulation {

/// Of a load that cannot be served: jobs without number, each served at rate 0.
inline ExactPoint overloaded_point(std::size_t classes) {
  return {.jobs = std::vector<double>(classes, std::numeric_limits<double>::infinity()),
          .service_rate = std::vector<double>(classes, 0.0)};
}

}  // namespace mirab::simulation
