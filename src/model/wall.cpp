// Times of day as people and other programs write them: RFC 3339.
#include "model/wall.hpp"

#include <charconv>
#include <fmt/format.h>

namespace mirab {

Wall wall_now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

namespace {

constexpr std::string_view kPattern = "0000-00-00T00:00:00";

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  const char* const first = text.data() + at;
  const auto [end, bad] = std::from_chars(first, first + count, value);
  if (bad != std::errc() || end != first + count) return {};
  return value;
}

bool has_form(std::string_view text) {
  if (text.size() < kPattern.size()) return false;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == '0' ? !digit : text[i] != kPattern[i]) return false;
  }
  return true;
}

/// Milliseconds of `.123`, cut off; the text is left behind them.
std::optional<int> milliseconds_of(std::string_view& text) {
  if (text.empty() || text[0] != '.') return 0;
  int value = 0;
  std::size_t count = 1;
  for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
    if (count <= 3) value = value * 10 + (text[count] - '0');
  }
  if (count == 1) return {};
  for (std::size_t more = count; more <= 3; ++more) value *= 10;
  text.remove_prefix(count);
  return value;
}

/// `Z`, or an offset.
std::optional<std::chrono::minutes> offset_of(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return {};
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return {};
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return text[0] == '-' ? -offset : offset;
}

}  // namespace

std::string text_of(Wall wall) {
  const auto day = std::chrono::floor<std::chrono::days>(wall);
  const std::chrono::year_month_day date(day);
  const auto ms = (wall - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), ms / 3'600'000,
                     ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000);
}

std::optional<Wall> wall_of(std::string_view text) {
  if (!has_form(text)) return {};
  const std::chrono::year_month_day date{std::chrono::year(*digits(text, 0, 4)),
                                         std::chrono::month(static_cast<unsigned>(*digits(text, 5, 2))),
                                         std::chrono::day(static_cast<unsigned>(*digits(text, 8, 2)))};
  const int hour = *digits(text, 11, 2);
  const int minute = *digits(text, 14, 2);
  const int second = *digits(text, 17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return {};
  std::string_view rest = text.substr(kPattern.size());
  const auto ms = milliseconds_of(rest);
  const auto offset = offset_of(rest);
  if (!ms || !offset) return {};
  return Wall(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::milliseconds(*ms) - *offset;
}

}  // namespace mirab
