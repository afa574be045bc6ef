#pragma once

#include <cstdint>
#include <random>

#include <mirab/model/assert.hpp>

namespace mirab {

/// A source of random numbers: the same seed gives the same numbers on every platform. Passed in, never
/// global.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed), engine_(seed) {}

  /// The seed that replays everything drawn from here.
  std::uint64_t seed() const { return seed_; }

  std::uint64_t bits() { return engine_(); }

  /// Uniform in 0 … bound - 1, without bias. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    MIRAB_ASSERT(bound > 0, "a draw from nothing");
    const std::uint64_t unbiased = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t draw = engine_();
    while (draw >= unbiased) draw = engine_();
    return draw % bound;
  }

  /// Uniform in [0, 1), with 53 random bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace mirab
