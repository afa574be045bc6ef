// How long tasks live, when a window of time cuts some of them off.
//
// Tasks that began in the window: the estimate of Kaplan and Meier ("Nonparametric estimation from incomplete
// observations", J. Amer. Statist. Assoc. 53, 1958): with d_i of the n_i tasks that reached age t_i ending
// there,
//
//   S(t) = Π_{t_i ≤ t} (1 − d_i / n_i).
//
// A task that was seen for an age a lives on to the first t_i with S(t_i) ≤ U S(a), U uniform in (0, 1]: a
// draw from the measured lives that exceed a. Where S stays above U S(a), the task outlives all that was
// measured, and the rest is exponential.
//
// The rate of that exponential is that of the tasks which ran before the window began, whose age is not
// known: ends over the time for which they were seen (maximum likelihood of a constant hazard with
// censoring). If none of them ended, ends over time of the others.
//
// Known limit: beyond the window a constant hazard is an assumption, not a measurement.
// Cost: a draw is a search among the distinct measured lives.
#include "lab/traces/lifetimes.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

#include "model/seconds.hpp"

namespace mirab::traces {

namespace {

/// Uniform in (0, 1].
double part(Random& random) { return 1 - random.unit(); }

}  // namespace

void Lifetimes::old_ended(Duration seen) {
  ++old_.ended;
  old_.seconds += in_seconds(seen);
}

void Lifetimes::old_outlived(Duration seen) { old_.seconds += in_seconds(seen); }

void Lifetimes::learn() {
  std::int64_t at_risk = 0;
  for (const auto& [age, tasks] : at_age_) {
    at_risk += tasks.ended + tasks.outlived;
    young_.ended += tasks.ended;
    young_.seconds += in_seconds(age) * static_cast<double>(tasks.ended + tasks.outlived);
  }
  double survival = 1;
  for (const auto& [age, tasks] : at_age_) {
    if (tasks.ended > 0) {
      survival *= static_cast<double>(at_risk - tasks.ended) / static_cast<double>(at_risk);
      survival_.push_back({age, survival});
    }
    at_risk -= tasks.ended + tasks.outlived;
  }
  const Seen& seen = old_.ended > 0 ? old_ : young_;
  rate_ = static_cast<double>(seen.ended) / std::max(seen.seconds, 1e-9);
}

bool Lifetimes::known() const { return rate_ > 0; }

Duration Lifetimes::draw(Duration age, Random& random) const {
  const auto beyond = std::upper_bound(survival_.begin(), survival_.end(), age,
                                       [](Duration reached, const Step& step) { return reached < step.age; });
  const double reached = beyond == survival_.begin() ? 1 : std::prev(beyond)->survival;
  const double target = part(random) * reached;
  // S steps down, so the first step that is low enough is found by halving.
  const auto end =
      std::partition_point(beyond, survival_.end(), [&](const Step& step) { return step.survival > target; });
  if (end != survival_.end()) return end->age;
  const Duration last = survival_.empty() ? age : std::max(age, survival_.back().age);
  return last + draw_exponential(random);
}

Duration Lifetimes::draw_rest_of_old(Random& random) const { return draw_exponential(random); }

/// In whole microseconds, at least one.
Duration Lifetimes::draw_exponential(Random& random) const {
  MIRAB_ASSERT(known(), "no task has ended: nothing tells how long they live");
  constexpr double kMostMicroseconds = 1e15;  // 32 years
  const double microseconds = std::min(-std::log(part(random)) / rate_ * 1e6, kMostMicroseconds);
  return std::chrono::microseconds(1 + static_cast<std::int64_t>(microseconds));
}

}  // namespace mirab::traces
