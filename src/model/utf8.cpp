#include "model/utf8.hpp"

#include <cstddef>

namespace mirab {
namespace {

// Bytes of the sequence that begins with `lead`, and the range of its second byte (the table of RFC 3629,
// section 4).
struct Sequence {
  std::size_t length;
  unsigned char second_least;
  unsigned char second_most;
};

Sequence sequence_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Sequence sequence = sequence_of(static_cast<unsigned char>(text[at]));
    if (sequence.length == 0 || at + sequence.length > text.size()) return false;
    for (std::size_t i = 1; i < sequence.length; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      const unsigned char least = i == 1 ? sequence.second_least : 0x80;
      const unsigned char most = i == 1 ? sequence.second_most : 0xBF;
      if (byte < least || byte > most) return false;
    }
    at += sequence.length;
  }
  return true;
}

}  // namespace mirab
