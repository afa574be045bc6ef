// Times as people write them: a number, and perhaps a unit behind it.
#include "model/time_units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

namespace mirab {

namespace {

struct Unit {
  std::string_view name;
  Duration length;
};

// Each before those whose name it begins or ends with.
constexpr std::array<Unit, 6> kUnits = {{{"d", std::chrono::days(1)},
                                         {"h", std::chrono::hours(1)},
                                         {"min", std::chrono::minutes(1)},
                                         {"ms", std::chrono::milliseconds(1)},
                                         {"m", std::chrono::minutes(1)},
                                         {"s", std::chrono::seconds(1)}}};

/// Takes the whole number off the front.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || number < 0 || text.front() == '-') return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Is false where the sum is more than a Duration holds.
bool add(std::int64_t number, Duration unit, Duration& sum) {
  std::int64_t part = 0, all = 0;
  const bool is_too_much =
      __builtin_mul_overflow(number, unit.count(), &part) || __builtin_add_overflow(sum.count(), part, &all);
  sum = Duration(all);
  return !is_too_much;
}

/// `1h30m`: two parts or more, each with a smaller unit than the one before.
std::optional<Duration> of_units(std::string_view text) {
  Duration sum{}, latest = Duration::max();
  int parts = 0;
  for (; !text.empty(); ++parts) {
    const std::optional<std::int64_t> number = take_number(text);
    if (!number) return {};
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const Unit& each) { return text.starts_with(each.name); });
    if (unit == kUnits.end() || unit->length >= latest || !add(*number, unit->length, sum)) return {};
    latest = unit->length;
    text.remove_prefix(unit->name.size());
    if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return parts > 1 ? std::optional(sum) : std::nullopt;
}

/// `2-00:00:00`, `1:30:00`, `1:30`, `2-12`. Source: the format of times of Slurm's sbatch.
std::optional<Duration> of_clock(std::string_view text) {
  Duration sum{};
  const bool has_days = text.find('-') != std::string_view::npos;
  if (has_days) {
    const std::optional<std::int64_t> days = take_number(text);
    if (!days || text.empty() || text.front() != '-' || !add(*days, std::chrono::days(1), sum)) return {};
    text.remove_prefix(1);
  }
  std::array<std::int64_t, 3> fields{};
  std::size_t count = 0;
  while (true) {
    const std::optional<std::int64_t> field = take_number(text);
    if (!field || count == fields.size() || (count > 0 && *field >= 60)) return {};
    fields[count++] = *field;
    if (text.empty()) break;
    if (text.front() != ':') return {};
    text.remove_prefix(1);
  }
  if (has_days ? fields[0] >= 24 : count == 1) return {};
  if (!has_days && count == 2) fields = {0, fields[0], fields[1]};
  const bool fits = add(fields[0], std::chrono::hours(1), sum) &&
                    add(fields[1], std::chrono::minutes(1), sum) &&
                    add(fields[2], std::chrono::seconds(1), sum);
  return fits ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<Duration> time_of_parts(std::string_view text) {
  if (text.empty()) return {};
  const bool is_clock = text.find_first_of(":-") != std::string_view::npos;
  return is_clock ? of_clock(text) : of_units(text);
}

TimeText split_time(std::string_view text, Duration unit) {
  const auto of =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return text.ends_with(each.name); });
  if (of == kUnits.end()) return {text, unit};
  return {text.substr(0, text.size() - of->name.size()), of->length};
}

bool is_without_suffix(std::string_view text) {
  return text.find_first_not_of("+-.0123456789eE") == std::string_view::npos && !text.ends_with('E');
}

}  // namespace mirab
