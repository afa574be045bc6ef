#include "simulation/replay/usage.hpp"

#include <algorithm>

#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

/// The step that lasts after so much time; the last one goes on.
std::size_t step_at(const Usage& usage, Duration since_start) {
  const auto step = static_cast<std::size_t>(since_start / usage.step);
  return std::min(step, usage.of.size() - 1);
}

}  // namespace

ReplayUsage::ReplayUsage(const ReplayInput& input) : input_(input), integral_(input.resources.size(), 0.0) {
  for (const Usage& usage : input.usages) {
    std::vector<std::vector<double>> sums = {std::vector<double>(integral_.size(), 0.0)};
    for (const std::vector<double>& amounts : usage.of) {
      sums.push_back(sums.back());
      for (std::size_t r = 0; r < amounts.size(); ++r) sums.back()[r] += amounts[r] * in_seconds(usage.step);
    }
    before_.push_back(std::move(sums));
  }
}

void ReplayUsage::start(std::uint32_t task, const ReplayJob& job, Duration now) {
  if (job.usage == kNoUsage) return;
  running_[task] = {.usage = job.usage, .request = job.request, .since = now};
}

void ReplayUsage::end(std::uint32_t task, Duration now) {
  const auto running = running_.find(task);
  if (running == running_.end()) return;
  integrate(running->second, now, integral_);
  running_.erase(running);
}

std::vector<double> ReplayUsage::surplus(Duration now) const {
  std::vector<double> surplus(integral_.size(), 0.0);
  for (const auto& [number, task] : running_) {
    const Usage& usage = input_.usages[task.usage];
    const std::vector<double>& amounts = usage.of[step_at(usage, now - task.since)];
    for (std::size_t r = 0; r < surplus.size(); ++r) surplus[r] += amounts[r] - granted(task, r);
  }
  return surplus;
}

void ReplayUsage::integrate(const Running& task, Duration now, std::vector<double>& integral) const {
  const Usage& usage = input_.usages[task.usage];
  const Duration ran = now - task.since;
  const std::size_t step = step_at(usage, ran);
  const double in_step = in_seconds(ran - static_cast<std::int64_t>(step) * usage.step);
  for (std::size_t r = 0; r < integral.size(); ++r)
    integral[r] +=
        before_[task.usage][step][r] + usage.of[step][r] * in_step - granted(task, r) * in_seconds(ran);
}

std::vector<double> ReplayUsage::surplus_integral(Duration now) const {
  std::vector<double> integral = integral_;
  for (const auto& [number, task] : running_) integrate(task, now, integral);
  return integral;
}

}  // namespace mirab::simulation
