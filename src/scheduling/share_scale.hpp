#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab::scheduling {

/// s_r: what the part of resource r counts in a share, in every formula where a_r / C_r stands. 0 keeps it
/// out.
struct ShareScale {
  std::vector<double> rounded;       ///< s_r, [m]
  std::vector<std::uint64_t> whole;  ///< s_r times a number that is the same for all resources, [m]

  /// Every resource counts alike.
  explicit ShareScale(std::size_t resources) : rounded(resources, 1.0), whole(resources, 1) {}

  /// Errors: another number of scales than resources, all of them 0, or so far apart that no common unit
  /// counts them in 63 bits. None at all: every resource counts alike.
  static Result<ShareScale> from(std::span<const Quantity> scales, std::size_t resources);
};

}  // namespace mirab::scheduling
