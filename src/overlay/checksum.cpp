// CRC-32, sixteen bytes at a time ("slicing", Kounavis and Berry 2005): the polynomial is linear, so that the
// remainders of sixteen bytes, each at its own distance from the end, are looked up and added (⊕).
//
// Here and not zlib's, because letters are short: of 134 bytes, a shuffle of eleven descriptors, zlib 1.2.13
// takes three times as long, which was more than half of the time to write and read one.

#include "overlay/checksum.hpp"

#include <array>

namespace mirab::overlay {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320;  // reflected: the least significant bit comes first
constexpr std::size_t kStride = 16;

using Remainders = std::array<std::array<std::uint32_t, 256>, kStride>;

// By how many bytes follow, and the byte.
constexpr Remainders remainders() {
  Remainders table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder & 1 ? kPolynomial : 0);
    table[0][byte] = remainder;
  }
  for (std::size_t after = 1; after < kStride; ++after) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = table[after - 1][byte];
      table[after][byte] = before >> 8 ^ table[0][before & 0xff];
    }
  }
  return table;
}
constexpr Remainders kRemainders = remainders();

}  // namespace

std::uint32_t crc32_of(const std::uint8_t* bytes, std::size_t size) {
  std::uint32_t crc = 0xffffffff;
  for (; size >= kStride; size -= kStride, bytes += kStride) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kStride; ++i) {
      const std::uint32_t carried = i < sizeof crc ? crc >> 8 * i & 0xff : 0;
      next ^= kRemainders[kStride - 1 - i][bytes[i] ^ carried];
    }
    crc = next;
  }
  for (; size > 0; --size) crc = crc >> 8 ^ kRemainders[0][(crc ^ *bytes++) & 0xff];
  return ~crc;
}

}  // namespace mirab::overlay
