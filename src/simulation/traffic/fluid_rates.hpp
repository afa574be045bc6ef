#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "simulation/traffic/fluid_rule.hpp"
#include "simulation/traffic/level_shares.hpp"
#include "simulation/traffic/priced_shares.hpp"

namespace mirab::simulation {

/// φ_k(n), asked for again and again: few states are new, so that those of late are kept.
class FluidRates {
 public:
  /// Keeps 2^kept_log2 states, or none for a negative one.
  explicit FluidRates(FluidRule rule, int kept_log2 = 12);
  FluidRates(const FluidRates&) = delete;
  FluidRates& operator=(const FluidRates&) = delete;

  /// φ_k, the tasks of one job of each class, [k]; 0 where there is none. `jobs` is n_k, [k], permanent ones
  /// included. Valid until the next call. O(K) for a state that is kept, else a division.
  std::span<const double> at(std::span<const std::int64_t> jobs);

  std::int64_t divisions() const { return divisions_; }

  /// Divisions whose shares are not the rule's (priced_shares.hpp).
  std::int64_t not_converged() const { return prices() == nullptr ? 0 : prices()->not_converged(); }

  /// Of divisions by prices, for those who measure; null for α = ∞.
  const PricedShares* prices() const { return std::get_if<PricedShares>(&divider_); }

 private:
  std::size_t slot_of(std::span<const std::int64_t> jobs) const;
  void divide(std::span<const std::int64_t> jobs, std::span<double> tasks);

  FluidRule rule_;
  std::variant<LevelShares, PricedShares> divider_;
  int kept_log2_;
  std::vector<std::int64_t> kept_jobs_;  // [slot][k]; -1 in an empty one
  std::vector<double> kept_tasks_;       // [slot][k]
  std::int64_t divisions_ = 0;
};

}  // namespace mirab::simulation
