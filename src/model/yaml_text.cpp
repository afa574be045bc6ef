#include "model/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab {

std::string yaml_scalar(const std::string& text) {
  static constexpr std::array<std::string_view, 8> kWords = {"null", "true", "false", "yes",
                                                             "no",   "on",   "off",   "nan"};
  const std::string lower = lower_case(text);
  const bool letters =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0) &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return c < 128 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/');
      });
  const bool plain = letters && std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
  return plain ? text : json_string(text);
}

std::string yaml_key(const std::string& text) {
  constexpr std::size_t kLongestPlain = 1024;
  const std::string written = yaml_scalar(text);
  return (written.size() > kLongestPlain ? "? " : "") + written + ": ";
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + yaml_scalar(text);
  return "[" + list + "]";
}

namespace {

/// One alone as it is, several as a list.
std::string values(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? yaml_scalar(texts[0]) : yaml_list(texts);
}

}  // namespace

std::string yaml_condition(const LabelCondition& condition) {
  if (condition.is_only_any_of()) return yaml_list(*condition.any_of);
  std::string parts;
  const auto add = [&](std::string_view name, const std::string& text) {
    parts += fmt::format("{}{}: {}", parts.empty() ? "" : ", ", name, text);
  };
  if (condition.any_of) add("in", yaml_list(*condition.any_of));
  if (!condition.none_of.empty()) add("not", values(condition.none_of));
  if (condition.exists) add("exists", *condition.exists ? "true" : "false");
  if (condition.above) add("above", std::to_string(*condition.above));
  if (condition.below) add("below", std::to_string(*condition.below));
  return "{" + parts + "}";
}

std::string yaml_amount(const Quantity& quantity) {
  constexpr std::int64_t kKibi = std::int64_t{1} << 10;
  constexpr std::int64_t kMebi = std::int64_t{1} << 20;
  constexpr std::int64_t kGibi = std::int64_t{1} << 30;
  const auto whole = count_units(quantity, 0, Rounding::down);
  if (!whole || *whole < kMebi || *whole % kKibi != 0 || quantity != Quantity(*whole)) return quantity.text();
  if (*whole % kGibi == 0) return fmt::format("{}Gi", *whole / kGibi);
  if (*whole % kMebi == 0) return fmt::format("{}Mi", *whole / kMebi);
  return fmt::format("{}Ki", *whole / kKibi);
}

std::string yaml_comment(const std::vector<std::string>& lines) {
  std::string comment;
  for (const std::string& line : lines) {
    std::istringstream physical(line.empty() ? "\n" : line);
    for (std::string part; std::getline(physical, part);)
      comment += part.empty() ? "#\n" : "# " + part + "\n";
  }
  return comment;
}

}  // namespace mirab
