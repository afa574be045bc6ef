// The check of a snapshot's bytes, before a parser that trusts them reads them.
#include "scheduling/persistence/cbor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

namespace mirab::scheduling {

// An item begins with a byte of three bits for what it is and five for its argument, or for how many bytes
// the argument has (RFC 8949, section 3). Only lists and objects contain items; how many are still to come at
// each depth is all that has to be remembered.

namespace {

enum Major : unsigned { natural, negative, byte_string, text, list, object, tag, simple };

Error refused(std::string_view what, std::size_t at) {
  return {.message = fmt::format("{}, at byte {}; this is not a complete snapshot", what, at)};
}

}  // namespace

Check check_cbor(std::string_view bytes) {
  std::array<std::uint64_t, kMaxSnapshotDepth + 1> to_come{1};  // items, at each depth
  std::size_t depth = 0;
  std::size_t at = 0;
  while (depth > 0 || to_come[0] > 0) {
    if (to_come[depth] == 0) {
      --depth;
      continue;
    }
    --to_come[depth];
    if (at >= bytes.size()) return refused("the bytes end", at);
    const std::size_t begin = at;
    const auto head = static_cast<unsigned char>(bytes[at++]);
    const unsigned major = head >> 5;
    std::uint64_t argument = head & 31U;
    if (major == tag || (major == simple && argument < 20) || argument > 27)
      return refused("an item of a kind that no snapshot has", begin);
    if (argument >= 24) {
      const std::size_t width = std::size_t{1} << (argument - 24);
      if (bytes.size() - at < width) return refused("the bytes end", bytes.size());
      argument = 0;
      for (std::size_t i = 0; i < width; ++i)
        argument = argument << 8 | static_cast<unsigned char>(bytes[at++]);
    }
    const std::uint64_t left = bytes.size() - at;
    if (major == byte_string || major == text) {
      if (argument > left) return refused("a text ends after the bytes", begin);
      at += argument;
    }
    if (major != list && major != object) continue;
    const std::uint64_t max = major == list ? left : left / 2;  // an item has a byte at the least
    if (argument > max) return refused("more items than bytes", begin);
    if (depth == kMaxSnapshotDepth) return refused("items nested too deep", begin);
    to_come[++depth] = major == list ? argument : 2 * argument;
  }
  if (at < bytes.size()) return refused("something follows", at);
  return {};
}

}  // namespace mirab::scheduling
