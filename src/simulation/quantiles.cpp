#include "simulation/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mirab::simulation {

double quantile(const std::vector<double>& ascending, double q) {
  MIRAB_ASSERT(!ascending.empty() && q >= 0 && q <= 1, "a quantile of nothing, or beyond the ends");
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(ascending.size())));
  return ascending[std::max<std::size_t>(rank, 1) - 1];
}

Quantiles quantiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  // Summed in ascending order, so that the mean does not depend on the order in which tasks ended.
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.count = static_cast<std::int64_t>(values.size()),
          .mean = sum / static_cast<double>(values.size()),
          .p10 = quantile(values, 0.10),
          .p50 = quantile(values, 0.50),
          .p90 = quantile(values, 0.90),
          .p99 = quantile(values, 0.99),
          .most = values.back()};
}

}  // namespace mirab::simulation
