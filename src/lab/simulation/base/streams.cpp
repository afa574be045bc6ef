// One number from a seed, a purpose and indices. The words of the purpose and of the index are taken in one
// after the other, each step a bijection of what came before and of the word (with the finaliser of
// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014, figure 19), so
// that two streams whose words differ in one place only never have the same seed. The length of the purpose
// comes first, since `ab`, 1 and `a`, … could be the same words otherwise.
#include "lab/simulation/base/streams.hpp"

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

}  // namespace mirab::simulation
