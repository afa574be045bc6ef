// Water-filling over classes: all shares rise together until a resource is full; whoever takes of it stops;
// and so on until all have stopped (Bonald and Roberts 2014, section 2.3). The same as
// numerics/water_filling, for a handful of classes and a million fillings a second.
#include "simulation/traffic/level_shares.hpp"

#include <algorithm>
#include <limits>

namespace mirab::simulation {
namespace {

constexpr double kRises = -1;  // the share of a class that has not stopped

}  // namespace

LevelShares::LevelShares(const FluidRule& rule)
    : rule_(&rule), left_(rule.resources), slope_(rule.resources) {}

void LevelShares::divide(std::span<const std::int64_t> jobs, std::span<double> share) {
  const std::size_t m = rule_->resources;
  std::size_t rising = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    share[k] = jobs[k] > 0 ? kRises : 0;
    rising += jobs[k] > 0 ? 1 : 0;
  }
  std::fill(left_.begin(), left_.end(), 1.0);
  while (rising > 0) {
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      if (share[k] != kRises) continue;
      const double n = static_cast<double>(jobs[k]);
      for (std::size_t r = 0; r < m; ++r) slope_[r] += n * rule_->row(k)[r];
    }
    double level = std::numeric_limits<double>::infinity();
    std::size_t full = 0;
    for (std::size_t r = 0; r < m; ++r) {
      if (slope_[r] == 0 || left_[r] / slope_[r] >= level) continue;
      level = left_[r] / slope_[r];
      full = r;
    }
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      if (share[k] != kRises || rule_->row(k)[full] == 0) continue;
      share[k] = level;
      --rising;
      const double total = static_cast<double>(jobs[k]) * level;
      for (std::size_t r = 0; r < m; ++r) left_[r] -= total * rule_->row(k)[r];
    }
  }
}

}  // namespace mirab::simulation
