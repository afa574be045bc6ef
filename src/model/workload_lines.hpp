#pragma once

#include <cstddef>
#include <string_view>

/// What the reader and the writer of workload files both know of their lines.
namespace mirab {

/// What the head calls the file.
inline constexpr std::string_view kWorkloadMagic = "workload";

/// In bytes. The longest lines name thousands of servers, or hold the usage of days.
inline constexpr std::size_t kLongestWorkloadLine = std::size_t{1} << 20;

/// A usage with more amounts than this goes on in a further line, unless one step has as many.
inline constexpr std::size_t kMostAmountsInALine = 10'000;

}  // namespace mirab
