#include "report/ticks.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

namespace mirab::report {
namespace {

/// The least of 1, 2, 5, 10 times a power of ten that is no less than the value.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  constexpr double kRounding = 1 + 1e-9;
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (value <= multiple * power * kRounding) return multiple * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> Axis::ticks() const {
  std::vector<double> values;
  const auto steps = static_cast<int>(std::lround((high - low) / step));
  for (int i = 0; i <= steps; ++i) {
    const double value = low + i * step;
    values.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  }
  return values;
}

Axis axis_for(double low, double high, int most) {
  MIRAB_ASSERT(std::isfinite(low) && std::isfinite(high) && low <= high && most >= 1,
               "a span of finite values");
  if (low > 0 && low <= high - low) low = 0;
  if (high < 0 && -high <= high - low) high = 0;
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= low == 0 ? 0 : room;
    high += room;
  }
  const double step = round_step((high - low) / most);
  constexpr double kRounding = 1e-9;  // of a step: what counts as on it
  return {std::floor(low / step + kRounding) * step, std::ceil(high / step - kRounding) * step, step};
}

}  // namespace mirab::report
