#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>

namespace mirab::simulation {

/// Several quantities over time from 0 on, each constant between two moments, and their exact means over any
/// stretch of it. Memory grows with the moments times the quantities.
class StepIntegral {
 public:
  explicit StepIntegral(std::size_t quantities) : quantities_(quantities), sums_(quantities) {}

  /// The quantities have these values from the last moment until this one, which is not before it.
  void hold(std::span<const double> values, Duration until);

  /// The mean of each over [from, until), 0 ≤ from < until ≤ the last moment. O(quantities + log moments).
  std::vector<double> mean(Duration from, Duration until) const;

 private:
  void add_integral(Duration until, double factor, std::span<double> to) const;

  std::size_t quantities_;
  std::vector<Duration> moments_ = {Duration::zero()};
  std::vector<double> sums_;  // ∫ from 0 to each moment, in units · s: [moment][quantity]
};

}  // namespace mirab::simulation
