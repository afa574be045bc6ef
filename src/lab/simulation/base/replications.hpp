// Independent runs on several threads, each with random streams of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

namespace mirab::simulation {

/// The seed of the stream of one purpose: `stream_seed(seed, "arrivals", {k})`. What another purpose or
/// another index draws, how much of it and in which order, changes nothing here; so contenders that share
/// seed, purpose and index live through the same (common random numbers: Law, Simulation Modeling and
/// Analysis, section 11.2).
std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose,
                          std::initializer_list<std::uint64_t> index = {});

/// The stream itself.
Random stream(std::uint64_t seed, std::string_view purpose, std::initializer_list<std::uint64_t> index = {});

/// Called now and then with the part that is done, in (0, 1], never falling; from any thread, one call at a
/// time.
using Progress = std::function<void(double part)>;

/// Calls task(0) … task(count - 1) once each, on at most `threads` threads (≥ 1; this one among them), on
/// fewer where the system has no more. Nothing depends on their number when a task writes only to what is its
/// own and draws only from streams of its index. Tasks are begun in their order: let the long ones come
/// first. A task must not throw.
void sweep(std::size_t count, int threads, const std::function<void(std::size_t task)>& task,
           const Progress& progress = {});

/// The same for tasks that report how far they are: task(index, progress of that task).
void sweep(std::size_t count, int threads,
           const std::function<void(std::size_t task, const Progress& of_task)>& task,
           const Progress& progress = {});

// Independent replications: a scenario is run once for each of several seeds.

/// once(seed, threads, progress) for each seed, in their order; the first error of any. At least one seed, at
/// least one thread; threads beyond the number of seeds go to the single runs. Nothing depends on their
/// number when that is true of `once`, which must not throw.
template <class Outcome, class Once>
Result<std::vector<Outcome>> replicate(std::span<const std::uint64_t> seeds, int threads, const Once& once,
                                       const Progress& progress = {}) {
  const bool alone = seeds.size() == 1;
  const int side_by_side = std::min(threads, static_cast<int>(seeds.size()));
  const int each = threads / side_by_side;
  std::vector<Outcome> outcomes(seeds.size());
  std::vector<Check> failures(seeds.size());
  const auto run = [&](std::size_t index) {
    Result<Outcome> outcome = once(seeds[index], each, alone ? progress : Progress{});
    if (outcome) {
      outcomes[index] = *std::move(outcome);
    } else {
      failures[index] = outcome.error();
    }
  };
  sweep(seeds.size(), side_by_side, run, alone ? Progress{} : progress);
  for (const Check& failure : failures) {
    if (failure) return *failure;
  }
  return outcomes;
}

}  // namespace mirab::simulation
