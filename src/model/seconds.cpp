#include "model/seconds.hpp"

#include <fmt/format.h>

#include <mirab/model/assert.hpp>
#include <mirab/model/quantity.hpp>

#include "model/time_units.hpp"

namespace mirab {
namespace {

constexpr std::int64_t kNanosecondsInASecond = 1'000'000'000;
constexpr int kNanosecond = -9;  // as a power of ten of seconds

}  // namespace

Result<Duration> parse_seconds(std::string_view text) {
  if (!is_without_suffix(text)) {
    return Error{.message = fmt::format("'{}' is not a number of seconds, like 12.5", text.substr(0, 40))};
  }
  const Result<Quantity> seconds = Quantity::parse(text);
  if (!seconds) return seconds.error();
  if (seconds->exponent() < kNanosecond) {
    return Error{.message = fmt::format("'{}' is not a whole number of nanoseconds", text.substr(0, 40))};
  }
  const auto nanoseconds = count_units(*seconds, kNanosecond, Rounding::down);
  if (nanoseconds) return Duration(*nanoseconds);
  return Error{.message = fmt::format("'{}' seconds are more than 292 years", text.substr(0, 40))};
}

std::string seconds_text(Duration duration) {
  MIRAB_ASSERT(duration >= Duration::zero(), "times of a workload are not negative");
  const std::int64_t whole = duration.count() / kNanosecondsInASecond;
  const std::int64_t part = duration.count() % kNanosecondsInASecond;
  if (part == 0) return fmt::format("{}", whole);
  std::string text = fmt::format("{}.{:09}", whole, part);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace mirab
