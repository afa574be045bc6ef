#pragma once

#include <cstddef>

#include <mirab/model/problem.hpp>

namespace mirab::scheduling {

/// What one count of a resource stands for: 10^exponent of the cluster's own unit.
struct Unit {
  int exponent = 0;
  bool exact = true;  ///< every given capacity and demand is a whole number of units
};

/// The coarsest unit in which every given amount of the resource is whole; where the cluster's capacity in
/// that unit would pass kMostUnits, the finest one in which it does not. O(E (K + demands)), E the powers of
/// ten tried.
Unit choose_unit(const Problem& problem, std::size_t resource);

/// The most units that the cluster may have of a resource. One less than 2^63 - 1, which stands for "more
/// than all".
inline constexpr std::int64_t kMostUnits = INT64_MAX - 1;

/// capacity in units, rounded down: a server never gives more than it has.
std::int64_t units_offered(const Quantity& capacity, Unit unit);

/// demand in units, rounded up: a task never takes less than it asks. INT64_MAX when it passes kMostUnits, so
/// that it fits nowhere.
std::int64_t units_asked(const Quantity& demand, Unit unit);

}  // namespace mirab::scheduling
