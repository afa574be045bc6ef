// Parallel distributed gradient-based DRF (Östman, 4.5): the centre serves, unconfirmed, and so does whoever
// makes the shares around it more even. Known failures: two centres at once when views are stale; a richer
// user is served when it evens out a neighbourhood that lacks the poorest (tables 5.3 and 5.4: up to 64 % of
// the turns, most of them within a few per cent of the least share).

#include "overlay/pdgdrf.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mirab::overlay {

double gini(std::span<const double> x) {
  double sum = 0;
  double differences = 0;
  for (const double x_i : x) {
    sum += x_i;
    for (const double x_j : x) differences += std::abs(x_i - x_j);
  }
  return sum > 0 ? differences / (2 * static_cast<double>(x.size()) * sum) : 0;
}

bool is_highest(const Descriptor& own, std::span<const Descriptor> view) {
  if (std::isinf(own.utility)) return false;
  return std::ranges::none_of(view, [&](const Descriptor& q) { return q.utility > own.utility; });
}

bool gini_falls(const Descriptor& own, double after, std::span<const Descriptor> view) {
  if (std::isinf(own.utility)) return false;
  std::vector<double> shares{-own.utility};
  shares.reserve(view.size() + 1);
  for (const Descriptor& q : view) {
    if (!std::isinf(q.utility)) shares.push_back(-q.utility);
  }
  const double gini_old = gini(shares);
  shares.front() = after;
  return gini(shares) < gini_old;
}

bool pdgdrf_may_serve(const Descriptor& own, double after, std::span<const Descriptor> view) {
  return is_highest(own, view) || gini_falls(own, after, view);
}

}  // namespace mirab::overlay
