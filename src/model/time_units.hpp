#pragma once

#include <optional>
#include <string_view>

#include <mirab/model/time.hpp>

namespace mirab {

/// A number as it is written, and the time in which it counts.
struct TimeText {
  std::string_view number;
  Duration unit;
};

/// `1.5h` is 1.5 and an hour: ms, s, m or min, h or d, or else `unit`.
TimeText split_time(std::string_view text, Duration unit);

/// What several parts say together, as people and Slurm write it: `1h30m`, `2d 4h`, `1:30:00` of hours,
/// minutes and seconds, `1:30` of minutes and seconds, `2-00:00:00` and `2-12` of days and hours before it.
/// Nothing for any other text, a single number among them, and for more than 292 years.
std::optional<Duration> time_of_parts(std::string_view text);

/// Is the text made of what a number is made of, without any of the suffixes that a Quantity takes?
bool is_without_suffix(std::string_view text);

}  // namespace mirab
