// Blocks of 2^k units with a list of unused ones for each k.
#include "simulation/overlay/letter_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {
namespace {

constexpr std::size_t kHead = 8;

struct Head {
  std::uint32_t length = 0;
  std::uint32_t size_class = 0;
};
static_assert(sizeof(Head) == kHead);

}  // namespace

LetterStore::Id LetterStore::put(std::span<const std::uint8_t> bytes) {
  const std::size_t units = (kHead + bytes.size() + kUnit - 1) / kUnit;
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(units - 1));
  Id letter = 0;
  if (free_[size_class].empty()) {
    letter = static_cast<Id>(buffer_.size() / kUnit);
    buffer_.resize(buffer_.size() + (kUnit << size_class));
  } else {
    letter = free_[size_class].back();
    free_[size_class].pop_back();
  }
  const Head head{static_cast<std::uint32_t>(bytes.size()), size_class};
  std::uint8_t* const block = buffer_.data() + letter * kUnit;
  std::memcpy(block, &head, kHead);
  std::copy(bytes.begin(), bytes.end(), block + kHead);
  return letter;
}

std::span<std::uint8_t> LetterStore::at(Id letter) {
  Head head;
  std::uint8_t* const block = buffer_.data() + letter * kUnit;
  std::memcpy(&head, block, kHead);
  return {block + kHead, head.length};
}

void LetterStore::drop(Id letter) {
  Head head;
  std::memcpy(&head, buffer_.data() + letter * kUnit, kHead);
  MIRAB_ASSERT(head.size_class < free_.size(), "a block has its class");
  free_[head.size_class].push_back(letter);
}

void LetterStore::foresee(Id letter) const {
  constexpr std::size_t kLine = 64;
  const std::uint8_t* const block = buffer_.data() + letter * kUnit;
  for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(block + line * kLine);
}

}  // namespace mirab::simulation
