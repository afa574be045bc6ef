// Values of an answer as words: what is missing shows as a dash.
#pragma once

#include <charconv>
#include <string>

#include "client/service.hpp"
#include "report/text/format.hpp"
#include "report/text/width.hpp"

namespace mirab::client {

/// The value under a key; null where there is none.
inline const Json& at(const Json& json, const std::string& key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

/// A value as one word.
inline std::string word(const Json& value) {
  if (value.is_null()) return report::kNone;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// An amount as people read it. What is beyond all counts of CPUs is bytes, in binary units.
inline std::string amount_word(double value) {
  constexpr double kBytes = 1e9, kMebi = 1 << 20;
  return report::amount(value, value >= kBytes ? kMebi : value);
}
/// The same of an answer, which writes amounts as decimals; those below a million stay as they are.
inline std::string amount_word(const Json& amount) {
  const std::string text = word(amount);
  double value = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_large = bad == std::errc() && end == text.data() + text.size() && value >= 1e6;
  return is_large ? amount_word(value) : text;
}

/// A share as a percentage.
inline std::string share(const Json& value) {
  return value.is_number() ? report::percent(value.get<double>(), 1) : report::kNone;
}

}  // namespace mirab::client
