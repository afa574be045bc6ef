// Independent tasks over threads: every thread takes the next task that none has begun.
#include "lab/simulation/base/parallel.hpp"

#include <mutex>
#include <numeric>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/base/threads.hpp"

namespace mirab::simulation {

void sweep(std::size_t count, int threads, const std::function<void(std::size_t)>& task,
           const Progress& progress) {
  sweep(
      count, threads, [&](std::size_t index, const Progress&) { task(index); }, progress);
}

void sweep(std::size_t count, int threads, const std::function<void(std::size_t, const Progress&)>& task,
           const Progress& progress) {
  MIRAB_ASSERT(threads >= 1, "a sweep needs a thread");
  std::vector<double> done(count);  // of each task the part
  std::mutex reporting;             // guards `done`, and lets one call of `progress` be at a time
  const auto report = [&](std::size_t index, double part) {
    if (!progress) return;
    const std::lock_guard lock(reporting);
    if (part <= done[index]) return;
    done[index] = part;
    progress(std::accumulate(done.begin(), done.end(), 0.0) / static_cast<double>(count));
  };
  numerics::for_each_index(0, count, threads, [&](std::size_t index) {
    task(index, [&report, index](double part) { report(index, part); });
    report(index, 1);
  });
}

}  // namespace mirab::simulation
