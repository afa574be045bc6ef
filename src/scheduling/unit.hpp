#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <mirab/model/problem.hpp>

namespace mirab::scheduling {

/// What one count of a resource stands for: 10^exponent of the cluster's own unit.
struct Unit {
  int exponent = 0;
  bool exact = true;  ///< every given capacity and demand is a whole number of units
};

/// What `count` equal servers have of a resource, each.
struct Offered {
  Quantity amount;
  std::int64_t count = 1;  ///< ≥ 1
};

/// The coarsest unit in which every amount is whole; where all that is offered would pass kMostUnits in that
/// unit, the finest one in which it does not. O(E offered + asked), E the powers of ten tried.
Unit choose_unit(std::span<const Offered> offered, std::span<const Quantity> asked);

/// The same for every capacity and demand of a cluster. O(E (K + demands)).
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
