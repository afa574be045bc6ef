#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mirab::simulation {

/// Bytes of letters on their way: blocks of 2^k bytes in one growing buffer, reused when a letter has
/// arrived, so that a run allocates nothing once its busiest moment is over. O(bytes) to put, O(1) to take.
class LetterStore {
 public:
  /// Names a letter until it is dropped.
  using Id = std::uint32_t;

  Id put(std::span<const std::uint8_t> bytes);
  /// Valid until the next put.
  std::span<std::uint8_t> at(Id letter);
  void drop(Id letter);
  /// It will be read soon: fetches the first of its bytes into the cache.
  void foresee(Id letter) const;

  std::size_t bytes_held() const { return buffer_.capacity(); }

 private:
  // A block begins with the letter's length (4 bytes) and its class (4 bytes); an Id is its place in units of
  // the smallest block.
  static constexpr std::size_t kUnit = 32;
  std::array<std::vector<Id>, 32> free_;  // by class: blocks of kUnit · 2^class bytes
  std::vector<std::uint8_t> buffer_;
};

}  // namespace mirab::simulation
