// Confidence intervals of simulations.
//
// Sources: Law, Simulation Modeling and Analysis, sections 4.5 (means), 9.5.3 (batch means); Schmeiser, Batch
// Size Effects in the Analysis of Simulation Output, 1982: ten to thirty batches are enough; Cochran,
// Sampling Techniques, section 2.11 (ratios).
//
//   mean:   x̄ ± t s/√B,  s² = Σ (x_b - x̄)² / (B - 1)
//   ratio:  r = Σ x_b / Σ y_b,  r ± t s/(√B ȳ),  s² = Σ (x_b - r y_b)² / (B - 1)
//
// with t of Student's law with B - 1 degrees of freedom. A ratio is biased by O(1/B) of its own variance.
// Known failure: batches that are not long against the time in which the system forgets give intervals that
// are too narrow, and say nothing of it; traffic/settled.hpp does for random traffic.
#include "simulation/interval.hpp"

#include <cmath>
#include <numeric>

#include <mirab/model/assert.hpp>

#include "simulation/student_t.hpp"

namespace mirab::simulation {
namespace {

double half_width(double squares, std::size_t count, double confidence) {
  const auto freedom = static_cast<int>(count) - 1;
  return student_t_quantile(confidence, freedom) * std::sqrt(squares / freedom / static_cast<double>(count));
}

double ratio_of(std::span<const double> above, std::span<const double> below) {
  MIRAB_ASSERT(above.size() == below.size() && above.size() >= 2, "pairs, and two of them at least");
  const double sum_below = std::accumulate(below.begin(), below.end(), 0.0);
  MIRAB_ASSERT(sum_below > 0, "a ratio to something");
  return std::accumulate(above.begin(), above.end(), 0.0) / sum_below;
}

}  // namespace

Interval mean_interval(std::span<const double> values, double confidence) {
  MIRAB_ASSERT(values.size() >= 2, "one value tells nothing of its spread");
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  const double half = half_width(squares, values.size(), confidence);
  return {.mean = mean, .low = mean - half, .high = mean + half};
}

Interval ratio_interval(std::span<const double> above, std::span<const double> below, double confidence) {
  const double ratio = ratio_of(above, below);
  double squares = 0;
  for (const double residual : ratio_residuals(above, below)) squares += residual * residual;
  const double mean_below =
      std::accumulate(below.begin(), below.end(), 0.0) / static_cast<double>(below.size());
  const double half = half_width(squares, above.size(), confidence) / mean_below;
  return {.mean = ratio, .low = ratio - half, .high = ratio + half};
}

std::vector<double> ratio_residuals(std::span<const double> above, std::span<const double> below) {
  const double ratio = ratio_of(above, below);
  std::vector<double> residuals;
  residuals.reserve(above.size());
  for (std::size_t b = 0; b < above.size(); ++b) residuals.push_back(above[b] - ratio * below[b]);
  return residuals;
}

std::vector<double> batch_means(std::span<const double> series, std::size_t batches) {
  MIRAB_ASSERT(batches >= 1 && series.size() >= batches, "at least one value a batch");
  const std::size_t length = series.size() / batches;
  std::span<const double> rest = series.last(length * batches);
  std::vector<double> means;
  means.reserve(batches);
  for (; !rest.empty(); rest = rest.subspan(length)) {
    const std::span<const double> batch = rest.first(length);
    means.push_back(std::accumulate(batch.begin(), batch.end(), 0.0) / static_cast<double>(length));
  }
  return means;
}

}  // namespace mirab::simulation
