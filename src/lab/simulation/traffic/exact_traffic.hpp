#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include <mirab/model/result.hpp>

#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/fluid_rates.hpp"

namespace mirab::simulation {

/// x_k = n_k φ_k(n), the tasks of two classes under a mechanism of the pool, in every state of a grid.
/// Mechanisms do not care for the scale of weights, so that only states without a common divisor are
/// divided, each once.
class ClassRates {
 public:
  /// Errors: as fluid_rule(). Requires two classes.
  static Result<ClassRates> from(const TrafficScenario& scenario, std::size_t mechanism);

  /// Holds all states with n_k ≤ most[k] from now on. O(states) divisions.
  void cover(std::array<std::size_t, 2> most);

  /// (x_1, x_2) in a covered state; 0 for a class that is not there.
  std::array<double, 2> at(std::size_t n1, std::size_t n2) const { return tasks_[n1 * (most_[1] + 1) + n2]; }

  /// Did all divisions so far? Otherwise some shares fit, but are not the mechanism's.
  bool converged() const { return rates_->not_converged() == 0; }

 private:
  explicit ClassRates(FluidRule rule);
  std::array<double, 2> divided(std::size_t n1, std::size_t n2);

  std::unique_ptr<FluidRates> rates_;
  std::array<std::size_t, 2> most_ = {0, 0};
  std::vector<std::array<double, 2>> tasks_ = {{0, 0}};  // [n1 * (most_[1] + 1) + n2]
};

/// Of a load that cannot be served: jobs without number, each served at rate 0.
inline ExactPoint overloaded_point(std::size_t classes) {
  return {.jobs = std::vector<double>(classes, std::numeric_limits<double>::infinity()),
          .service_rate = std::vector<double>(classes, 0.0)};
}

}  // namespace mirab::simulation
