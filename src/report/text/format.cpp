// Numbers for people (decimals that fit, percentages, durations) and records of CSV.
#include "report/text/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "model/csv_table.hpp"

namespace mirab::report {
namespace {

/// Far below what any table shows, far above what a solver's rounding leaves on a whole number.
constexpr double kWholeTolerance = 1e-9;

bool is_whole(double value) {
  return std::abs(value - std::round(value)) <= kWholeTolerance * std::max(1.0, value);
}

bool vanishes(double value, int decimals) { return std::abs(value) < 0.5 * std::pow(10, -decimals); }

/// Rounded to three significant digits.
double to_three_digits(double value) { return std::strtod(fmt::format("{:.2e}", value).c_str(), nullptr); }

}  // namespace

int decimals_for(std::span<const double> values) {
  if (std::all_of(values.begin(), values.end(), is_whole)) return 0;
  const double largest = *std::max_element(values.begin(), values.end());
  const int whole_digits = static_cast<int>(std::floor(std::log10(std::max(largest, 1e-9)))) + 1;
  return std::clamp(4 - whole_digits, 1, 6);
}

std::string fixed(double value, int decimals) {
  if (std::isinf(value)) return "∞";
  return fmt::format("{:.{}f}", vanishes(value, decimals) ? 0.0 : value, decimals);  // never -0.00
}

std::string tasks_fixed(double tasks, int decimals) {
  if (tasks > 0 && vanishes(tasks, decimals)) return magnitude(tasks);
  return fixed(tasks, is_whole(tasks) ? 0 : decimals);
}

std::string percent(double part, int decimals) { return fixed(100 * part, decimals) + "%"; }

std::string signed_points(double before, double after) {
  const std::string points = fixed(100 * (after - before), 2);
  return after > before && points != "0.00" ? "+" + points : points;
}

std::string magnitude(double value) {
  if (value == 0) return "0";
  return std::isinf(value) ? "∞" : fmt::format("{:.2g}", value);
}

std::string duration(double seconds) {
  struct Unit {
    double seconds;
    double from;  // the shortest time that is written in it
    const char* sign;
  };
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  constexpr std::array<Unit, 6> kUnits{{{kDay, 2 * kDay, "d"},
                                        {kHour, 2 * kHour, "h"},
                                        {kMinute, 2 * kMinute, "min"},
                                        {1, 1, "s"},
                                        {1e-3, 1e-3, "ms"},
                                        {1e-6, 0, "µs"}}};
  if (seconds == 0) return "0 s";
  if (seconds < 1e-6) return "< 1 µs";
  const double rounded = to_three_digits(seconds);
  const auto unit =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return rounded >= each.from; });
  const double value = to_three_digits(seconds / unit->seconds);
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{} {}", without_trailing_zeros(fmt::format("{:.{}f}", value, decimals)), unit->sign);
}

std::string share_seconds(double value) { return fixed(value, value < 100 ? 4 : 0); }

std::string counted(std::size_t count, const std::string& singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string csv_record(const std::vector<std::string>& fields) {
  std::string record;
  for (const std::string& field : fields) record += csv_field(field) + ',';
  record.back() = '\n';
  return record;
}

std::string csv_number(double value) { return fmt::format("{}", value); }

}  // namespace mirab::report
