#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "numerics/base/solve_report.hpp"

namespace mirab::numerics {

/// Constants of hold_floors().
struct FloorTuning {
  double within = 1e-7;  ///< of a floor of 1. Derived: as exact as divisions over servers are.
  std::size_t steps_each =
      4;  ///< times K²: a limit, one for each amount is usual. Derived: no set comes twice.
};

/// A division that keeps all floors.
template <class Division>
struct [[nodiscard]] FlooredDivision {
  SolveReport
      report;  ///< error: by how much the lowest amount is below 1; iterations: steps away from a floor
  Division division;
};

/// The division of the highest concave objective in which K amounts are at least 1, by an active set: which
/// of them are held at 1.
///
/// `divide(held)` gives the division with these amounts held at 1, [k] of bool, or nothing, whereupon the
/// search ends with nothing; `amounts_of(division)` gives the amounts, [k]; `first` is the division with none
/// held.
///
/// An amount that falls below 1 is held, until none does. Then each is released in turn: if it rises, it did
/// not belong there (one that was held later can make room for one that was held earlier), and the division
/// moves towards the new one until an amount meets its floor. The objective grows with every such step, so no
/// set comes twice. One division for each amount that is held, mostly.
template <class Division, class Divide, class AmountsOf>
std::optional<FlooredDivision<Division>> hold_floors(Division first, const Divide& divide,
                                                     const AmountsOf& amounts_of,
                                                     const FloorTuning& tuning = {}) {
  using Amounts = std::vector<double>;
  const double floor = 1 - tuning.within;
  const std::size_t count = amounts_of(first).size();
  std::vector<bool> held(count, false);

  const auto hold_those_below = [&](const Amounts& amounts) {
    bool any = false;
    for (std::size_t k = 0; k < count; ++k) {
      if (held[k] || amounts[k] >= floor) continue;
      any = held[k] = true;
    }
    return any;
  };

  // From amounts that keep all floors towards `next`, which may not: the first that meets its floor on the
  // way is held, and `next` computed again.
  const auto move_towards = [&](Division next, Amounts from,
                                std::vector<bool>& of_next) -> std::optional<Division> {
    while (true) {
      const Amounts to = amounts_of(next);
      double part = 1;
      std::size_t first_met = count;
      for (std::size_t k = 0; k < count; ++k) {
        if (of_next[k] || to[k] >= floor) continue;
        const double until_floor = std::clamp((from[k] - 1) / (from[k] - to[k]), 0.0, 1.0);
        if (first_met == count || until_floor < part) part = until_floor, first_met = k;
      }
      if (first_met == count) return next;
      for (std::size_t k = 0; k < count; ++k) from[k] += part * (to[k] - from[k]);
      of_next[first_met] = true;
      std::optional<Division> again = divide(of_next);
      if (!again) return again;
      next = *std::move(again);
    }
  };

  Division now = std::move(first);
  while (hold_those_below(amounts_of(now))) {
    std::optional<Division> next = divide(held);
    if (!next) return {};
    now = *std::move(next);
  }
  const std::size_t max_steps = tuning.steps_each * count * count;
  std::size_t steps = 0;
  for (std::size_t k = 0; k < count && steps <= max_steps; ++k) {
    if (!held[k]) continue;
    std::vector<bool> released = held;
    released[k] = false;
    std::optional<Division> next = divide(released);
    if (!next) return {};
    if (amounts_of(*next)[k] <= 1 + tuning.within) continue;
    next = move_towards(*std::move(next), amounts_of(now), released);
    if (!next) return {};
    now = *std::move(next);
    ++steps;
    held = released;
    k = static_cast<std::size_t>(-1);  // from the first amount again
  }
  const Amounts amounts = amounts_of(now);
  const double lowest = count > 0 ? *std::min_element(amounts.begin(), amounts.end()) : 1;
  // At the limit floors are kept, but the objective may not be the highest.
  SolveReport report =
      report_of(std::max(0.0, 1 - lowest), {.target = tuning.within, .accepted = tuning.within},
                Stop::stalled, static_cast<int>(steps));
  if (steps > max_steps) report.stop = Stop::limit;
  return FlooredDivision<Division>{.report = report, .division = std::move(now)};
}

}  // namespace mirab::numerics
