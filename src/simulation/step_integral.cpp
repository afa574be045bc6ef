// Integrals of quantities that change at moments only: running sums at the moments, a straight line between.
#include "simulation/step_integral.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

#include "model/seconds.hpp"

namespace mirab::simulation {

void StepIntegral::hold(std::span<const double> values, Duration until) {
  MIRAB_ASSERT(values.size() == quantities_ && until >= moments_.back(), "time goes forwards");
  const double length = in_seconds(until - moments_.back());
  const std::size_t last = sums_.size() - quantities_;
  for (std::size_t q = 0; q < quantities_; ++q) sums_.push_back(sums_[last + q] + values[q] * length);
  moments_.push_back(until);
}

// Adds factor · ∫ from 0 to `until`.
void StepIntegral::add_integral(Duration until, double factor, std::span<double> to) const {
  const auto after = std::lower_bound(moments_.begin() + 1, moments_.end(), until);
  const auto step = static_cast<std::size_t>(after - moments_.begin());  // holds from moment step - 1 to step
  const double part =
      in_seconds(until - moments_[step - 1]) / in_seconds(moments_[step] - moments_[step - 1]);
  for (std::size_t q = 0; q < quantities_; ++q) {
    const double begin = sums_[(step - 1) * quantities_ + q];
    const double end = sums_[step * quantities_ + q];
    to[q] += factor * (begin + part * (end - begin));
  }
}

std::vector<double> StepIntegral::mean(Duration from, Duration until) const {
  MIRAB_ASSERT(Duration::zero() <= from && from < until && until <= moments_.back(),
               "a mean over what was held");
  std::vector<double> means(quantities_);
  add_integral(until, 1, means);
  if (from > Duration::zero()) add_integral(from, -1, means);
  for (double& mean : means) mean /= in_seconds(until - from);
  return means;
}

}  // namespace mirab::simulation
