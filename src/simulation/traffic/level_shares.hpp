#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/traffic/fluid_rule.hpp"

namespace mirab::simulation {

/// Divides a pool by water-filling (α = ∞) again and again, without allocating memory.
class LevelShares {
 public:
  explicit LevelShares(const FluidRule& rule);

  /// Writes s_k, the share of one job of each class, 0 where there is none. `jobs` is n_k, [k]. O(K m) for
  /// each resource that fills up.
  void divide(std::span<const std::int64_t> jobs, std::span<double> share);

 private:
  const FluidRule* rule_;
  std::vector<double> left_;   // of each resource, [m]
  std::vector<double> slope_;  // what those who still rise take of it at a level of one, [m]
};

}  // namespace mirab::simulation
