#include "report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mirab::report {
namespace {

/// Far below what any table shows, far above what a solver's rounding leaves on a whole number.
constexpr double kWholeTolerance = 1e-9;

bool is_whole(double value) {
  return std::abs(value - std::round(value)) <= kWholeTolerance * std::max(1.0, value);
}

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

}  // namespace

int decimals_for(std::span<const double> values) {
  if (std::all_of(values.begin(), values.end(), is_whole)) return 0;
  const double largest = *std::max_element(values.begin(), values.end());
  const int whole_digits = static_cast<int>(std::floor(std::log10(std::max(largest, 1e-9)))) + 1;
  return std::clamp(4 - whole_digits, 1, 6);
}

std::string fixed(double value, int decimals) {
  if (std::isinf(value)) return "∞";
  const bool vanishes = std::abs(value) < 0.5 * std::pow(10, -decimals);
  return fmt::format("{:.{}f}", vanishes ? 0.0 : value, decimals);  // never -0.00
}

std::string percent(double part, int decimals) { return fixed(100 * part, decimals) + "%"; }

std::string magnitude(double value) {
  if (value == 0) return "0";
  return std::isinf(value) ? "∞" : fmt::format("{:.2g}", value);
}

std::string amount(double value) {
  constexpr std::array kSuffixes{"", "k", "M", "G", "T", "P", "E"};
  if (value < 1e6) return without_trailing_zeros(fmt::format("{:.{}f}", value, value < 1000 ? 4 : 2));
  std::size_t suffix = 0;
  while (value >= 1000 && suffix + 1 < kSuffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  return without_trailing_zeros(fmt::format("{:.2f}", value)) + kSuffixes[suffix];
}

std::string duration(double seconds) {
  if (seconds < 1e-6) return "< 1 µs";
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string counted(std::size_t count, const std::string& singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

}  // namespace mirab::report
