#include "traces/short_names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace mirab::traces {

namespace {

constexpr std::size_t kShortest = 8;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char safe_character(char c) {
  if (is_letter_or_digit(c)) return c;
  return c == '+' ? '-' : '_';
}

}  // namespace

std::string ShortNames::name(std::string_view prefix, std::string_view hash) {
  while (hash.ends_with('=')) hash.remove_suffix(1);
  std::string safe(hash);
  std::transform(safe.begin(), safe.end(), safe.begin(), safe_character);

  for (std::size_t length = std::min(kShortest, safe.size()); length <= safe.size(); ++length) {
    std::string name = fmt::format("{}{}", prefix, std::string_view(safe).substr(0, length));
    if (taken_.insert(name).second) return name;
  }
  for (int copy = 2;; ++copy) {
    std::string name = fmt::format("{}{}-{}", prefix, safe, copy);
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace mirab::traces
