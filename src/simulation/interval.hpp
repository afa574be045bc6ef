#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mirab::simulation {

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

/// The means of so many batches of equal length, ≥ 1; what is left over at the beginning, shorter than a
/// batch count, is left out. At least `batches` values.
std::vector<double> batch_means(std::span<const double> series, std::size_t batches);

}  // namespace mirab::simulation
