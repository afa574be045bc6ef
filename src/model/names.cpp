// Names of the input: whether a text is UTF-8, and how lists of names appear in messages.
#include "model/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mirab/model/choice.hpp>

#include "model/clear_names.hpp"

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

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<std::uint8_t>(text[at]);
  const std::size_t length = lead < 0xC0 || lead >= 0xF8 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const auto is_continuation = [](char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; };
  std::size_t bytes = 1;
  while (bytes < length && at + bytes < text.size() && is_continuation(text[at + bytes])) ++bytes;
  return bytes;
}

char32_t decode(std::string_view character) {
  constexpr std::array<std::uint8_t, 5> kLeadBits{0, 0x7F, 0x1F, 0x0F, 0x07};
  auto code = static_cast<char32_t>(static_cast<std::uint8_t>(character[0]) & kLeadBits[character.size()]);
  for (const char byte : character.substr(1)) code = code << 6 | (static_cast<std::uint8_t>(byte) & 0x3F);
  return code;
}

namespace {

/// C0, delete, and C1, in which U+009B alone opens an escape sequence.
bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code <= 0x9F); }

/// Unicode Standard Annex 9: marks, embeddings, overrides and isolates; and the separators of lines and
/// paragraphs.
bool turns_direction(char32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// White space of Unicode, and what has no width at all.
bool is_blank(char32_t code) {
  return code == 0x20 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200D) ||
         code == 0x202F || code == 0x205F || code == 0x2060 || code == 0x3000 || code == 0xFEFF;
}

}  // namespace

bool has_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at += character_bytes(text, at)) {
    if (is_control(decode(text.substr(at, character_bytes(text, at))))) return true;
  }
  return false;
}

bool is_clear_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view character = name.substr(at, character_bytes(name, at));
    const char32_t code = decode(character);
    const bool is_at_end = at == 0 || at + character.size() == name.size();
    if (is_control(code) || turns_direction(code) || (is_at_end && is_blank(code))) return false;
    at += character.size();
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, character_bytes(text, at));
    const bool is_text = character.size() > 1 || static_cast<unsigned char>(character.front()) < 0x80;
    const char32_t code = is_text ? decode(character) : 0xFFFD;  // a byte that is no UTF-8 stays as it is
    result += is_control(code) || turns_direction(code) ? "?" : character;
    at += character.size();
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::exact:
      return "exact";
    case Status::converged:
      return "converged";
    case Status::not_converged:
      return "not_converged";
  }
  return {};
}

std::string first_names(std::span<const std::string_view> names, std::size_t most) {
  const auto first = names.first(std::min(most, names.size()));
  const std::size_t others = names.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "), others > 0 ? fmt::format(" and {} more", others) : "");
}

std::string known_names(std::string_view written, std::span<const std::string_view> known) {
  constexpr std::size_t kMostKnown = 20;  // in one line of an error
  const std::string nearest = nearest_names(written, known);
  return fmt::format("{} are {}", nearest.empty() ? "; known" : nearest + " Known",
                     first_names(known, kMostKnown));
}

Check check_name(const std::string& name, std::string_view kind, std::string key) {
  const auto wrong = [&](std::string message) {
    return Error{.message = std::move(message), .key = std::move(key)};
  };
  if (name.empty()) return wrong(fmt::format("a {} needs a name", kind));
  if (!is_utf8(name)) return wrong("is not valid UTF-8");
  if (has_control(name)) return wrong("holds a control character, such as a line break or a tab");
  return {};
}

}  // namespace mirab
