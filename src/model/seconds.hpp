#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

namespace mirab {

/// Reads decimal seconds, such as `12.5` or `1e-6`. Errors (message only): not a plain number, negative, not
/// a whole number of nanoseconds, more than 2^63 - 1 of them.
Result<Duration> parse_seconds(std::string_view text);

/// The shortest plain decimal that reads back as the duration, in seconds. Requires it to be ≥ 0.
std::string seconds_text(Duration duration);

/// That much later; the last time that there is where it would lie beyond. Requires a duration ≥ 0.
inline Time later(Time from, Duration by) { return from > Time::max() - by ? Time::max() : from + by; }

/// The nearest double, for what is reported: time itself is counted in whole nanoseconds.
inline double in_seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

}  // namespace mirab
