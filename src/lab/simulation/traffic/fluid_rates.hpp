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

namespace mirab::simulation {

/// A pool mechanism over classes of alike jobs, in shares s_k = φ_k / u_k of a job of class k, of pools of
/// capacity 1: lexicographic max-min of s_k for α = ∞, else max Σ_k n_k g_α(s_k), under
/// Σ_k n_k s_k b_k,r ≤ 1. K classes, m resources.
struct FluidRule {
  std::size_t resources;          ///< m
  std::vector<double> demand;     ///< b_k,r = u_k a'_k,r / C_r, a' as claimed, [k * m + r]
  std::vector<double> yardstick;  ///< u_k, the tasks that count as a share of one, [k]
  double alpha;                   ///< > 0 or infinite

  std::size_t classes() const { return yardstick.size(); }
  const double* row(std::size_t k) const { return demand.data() + k * resources; }
};

/// The rule of a mechanism for a scenario. Errors: another mechanism than drf, max-min, asset, pf and
/// alpha-fair, or a bad option.
Result<FluidRule> fluid_rule(const TrafficScenario& scenario, const Choice& mechanism);

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

/// Divides a pool by prices (finite α) again and again, each time from the prices of the last: when one job
/// came or went, they are near. Without allocating memory, but when that fails and it starts from nothing.
class PricedShares {
 public:
  explicit PricedShares(const FluidRule& rule);

  /// Writes s_k, the share of one job of each class, 0 where there is none; every resource is used to
  /// 1 + 1e-12 at most. `jobs` is n_k, [k], not all 0. O(K m² + m³) a step.
  void divide(std::span<const std::int64_t> jobs, std::span<double> share);

  /// Forgets the prices, so that the next division starts from nothing.
  void forget() { is_near_ = false; }

  /// Newton steps of all divisions so far, and divisions that started from nothing.
  std::int64_t steps() const { return steps_; }
  std::int64_t cold_starts() const { return cold_starts_; }

  /// Divisions so far whose relative duality gap stayed above 1e-9, which the mechanisms ask for: their
  /// shares fit, but are not the rule's.
  std::int64_t not_converged() const { return not_converged_; }

 private:
  // Some prices, and what the classes do at them.
  struct Point {
    std::vector<double> price;  // λ, [m], ≥ 0
    std::vector<double> worth;  // p_k = b_k·λ, [k]
    std::vector<double> share;  // s_k = p_k^(-1/α), [k]
    std::vector<double> gap;    // ∂D/∂λ_r = 1 - Σ_k n_k s_k b_k,r, [m]
    double residual = 0;        // how far from the conditions of the best prices
  };

  bool descend(std::span<const std::int64_t> jobs);
  void divide_from_nothing(std::span<const std::int64_t> jobs, std::span<double> share);
  void evaluate(std::span<const std::int64_t> jobs, Point& point) const;
  double dual(std::span<const std::int64_t> jobs, const Point& point) const;
  void rescale(std::span<const std::int64_t> jobs);
  void choose_free();
  bool find_direction(std::span<const std::int64_t> jobs);
  void solve_free(std::span<const std::int64_t> jobs);
  bool move(std::span<const std::int64_t> jobs);

  const FluidRule* rule_;
  Point at_;
  Point next_;
  std::vector<std::size_t> free_;  // resources whose price may move
  std::vector<double> direction_;  // [m]
  std::vector<double> matrix_;     // of the Newton equation over the free ones, [m * m]
  bool is_near_ = false;           // are the prices those of an earlier division?
  std::int64_t steps_ = 0;
  std::int64_t cold_starts_ = 0;
  std::int64_t not_converged_ = 0;
};

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
