#pragma once

// Time in ticks, for tests.

#include <chrono>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

inline constexpr Duration kTick = std::chrono::milliseconds(100);

inline Time at(int tick) { return Time(kTick * tick); }

}  // namespace mirab::overlay
