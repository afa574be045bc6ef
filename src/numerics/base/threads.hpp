#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace mirab::numerics {

/// Calls work() on at most this many threads, this one among them, or fewer where the system has no more;
/// returns when all have ended. The work must not throw, and must not depend on their number.
template <class Work>
void on_threads(int threads, const Work& work) {
  std::vector<std::jthread> others;
  try {
    for (int worker = 1; worker < threads; ++worker) others.emplace_back(work);
  } catch (const std::system_error&) {  // those that there are do the work
  }
  work();
}

}  // namespace mirab::numerics
