#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/traffic.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/pool/classes.hpp"

namespace mirab::simulation {

/// A pool mechanism over classes of alike jobs, in shares s_k = φ_k / u_k of a job of class k, of pools of
/// capacity 1: lexicographic max-min of s_k for α = ∞, else max Σ_k n_k g_α(s_k), under
/// Σ_k n_k s_k b_k,r ≤ 1. K classes, m resources.
struct FluidRule : numerics::RowClasses {  // b_k,r = u_k a'_k,r / C_r, a' as claimed
  std::vector<double> yardstick = {};      ///< u_k, the tasks that count as a share of one, [k]
};

/// The rule of a mechanism for a scenario. Errors: another mechanism than drf, max-min, asset, pf and
/// alpha-fair, or a bad option.
Result<FluidRule> fluid_rule(const TrafficScenario& scenario, const Choice& mechanism);

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

  /// Divisions whose shares are not the rule's.
  std::int64_t not_converged() const { return prices() == nullptr ? 0 : prices()->not_converged(); }

  /// Of divisions by prices, for those who measure; null for α = ∞.
  const numerics::ClassPrices* prices() const { return std::get_if<numerics::ClassPrices>(&divider_); }

 private:
  std::size_t slot_of(std::span<const std::int64_t> jobs) const;
  void divide(std::span<const std::int64_t> jobs, std::span<double> tasks);

  FluidRule rule_;
  std::variant<numerics::ClassLevels, numerics::ClassPrices> divider_;
  int kept_log2_;
  std::vector<std::int64_t> kept_jobs_;  // [slot][k]; -1 in an empty one
  std::vector<double> kept_tasks_;       // [slot][k]
  std::int64_t divisions_ = 0;
};

/// The prices of proportional fairness for a population of jobs, and what they took.
struct [[nodiscard]] SolvedPrices {
  numerics::SolveReport report;  ///< iterations: evaluations of all classes
  std::vector<double> price;     ///< ν, of whole resources, [m]
};

/// By the dual Newton that the mechanism pf uses. `jobs` is n_k ≥ 0, [k], one > 0; α = 1, μ = 1.
SolvedPrices prices_by_newton(const TrafficScenario& scenario, std::span<const std::int64_t> jobs);

/// By the gradient projection of Bonald and Roberts 2014, equation 9, with a fixed step.
SolvedPrices prices_by_gradient(const TrafficScenario& scenario, std::span<const std::int64_t> jobs,
                                double step);

}  // namespace mirab::simulation
