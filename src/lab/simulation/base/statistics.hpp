#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>

namespace mirab::simulation {

/// P(|T| ≤ t) of Student's t with `freedom` ≥ 1 degrees of freedom, for t ≥ 0. O(freedom).
double student_t_within(double t, int freedom);

/// The t with P(|T| ≤ t) = confidence: half the width of a two-sided interval, in standard errors.
/// `confidence` in (0, 1); to a relative 1e-12. O(freedom).
double student_t_quantile(double confidence, int freedom);

/// An estimate, and where the true value lies with the confidence that was asked for.
struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The interval of the mean of independent values of one law: of replications, or of the means of long
/// batches. At least two values.
Interval mean_interval(std::span<const double> values, double confidence = 0.95);

/// The interval of E[above] / E[below] from independent pairs: areas and times of batches, say. At least two
/// pairs, and something below.
Interval ratio_interval(std::span<const double> above, std::span<const double> below,
                        double confidence = 0.95);

/// x_b - r y_b with r = E[above] / E[below]: what the interval of a ratio takes for independent. Something
/// below.
std::vector<double> ratio_residuals(std::span<const double> above, std::span<const double> below);

/// How much more alike neighbours of a series are than chance makes them, in standard deviations: near 0 for
/// independent values, large for a drift or a slow swing, below 0 for an alternation. 0 for fewer than three
/// values, or when all are the same. O(n log n).
double rank_von_neumann(std::span<const double> series);

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
