#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mirab {

/// The wall clock, UTC: for people. Nothing is decided by it.
using Wall = std::chrono::sys_time<std::chrono::milliseconds>;

Wall wall_now();

/// `2027-03-01T08:00:00.123Z`, and back, with any offset; nothing where the text is no such time. What is
/// finer than a millisecond is cut off.
std::string text_of(Wall wall);
std::optional<Wall> wall_of(std::string_view text);

}  // namespace mirab
