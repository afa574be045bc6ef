#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include "model/names.hpp"

namespace mirab {
namespace {

// Edit distance (Damerau's, in its restricted form): insertions, deletions, substitutions and swaps of
// neighbours that turn a into b, where nothing that was swapped is edited again.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], above[j - 1] + 1);
    }
    std::swap(above, row);
    std::swap(row, next);
  }
  return row.back();
}

const ChoosableRow* find_row(std::string_view name, std::span<const ChoosableRow> rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ChoosableRow& row) {
    return row.name == name || std::count(row.aliases.begin(), row.aliases.end(), name) > 0;
  });
  return found == rows.end() ? nullptr : &*found;
}

// `a, b and c`
std::string list(std::span<const std::string_view> words, std::string_view last_joint) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last_joint : ", ";
    text += words[i];
  }
  return text;
}

Check check_option(std::string_view name, std::string_view kind, const ChoosableRow& row) {
  std::vector<std::string_view> known;
  for (const OptionInfo& option : row.options) known.push_back(option.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  const std::string options = known.empty() ? "it has none" : "its options are " + list(known, " and ");
  return Error{.message = fmt::format("{} '{}' has no option '{}'; {}", kind, row.name, name, options)};
}

/// Are all options there that must be given?
Check check_needed(const Choice& choice, std::string_view kind, const ChoosableRow& row) {
  for (const OptionInfo& option : row.options) {
    if (option.fallback.empty() && !choice.options.contains(std::string(option.name))) {
      return Error{.message = fmt::format("{} '{}' needs option '{}': {}:{}=… ({})", kind, row.name,
                                          option.name, row.name, option.name, option.meaning)};
    }
  }
  return {};
}

Error no_such_row(std::string_view name, std::string_view kind, std::span<const ChoosableRow> rows) {
  std::vector<std::string_view> names;
  for (const ChoosableRow& candidate : rows) {
    names.push_back(candidate.name);
    names.insert(names.end(), candidate.aliases.begin(), candidate.aliases.end());
  }
  const std::string near = nearest_names(name, names);
  return {.message = fmt::format("there is no {} '{}'{}", kind, name,
                                 near.empty() ? "; there are " + list(names, " and ") : near)};
}

Check read_option(std::string_view written, std::string_view kind, const ChoosableRow& row, Choice& choice) {
  const std::size_t equals = written.find('=');
  const std::string_view name = written.substr(0, equals);
  if (Check unknown = check_option(name, kind, row)) return unknown;
  if (equals == std::string_view::npos || equals + 1 == written.size()) {
    return Error{.message =
                     fmt::format("option '{}' of {} '{}' needs a value: {}=…", name, kind, row.name, name)};
  }
  const bool first_time = choice.options.emplace(name, written.substr(equals + 1)).second;
  if (!first_time) {
    return Error{.message = fmt::format("option '{}' of {} '{}' is given twice", name, kind, row.name)};
  }
  return {};
}

}  // namespace

std::string nearest_names(std::string_view written, std::span<const std::string_view> candidates) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  const std::string wanted = lower_case(written);
  for (const std::string_view candidate : candidates) {
    const std::string name = lower_case(candidate);
    if (name == wanted) return fmt::format("; did you mean {}?", candidate);
    const std::size_t distance = edit_distance(wanted, name);
    const bool abbreviated = wanted.size() >= 2 && name.starts_with(wanted);
    if (abbreviated || distance <= std::max<std::size_t>(1, candidate.size() / 3))
      near.emplace_back(distance, candidate);
  }
  if (near.empty()) return {};
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) names.push_back(near[i].second);
  return fmt::format("; did you mean {}?", list(names, " or "));
}

Result<Choice> choose(std::string_view text, std::string_view kind, std::span<const ChoosableRow> rows) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const ChoosableRow* row = find_row(name, rows);
  if (row == nullptr) return no_such_row(name, kind, rows);

  Choice choice{.name = std::string(row->name), .options = {}, .text = std::string(text)};
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (colon != std::string_view::npos && rest.empty()) {
    return Error{.message = fmt::format("an option must follow the colon in '{}'", text)};
  }
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",:");
    if (Check wrong = read_option(rest.substr(0, end), kind, *row, choice)) return *std::move(wrong);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  if (Check missing = check_needed(choice, kind, *row)) return *std::move(missing);
  return choice;
}

Check check_choice(const Choice& choice, std::string_view kind, std::span<const ChoosableRow> rows) {
  const auto check = [&]() -> Check {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ChoosableRow& candidate) {
      return candidate.name == choice.name;
    });
    if (row == rows.end()) return no_such_row(choice.name, kind, rows);
    for (const auto& [name, value] : choice.options) {
      if (Check unknown = check_option(name, kind, *row)) return unknown;
    }
    return check_needed(choice, kind, *row);
  };
  Check wrong = check();
  if (wrong) wrong->key = kind;
  return wrong;
}

Result<double> number_option(const Choice& choice, const std::string& option, double fallback) {
  const auto written = choice.options.find(option);
  if (written == choice.options.end()) return fallback;
  const std::string& text = written->second;
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) {
    return Error{.message = fmt::format("option '{}' of '{}' must be a finite number, not '{}'", option,
                                        choice.name, text)};
  }
  return number;
}

Result<std::size_t> word_option(const Choice& choice, const std::string& option,
                                std::span<const std::string_view> words) {
  const auto written = choice.options.find(option);
  if (written == choice.options.end()) return std::size_t{0};
  const auto found = std::find(words.begin(), words.end(), written->second);
  if (found == words.end()) {
    return Error{.message = fmt::format("option '{}' of '{}' must be {}, not '{}'", option, choice.name,
                                        list(words, " or "), written->second)};
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace mirab
