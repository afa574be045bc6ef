#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/tree.hpp>

#include "fairness/exact_part.hpp"
#include "model/exact.hpp"

namespace mirab::fairness {

// What a user or a team has of a capacity, as one number. Each formula is a template on the number that it is
// computed in: double, rounded; Part, exact and without allocation, where the formula compares and does not
// add; mpq_class, exact. Amounts and capacities are indexed by the resource and may be integers, doubles,
// quantities or fractions.

/// What a user or a team has, or would have. A view: what it shows must outlive it. `ByClass` shows how many
/// tasks of each task class run.
template <class ByClass>
struct Usage {
  std::span<const std::int64_t> amounts;  ///< [m], units
  std::int64_t tasks = 0;                 ///< X: those that run
  ByClass by_class;
};

/// An amount as a number to compute with.
template <class Number, class Amount>
Number number(const Amount& amount) {
  if constexpr (!std::is_same_v<Amount, Quantity>) {
    return static_cast<Number>(amount);
  } else if constexpr (std::floating_point<Number>) {
    return amount.value();
  } else {
    return rational(amount);
  }
}

/// a / c. Requires c > 0.
template <class Number, class Amount, class Capacity>
Number part_of(const Amount& amount, const Capacity& capacity) {
  if constexpr (std::is_same_v<Number, Part>) {
    return {.numerator = amount, .denominator = capacity};
  } else {
    return Number(number<Number>(amount) / number<Number>(capacity));
  }
}

/// Every resource counts alike.
struct EqualScale {
  template <class Number>
  Number times(Number part, std::size_t /*r*/) const {
    return part;
  }
};

/// s_r: what the part of resource r counts in a share, in every formula where a_r / C_r stands. 0 keeps it
/// out. Exact numbers count in a unit that is the same for all resources and in which all s_r are whole.
struct ShareScale {
  std::vector<double> rounded;       ///< s_r, [m]
  std::vector<std::uint64_t> whole;  ///< s_r in that unit, [m]

  /// Every resource counts alike.
  explicit ShareScale(std::size_t resources) : rounded(resources, 1.0), whole(resources, 1) {}

  /// Errors: another number of scales than resources, all of them 0, or so far apart that no common unit
  /// counts them in 63 bits. None at all: every resource counts alike.
  static Result<ShareScale> from(std::span<const Quantity> scales, std::size_t resources);

  double times(double part, std::size_t r) const { return rounded[r] * part; }
  Part times(Part part, std::size_t r) const {
    part.scale = whole[r];
    return part;
  }
  mpq_class times(const mpq_class& part, std::size_t r) const { return part * mpq_class(whole[r]); }
};

/// The dominant share max_r s_r a_r / c_r over the resources of which there are some. The first of equals.
template <class Number, class Amounts, class Capacities, class Scale = EqualScale>
Number dominant_share(const Amounts& amounts, const Capacities& capacity, const Scale& scale = {}) {
  Number share{};
  for (std::size_t r = 0; r < std::size(capacity); ++r) {
    if (!(capacity[r] > 0)) continue;
    const Number part = scale.times(part_of<Number>(amounts[r], capacity[r]), r);
    if (share < part) share = part;
  }
  return share;
}

/// The asset share Σ_r s_r a_r / c_r over the resources of which there are some.
template <class Number, class Amounts, class Capacities, class Scale = EqualScale>
Number asset_share(const Amounts& amounts, const Capacities& capacity, const Scale& scale = {}) {
  Number share{};
  for (std::size_t r = 0; r < std::size(capacity); ++r) {
    if (capacity[r] > 0) share += scale.times(part_of<Number>(amounts[r], capacity[r]), r);
  }
  return share;
}

/// argmax_r a_r / c_r over the resources of which there are some, the first of equals: compared by cross
/// products in `Number`, so exactly in Wide (of int64) and mpq_class. A later one must be larger by `margin`,
/// as a part of it, which doubles need where equal parts are not equal doubles. The first such resource for
/// amounts of none of them.
template <class Number, class Amounts, class Capacities>
std::size_t dominant_resource(const Amounts& amounts, const Capacities& capacity, double margin = 0) {
  const auto is_larger = [&](std::size_t r, std::size_t than) {
    Number least = number<Number>(amounts[than]) * number<Number>(capacity[r]);
    if constexpr (std::floating_point<Number>) least *= 1 + margin;
    return number<Number>(amounts[r]) * number<Number>(capacity[than]) > least;
  };
  std::size_t dominant = 0;
  for (std::size_t r = 1; r < std::size(capacity); ++r) {
    if (!(capacity[r] > 0)) continue;
    if (!(capacity[dominant] > 0) || is_larger(r, dominant)) dominant = r;
  }
  return dominant;
}

/// Is the part of resource `most` as large as that of any other, a_most / c_most ≥ a_r / c_r, and larger than
/// nothing? There may be several such resources. O(m).
bool is_dominant(std::size_t most, const ExactVector& amounts, const ExactVector& capacity);

/// The Gini coefficient of x ≥ 0, Σ_i Σ_j |x_i − x_j| / (2 N Σ_i x_i): never negative, and 0 when all are
/// equal, or all are 0, or there are none. It depends on the values and not on their order, to the last bit.
/// O(N log N).
double gini(std::span<const double> x);

/// What the users below each node use together, [node][m], of what each user holds, [n][m]. O((N + G) m).
std::vector<std::vector<double>> used_below(const Tree& tree, const std::vector<std::vector<double>>& held);

}  // namespace mirab::fairness
