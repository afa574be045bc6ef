#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Writes rate_n > 0 of rows first … first + rates.size() - 1. Asked once for every row, a cache-sized block
/// at a time, so that a rate made from the row's demands reads them while they are near.
using RateFunction = std::function<void(Eigen::Index first, Eigen::Ref<Eigen::ArrayXd> rates)>;

/// What stopped a row: a resource's index, or its own cap.
constexpr std::int32_t kStoppedByCap = -1;

/// Levels that cannot rise any more.
struct [[nodiscard]] WaterLevels {
  SolveReport report;  ///< error: max |used_r / C_r - 1| over the resources that stopped a row, 0 when exact;
                       ///< iterations: resources that filled up, and caps that were reached
  Eigen::ArrayXd amount;                 ///< x_n = min(cap_n, rate_n · the level at which it stopped), [n]
  std::vector<std::int32_t> stopped_by;  ///< the resource that stopped x_n, or kStoppedByCap, [n]
  Eigen::ArrayXd used;                   ///< Σ_n x_n d_{n,r}, [m]
};

/// Water-filling is exact but for rounding. Derived: a sum of N amounts has a relative error of about √N
/// 1e-16, and no more than N 1e-16: accepted up to ten million rows.
inline constexpr Accuracy kWaterAccuracy{.target = 1e-12, .accepted = 1e-9};

/// Constants of fill_with_water().
struct WaterTuning {
  /// part of a slope that is left when it is summed again. Derived: rounding that is left over at most
  /// doubles, and all sums together take the time of two. Harmless from 0.1 to 0.9.
  double resum_below = 0.5;
  Accuracy accuracy = kWaterAccuracy;  ///< of the report only: the filling has no iteration to stop early
};

/// Raises one common level: x_n = rate_n · level until a resource that n takes is full or x_n reaches its
/// cap.
///
/// The result is the lexicographic max-min of x_n / rate_n under Σ_n x_n d_n ≤ C and x ≤ cap. `capacity` is
/// [m], ≥ 0; `cap` is [n], ≥ 0, infinite where there is none, or empty when no row has one. Requires that
/// every row takes something, or has a finite cap. Amounts that rounding leaves above the capacity by more
/// than is accepted are scaled down until they fit; the report stays that of before. O(Nm) for each resource
/// that fills up, and O(N log N + Nm) for all caps together.
WaterLevels fill_with_water(const Demands& demand, const Eigen::ArrayXd& capacity, const RowValues& cap,
                            const RateFunction& rate, const WaterTuning& tuning = {});

}  // namespace mirab::numerics
