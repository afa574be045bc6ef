#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.hpp"

namespace mirab::report {

/// How wide running text may be.
inline constexpr std::size_t kPageWidth = 100;

/// How much of a name tables show: the less, the more columns stand next to it.
inline constexpr std::size_t kShortNameWidth = 16;
inline constexpr std::size_t kMediumNameWidth = 20;
inline constexpr std::size_t kNameWidth = 24;
inline constexpr std::size_t kLongNameWidth = 32;
inline constexpr std::size_t kResourceWidth = 24;

/// How much of a name a table shows that has `room`: what is beyond the width of a page goes to its names.
constexpr std::size_t name_width(std::size_t least, std::size_t room) {
  return room > kPageWidth ? least + room - kPageWidth : least;
}

/// What stands where there is no value.
inline const std::string kNone = "–";

/// What a text is shown on.
struct Terminal {
  std::size_t width = SIZE_MAX;  ///< in cells
  bool bold = false;             ///< does it show words in bold?
};

/// What a terminal shows in bold stands between these. They take no cells.
inline constexpr std::string_view kBoldBegin = "\033[1m";
inline constexpr std::string_view kBoldEnd = "\033[22m";

/// The text in bold.
std::string in_bold(std::string_view text);

/// How many cells of a terminal a UTF-8 text takes: combining marks none, wide East Asian characters and
/// emoji two.
std::size_t display_width(std::string_view text);

using mirab::printable;

/// The text, cut at a character and closed with `…` when it is wider than `width`. Requires width ≥ 1.
std::string shorten(std::string_view text, std::size_t width);

/// The same with its end: `alpha=0.0000…00012`. Names that differ at the end stay apart.
std::string shorten_middle(std::string_view text, std::size_t width);

/// Each as shorten() cuts it, but in the middle those that it would make equal: where as many of them as
/// possible stay apart. O(texts width).
std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width);

/// The text in lines of at most `width`, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// The text and a newline: in one line, or in as many as the width asks for, the others indented.
std::string broken(const std::string& text, std::size_t width, const std::string& indent = "  ");

/// The display width of the widest line. Every line ends with a newline.
std::size_t widest_line(std::string_view text);

}  // namespace mirab::report
