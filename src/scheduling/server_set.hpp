#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mirab::scheduling {

/// A set of server numbers, as a bitset that grows with what is put in. Copying costs O(largest number / 64).
class ServerSet {
 public:
  static constexpr std::size_t kWord = 64;  ///< servers in a word

  void insert(std::uint32_t server) {
    const std::size_t word = server / kWord;
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= bit(server);
  }

  void erase(std::uint32_t server) {
    if (server / kWord < words_.size()) words_[server / kWord] &= ~bit(server);
  }

  bool contains(std::uint32_t server) const { return (word(server / kWord) & bit(server)) != 0; }

  /// The servers 64 index … 64 index + 63, the first in the lowest bit.
  std::uint64_t word(std::size_t index) const { return index < words_.size() ? words_[index] : 0; }

  /// Every word up to the last that was ever used; those beyond are 0.
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  static std::uint64_t bit(std::uint32_t server) { return std::uint64_t{1} << (server % kWord); }

  std::vector<std::uint64_t> words_;
};

}  // namespace mirab::scheduling
