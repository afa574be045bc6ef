#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace mirab::numerics {

/// Calls body(index) for every index from first to before last, on at most this many threads, this one among
/// them, or fewer where the system has no more. Each thread takes the next index that none has begun; returns
/// when all are done. The body must not throw, and may change only what belongs to its own index.
template <class Body>
void for_each_index(std::size_t first, std::size_t last, int threads, const Body& body) {
  std::atomic<std::size_t> next = first;
  const auto work = [&] {
    for (std::size_t index = next++; index < last; index = next++) body(index);
  };
  std::vector<std::jthread> others;
  const std::size_t most = std::min(static_cast<std::size_t>(threads), last - first);
  try {
    while (others.size() + 1 < most) others.emplace_back(work);
  } catch (const std::system_error&) {  // those that there are do the work
  }
  work();
}

}  // namespace mirab::numerics
