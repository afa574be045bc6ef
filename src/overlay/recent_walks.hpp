#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// The walks that came to a server last. A walk that the network doubles must go on once: were both passed
/// on, and their copies doubled again, 400 hops at 5 % would make e²⁰ of it. Doubles come close together, so
/// a few are enough. 68 bytes; one step in 10⁸ is taken for another, and its walk given up (Patience::walk).
class RecentWalks {
 public:
  /// Is this step of the walk new here? Notes it.
  bool is_news(const Walk& walk) {
    const std::uint32_t step = name_of(walk);
    if (std::find(seen_.begin(), seen_.end(), step) != seen_.end()) return false;
    seen_[next_] = step;
    next_ = (next_ + 1) % static_cast<std::uint32_t>(seen_.size());
    return true;
  }

 private:
  /// Hardly two steps have the same.
  static std::uint32_t name_of(const Walk& walk) {
    std::uint64_t name = 0;
    for (const std::uint64_t part : {std::uint64_t{walk.home}, std::uint64_t{walk.task.id.user},
                                     walk.task.id.number, walk.attempt, std::uint64_t{walk.hops_left} + 1}) {
      name = (name ^ part) * 0x9E3779B97F4A7C15U;
      name ^= name >> 32;
    }
    return static_cast<std::uint32_t>(name >> 32);
  }

  std::array<std::uint32_t, 16> seen_{};
  std::uint32_t next_ = 0;
};

}  // namespace mirab::overlay
