#pragma once

#include <cmath>
#include <cstddef>

namespace mirab::fairness {

// How far a task is from what is free on a server: ‖ d / |d| − f / |f| ‖₁ of the amounts as parts of the
// cluster's capacity. The literature's "best fit" takes the server with the least, and leaves open what
// |·| is. There are three answers, which choose different servers.

enum class FitDistance {
  /// |v| = Σ_r v_r: between proportions, at most 2. Depends on no order of the resources (`best-fit`).
  of_proportions,
  /// |v| = v_1, the first resource, as DRFH is published (Wang, Li, Liang): not finite where the task does
  /// not demand it or the server has none of it left (`best-fit:published=true`).
  to_first_resource,
  /// |v| = v_k, k the first resource that the task demands: finite wherever the task fits (the overlay).
  to_first_demanded,
};

/// The resource whose amount is |v|, where one is. `demand` are m amounts.
template <class Amounts>
std::size_t reference_resource(FitDistance distance, const Amounts& demand, std::size_t m) {
  std::size_t first = 0;
  if (distance == FitDistance::to_first_demanded) {
    while (first + 1 < m && !(demand[first] > 0)) ++first;
  }
  return first;
}

/// |v| of m parts, v(r), where `reference` is the reference resource.
template <class Parts>
double length_of(FitDistance distance, const Parts& v, std::size_t m, std::size_t reference) {
  double length = v(reference);
  if (distance == FitDistance::of_proportions) {
    for (std::size_t r = 1; r < m; ++r) length += v(r);
  }
  return length;
}

/// ‖a − b‖₁ of m numbers each, a(r) and b(r), added up in their order.
template <class A, class B>
double l1_distance(const A& a, const B& b, std::size_t m) {
  double distance = 0;
  for (std::size_t r = 0; r < m; ++r) distance += std::abs(a(r) - b(r));
  return distance;
}

/// The distance between m parts of a demand and of what is free, d(r) and f(r).
template <class Demand, class Free>
double fit_distance(FitDistance distance, const Demand& d, const Free& f, std::size_t m,
                    std::size_t reference) {
  const double of_demand = length_of(distance, d, m, reference);
  const double of_free = length_of(distance, f, m, reference);
  return l1_distance([&](std::size_t r) { return d(r) / of_demand; },
                     [&](std::size_t r) { return f(r) / of_free; }, m);
}

}  // namespace mirab::fairness
