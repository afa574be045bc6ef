// How wide a text is on a terminal. The ranges are the East Asian Wide and the combining blocks of Unicode 15
// that names of users, servers and resources may reasonably hold; anything else counts as one cell.
#include "report/text/width.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_map>
#include <unordered_set>

#include <mirab/model/assert.hpp>

namespace mirab::report {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array kCombining{Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                                Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};
constexpr std::array kWide{Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
                           Range{0xF900, 0xFAFF}, Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                           Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

template <std::size_t Count>
bool within(const std::array<Range, Count>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.first <= character && character <= range.last; });
}

std::size_t cells(std::string_view character) {
  const char32_t code = decode(character);
  if (within(kCombining, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

}  // namespace

std::string in_bold(std::string_view text) { return fmt::format("{}{}{}", kBoldBegin, text, kBoldEnd); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); at += character_bytes(text, at)) {
    for (const std::string_view code : {kBoldBegin, kBoldEnd}) {
      if (text.substr(at).starts_with(code)) at += code.size();
    }
    if (at >= text.size()) break;
    width += cells(text.substr(at, character_bytes(text, at)));
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  MIRAB_ASSERT(width >= 1, "a width that holds the ellipsis");
  if (display_width(text) <= width) return std::string(text);
  std::size_t kept = 0;
  std::size_t used = 0;
  while (kept < text.size()) {
    const std::size_t bytes = character_bytes(text, kept);
    const std::size_t wanted = used + cells(text.substr(kept, bytes));
    if (wanted > width - 1) break;
    used = wanted;
    kept += bytes;
  }
  return std::string(text.substr(0, kept)) + "…";
}

namespace {

// With at least `last` cells of its end. Requires last < width.
std::string shorten_with_end(std::string_view text, std::size_t width, std::size_t last) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t end = text.size();  // of what is cut out
  while (display_width(text.substr(end)) < last) {
    do --end;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);  // not within a character
  }
  const std::string_view kept = text.substr(end);
  if (display_width(kept) >= width) return shorten(text, width);  // a wide character
  return shorten(text, width - display_width(kept)) + std::string(kept);
}

// Texts of which some read the same when they are cut at the end: with as much of their ends as tells most of
// them apart, and with half of the width at least.
std::vector<std::string> cut_apart(const std::vector<std::string_view>& texts, std::size_t width) {
  const std::size_t all = std::unordered_set<std::string_view>(texts.begin(), texts.end()).size();
  std::vector<std::string> best;
  std::size_t most = 0;
  for (std::size_t last = width / 2; last + 2 <= width && most < all; ++last) {
    std::vector<std::string> cut;
    for (const std::string_view text : texts) cut.push_back(shorten_with_end(text, width, last));
    const std::size_t different = std::unordered_set<std::string>(cut.begin(), cut.end()).size();
    if (different <= most) continue;
    most = different;
    best = std::move(cut);
  }
  return best;
}

}  // namespace

std::string shorten_middle(std::string_view text, std::size_t width) {
  return width < 4 ? shorten(text, width) : shorten_with_end(text, width, width / 2);
}

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width) {
  std::vector<std::string> cut;
  std::unordered_map<std::string, std::string_view>
      origin;  // of each cut text; empty where there are several
  for (const std::string& text : texts) {
    cut.push_back(shorten(text, width));
    const auto [first, fresh] = origin.try_emplace(cut.back(), text);
    if (!fresh && first->second != text) first->second = {};
  }
  std::vector<std::size_t> alike;
  std::vector<std::string_view> whole;
  for (std::size_t i = 0; i < texts.size() && width >= 4; ++i) {
    if (!origin.at(cut[i]).empty() || texts[i].empty()) continue;
    alike.push_back(i);
    whole.push_back(texts[i]);
  }
  if (alike.empty()) return cut;
  std::vector<std::string> apart = cut_apart(whole, width);
  for (std::size_t k = 0; k < alike.size(); ++k) cut[alike[k]] = std::move(apart[k]);
  return cut;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back().append(" ").append(word);
    }
  }
  return lines;
}

std::string broken(const std::string& text, std::size_t width, const std::string& indent) {
  constexpr std::size_t kNarrowest = 20;  // words are not broken for less
  if (display_width(text) <= width) return text + "\n";
  const std::size_t room = std::max(width, kNarrowest) - indent.size();
  return fmt::format("{}\n", fmt::join(wrap(text, room), "\n" + indent));
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    widest = std::max(widest, display_width(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  return widest;
}

}  // namespace mirab::report
