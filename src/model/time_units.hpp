#pragma once

#include <string_view>

#include <mirab/model/time.hpp>

namespace mirab {

/// A number as it is written, and the time in which it counts.
struct TimeText {
  std::string_view number;
  Duration unit;
};

/// `1.5h` is 1.5 and an hour: ms, s, min, h or d, or else `unit`.
TimeText split_time(std::string_view text, Duration unit);

/// Is the text made of what a number is made of, without any of the suffixes that a Quantity takes?
bool is_without_suffix(std::string_view text);

}  // namespace mirab
