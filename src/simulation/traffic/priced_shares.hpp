#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/traffic/fluid_rule.hpp"

namespace mirab::simulation {

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

}  // namespace mirab::simulation
