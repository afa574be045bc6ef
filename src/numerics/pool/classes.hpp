#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Classes of equal rows in pools of capacity 1, and α: lexicographic max-min of s_k for α = ∞, else
/// max Σ_k n_k g_α(s_k), under Σ_k n_k s_k b_k,r ≤ 1, for counts n that change. Every class takes something.
/// K classes, m resources.
struct RowClasses {
  std::size_t resources = 0;        ///< m
  std::vector<double> demand = {};  ///< b, [k * m + r]
  double alpha = 1;                 ///< > 0 or infinite

  std::size_t classes() const { return demand.size() / resources; }
  const double* row(std::size_t k) const { return demand.data() + k * resources; }
};

/// Constants of ClassPrices.
struct ClassPriceTuning {
  Accuracy accuracy{.target = 1e-13,
                    .accepted = 1e-12};  ///< of the residual. Derived: some hundred roundings.
  double gap = 1e-9;      ///< of a division that starts from nothing: what the mechanisms ask for
  int max_steps = 30;     ///< Measured: two or three are usual. Harmless from 10 to 100.
  int max_halvings = 20;  ///< Derived: a millionth of a step is not worth it: it starts from nothing then.
  double armijo = 1e-4;   ///< part of the slope by which D must fall. Harmless from 1e-6 to 1e-1.
  double ridge =
      1e-13;  ///< on the diagonal, for two resources that all take alike. Harmless from 1e-15 to 1e-11.
  double log_max = 300;  ///< Derived: e^±300 and its products are normal doubles.
};

/// Divides a pool by water-filling (α = ∞) again and again, without allocating memory.
class ClassLevels {
 public:
  explicit ClassLevels(const RowClasses& classes);

  /// Writes s_k, the amount of one row of each class, 0 where there is none. `counts` is n_k, [k]. O(K m) for
  /// each resource that fills up.
  void divide(std::span<const std::int64_t> counts, std::span<double> amount);

 private:
  const RowClasses* classes_;
  std::vector<double> left_;   // of each resource, [m]
  std::vector<double> slope_;  // what the rows that still rise take of it at a level of one, [m]
};

/// Divides a pool by prices (finite α) again and again, each time from the prices of the last: when one row
/// came or went, they are near. Without allocating memory, but when that fails and it starts from nothing.
class ClassPrices {
 public:
  explicit ClassPrices(const RowClasses& classes, const ClassPriceTuning& tuning = {});

  /// Writes s_k, the amount of one row of each class, 0 where there is none; every resource is used to
  /// 1 + 1e-12 at most. `counts` is n_k, [k], not all 0. O(K m² + m³) a step.
  void divide(std::span<const std::int64_t> counts, std::span<double> amount);

  /// Forgets the prices, so that the next division starts from nothing.
  void forget() { is_near_ = false; }

  /// Newton steps of all divisions so far, and divisions that started from nothing.
  std::int64_t steps() const { return steps_; }
  std::int64_t cold_starts() const { return cold_starts_; }

  /// Divisions so far whose relative duality gap stayed above 1e-9: their
  /// amounts fit, but are not the solution.
  std::int64_t not_converged() const { return not_converged_; }

 private:
  // Some prices, and what the classes do at them.
  struct Point {
    std::vector<double> price;   // λ, [m], ≥ 0
    std::vector<double> worth;   // p_k = b_k·λ, [k]
    std::vector<double> amount;  // s_k = p_k^(-1/α), [k]
    std::vector<double> gap;     // ∂D/∂λ_r = 1 - Σ_k n_k s_k b_k,r, [m]
    double residual = 0;         // how far from the conditions of the best prices
  };

  SolveReport descend(std::span<const std::int64_t> counts);
  void divide_from_nothing(std::span<const std::int64_t> counts, std::span<double> amount);
  void evaluate(std::span<const std::int64_t> counts, Point& point) const;
  double dual(std::span<const std::int64_t> counts, const Point& point) const;
  void rescale(std::span<const std::int64_t> counts);
  void choose_free();
  bool find_direction(std::span<const std::int64_t> counts);
  void solve_free(std::span<const std::int64_t> counts);
  bool move(std::span<const std::int64_t> counts);

  const RowClasses* classes_;
  ClassPriceTuning tuning_;
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

}  // namespace mirab::numerics
