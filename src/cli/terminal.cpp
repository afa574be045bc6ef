#include "cli/terminal.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output.hpp"
#include "report/text_width.hpp"

namespace mirab::cli {
namespace {

constexpr const char* kBackToLineStart = "\r\033[K";

/// The environment's COLUMNS; 0 when it is not set to a number.
std::size_t columns_by_environment() {
  const char* written = std::getenv("COLUMNS");
  const std::string_view text = written == nullptr ? "" : written;
  std::size_t columns = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return failure == std::errc{} && end == text.data() + text.size() ? columns : 0;
}

/// What the terminal says; 0 when it does not know.
std::size_t columns_by_terminal() {
  struct winsize size {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::size_t columns_of(const std::string& destination) {
  if (destination != kStandardOutput || ::isatty(STDOUT_FILENO) == 0) return SIZE_MAX;
  if (const std::size_t columns = columns_by_environment(); columns > 0) return columns;
  if (const std::size_t columns = columns_by_terminal(); columns > 0) return columns;
  return report::kPageWidth;
}

bool shows_progress() { return ::isatty(STDERR_FILENO) != 0; }

void show_progress(const std::string& text) {
  fmt::print(stderr, "{}{}", kBackToLineStart, report::printable(text));
  std::fflush(stderr);
}

}  // namespace mirab::cli
