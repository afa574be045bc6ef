#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// x_k = n_k φ_k(n), the rates of two classes under a mechanism of the pool, from the mechanism itself: a
/// user of weight n_k has what n_k users have together. Mechanisms do not care for the scale of weights, so
/// that only states without a common divisor are asked for, each once.
class ClassRates {
 public:
  /// Errors: what the mechanism has against the classes, as Problem and allocate() say it.
  static Result<ClassRates> from(const TrafficScenario& scenario, std::size_t mechanism);

  /// Holds all states with n_k ≤ most[k] from now on. O(states) times an allocation.
  void cover(std::array<std::size_t, 2> most);

  /// (x_1, x_2) in a covered state; 0 for a class that is not there.
  std::array<double, 2> at(std::size_t n1, std::size_t n2) const { return rates_[n1 * (most_[1] + 1) + n2]; }

 private:
  ClassRates(Cluster cluster, Choice mechanism)
      : cluster_(std::move(cluster)), mechanism_(std::move(mechanism)) {}
  Result<std::array<double, 2>> allocated(std::size_t n1, std::size_t n2) const;

  Cluster cluster_;
  Choice mechanism_;
  std::array<std::size_t, 2> most_ = {0, 0};
  std::vector<std::array<double, 2>> rates_ = {{0, 0}};
};

}  // namespace mirab::simulation
