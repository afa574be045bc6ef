// One rule for what a paper says of one thing beside another, where ours has an interval: a claim that A is
// no less than B is contradicted only by an interval that is below 0 as a whole; a claim that A is more is
// held only by one that is above 0 as a whole. So a noisier run can neither contradict the first nor hold the
// second.
#include "experiments/means.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <mirab/model/assert.hpp>

#include "simulation/interval.hpp"

namespace mirab::experiments {
namespace {

constexpr double kNothing = 1e-6;
constexpr const char* kUndecided = "0 is in the interval: neither sign is shown";

Finding on_mean(std::string what, const simulation::Interval& mean) {
  Finding finding{.what = std::move(what), .ours = mean.mean, .interval = {{mean.low, mean.high}}};
  if (mean.low < -kNothing && mean.high > kNothing) finding.note = kUndecided;
  return finding;
}

}  // namespace

Finding not_less(std::string what, std::span<const double> differences) {
  const simulation::Interval mean = simulation::mean_interval(differences);
  Finding finding = on_mean(std::move(what), mean);
  finding.holds = mean.high >= -kNothing;
  return finding;
}

Finding more(std::string what, std::span<const double> differences) {
  const simulation::Interval mean = simulation::mean_interval(differences);
  Finding finding = on_mean(std::move(what), mean);
  finding.holds = mean.low > kNothing;
  return finding;
}

Finding part_between(std::string what, std::span<const double> parts, double least, double most,
                     double rounding) {
  const simulation::Interval mean = simulation::mean_interval(parts);
  return {.what = std::move(what),
          .ours = mean.mean,
          .interval = {{std::max(mean.low, 0.0), std::min(mean.high, 1.0)}},
          .holds = mean.mean >= least - rounding && mean.mean <= most + rounding};
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  MIRAB_ASSERT(a.size() == b.size(), "differences of pairs");
  std::vector<double> values(a.size());
  std::transform(a.begin(), a.end(), b.begin(), values.begin(), std::minus<>());
  return values;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace mirab::experiments
