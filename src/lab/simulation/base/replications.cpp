// Streams and sweeps.
//
// One number from a seed, a purpose and indices. The words of the purpose and of the index are taken in one
// after the other, each step a bijection of what came before and of the word (with the finaliser of
// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014, figure 19), so
// that two streams whose words differ in one place only never have the same seed. The length of the purpose
// comes first, since `ab`, 1 and `a`, … could be the same words otherwise.
//
// Independent tasks over threads: every thread takes the next task that none has begun.
#include "lab/simulation/base/replications.hpp"

#include <mutex>
#include <numeric>
#include <vector>

#include <mirab/model/assert.hpp>

#include "numerics/base/threads.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio, odd

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose,
                          std::initializer_list<std::uint64_t> index) {
  std::uint64_t state = mixed(seed + kGolden);
  const auto take = [&](std::uint64_t word) { state = mixed((state ^ word) + kGolden); };
  take(purpose.size());
  for (const char letter : purpose) take(static_cast<unsigned char>(letter));
  for (const std::uint64_t word : index) take(word);
  return state;
}

Random stream(std::uint64_t seed, std::string_view purpose, std::initializer_list<std::uint64_t> index) {
  return Random(stream_seed(seed, purpose, index));
}

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
