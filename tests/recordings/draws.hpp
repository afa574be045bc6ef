#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mirab::recordings {

/// 64-bit FNV-1a: what a recording keeps of a text that is too long to keep.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char byte : text) {
      value_ ^= static_cast<unsigned char>(byte);
      value_ *= 1099511628211U;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

/// SplitMix64 (Steele, Lea and Flood, 2014). The recordings depend on these numbers on every machine and for
/// years, so the generator stands here: neither the standard library nor Mirab can change it.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  /// A generator that depends on a name, so that a new case changes no other.
  static Draws named(std::string_view name) {
    Digest digest;
    digest.add(name);
    return Draws(digest.value());
  }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// In 0 … bound - 1; the bias of the remainder does not matter here. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) { return bits() % bound; }

  /// In least … most.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
  }

  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(values.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace mirab::recordings
