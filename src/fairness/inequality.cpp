// How unequal shares are.
#include "fairness/inequality.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mirab::fairness {

// With s sorted ascending, Σ_i Σ_j |s_i - s_j| = 2 Σ_i (2 i - N + 1) s_i, i from 0.
double gini(std::span<const double> x) {
  std::vector<double> s(x.begin(), x.end());
  std::sort(s.begin(), s.end());
  const double total = std::accumulate(s.begin(), s.end(), 0.0);
  if (total <= 0) return 0;
  if (s.front() == s.back()) return 0;  // rounding would leave a difference
  const auto count = static_cast<double>(s.size());
  double differences = 0;
  for (std::size_t i = 0; i < s.size(); ++i) differences += (2 * static_cast<double>(i) - count + 1) * s[i];
  return std::max(0.0, differences / (count * total));  // of nearly equal values it may round below 0
}

}  // namespace mirab::fairness
