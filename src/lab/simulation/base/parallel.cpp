// Independent tasks over threads: every thread takes the next task that nobody has begun.
#include "lab/simulation/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {

void sweep(std::size_t count, int threads, const std::function<void(std::size_t)>& task,
           const Progress& progress) {
  MIRAB_ASSERT(threads >= 1, "a sweep needs a thread");
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex telling;  // guards `done`, and lets one call of `progress` be at a time
  const auto work = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      task(index);
      const std::lock_guard lock(telling);
      ++done;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(count));
    }
  };
  std::vector<std::jthread> others;
  try {
    for (std::size_t worker = 1; worker < std::min(static_cast<std::size_t>(threads), count); ++worker)
      others.emplace_back(work);
  } catch (const std::system_error&) {  // those that there are do the work
  }
  work();
}

}  // namespace mirab::simulation
