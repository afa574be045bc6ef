// A memory of divisions, mapped directly: a state has one slot, by a multiplicative hash (Knuth, The Art of
// Computer Programming, volume 3, section 6.4), and the last state that came there is in it.
#include "simulation/traffic/fluid_rates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio, odd
constexpr std::int64_t kNobody = -1;

std::variant<LevelShares, PricedShares> divider_of(const FluidRule& rule) {
  if (std::isinf(rule.alpha)) return LevelShares(rule);
  return PricedShares(rule);
}

}  // namespace

FluidRates::FluidRates(FluidRule rule, int kept_log2)
    : rule_(std::move(rule)), divider_(divider_of(rule_)), kept_log2_(kept_log2) {
  const std::size_t slots = kept_log2 < 0 ? 1 : std::size_t{1} << kept_log2;
  kept_jobs_.assign(slots * rule_.classes(), kNobody);
  kept_tasks_.assign(slots * rule_.classes(), 0);
}

std::span<const double> FluidRates::at(std::span<const std::int64_t> jobs) {
  const std::size_t k_count = rule_.classes();
  const std::size_t slot = kept_log2_ <= 0 ? 0 : slot_of(jobs);
  const std::span<std::int64_t> kept = std::span(kept_jobs_).subspan(slot * k_count, k_count);
  const std::span<double> tasks = std::span(kept_tasks_).subspan(slot * k_count, k_count);
  if (kept_log2_ < 0 || !std::equal(jobs.begin(), jobs.end(), kept.begin())) {
    divide(jobs, tasks);
    std::copy(jobs.begin(), jobs.end(), kept.begin());
  }
  return tasks;
}

std::size_t FluidRates::slot_of(std::span<const std::int64_t> jobs) const {
  std::uint64_t hash = 0;
  for (const std::int64_t n : jobs) hash = (hash ^ static_cast<std::uint64_t>(n)) * kGolden;
  return hash >> (64 - kept_log2_);
}

void FluidRates::divide(std::span<const std::int64_t> jobs, std::span<double> tasks) {
  ++divisions_;
  if (std::all_of(jobs.begin(), jobs.end(), [](std::int64_t n) { return n == 0; })) {
    std::fill(tasks.begin(), tasks.end(), 0.0);
    return;
  }
  std::visit([&](auto& divider) { divider.divide(jobs, tasks); }, divider_);
  for (std::size_t k = 0; k < tasks.size(); ++k) tasks[k] *= rule_.yardstick[k];
}

}  // namespace mirab::simulation
