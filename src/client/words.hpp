// Values of an answer as words: what is missing shows as a dash.
#pragma once

#include <charconv>
#include <optional>
#include <string>

#include "client/service.hpp"
#include "model/amount_text.hpp"
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

/// An amount, which answers write as a decimal; below a million it stays as it is. Bytes are rounded to the
/// nearest, or up where they are needed, or down where they are free.
inline std::string amount_word(const Json& amount, std::optional<Rounding> bytes = {}) {
  const std::string text = word(amount);
  double value = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_large = bad == std::errc() && end == text.data() + text.size() && value >= 1e6;
  if (!is_large) return text;
  return bytes ? service_amount_text(value, *bytes) : service_amount_text(value);
}

/// `4 cpu, 12.5Gi memory`, without what is 0; empty where there is none.
inline std::string amounts(const Json& map, std::optional<Rounding> bytes = {}) {
  std::string text;
  if (!map.is_object()) return text;
  for (const auto& [resource, amount] : map.items()) {
    if (word(amount) == "0") continue;
    text += (text.empty() ? "" : ", ") + amount_word(amount, bytes) + " " + resource;
  }
  return text;
}

/// A share as a percentage.
inline std::string share(const Json& value) {
  return value.is_number() ? report::percent(value.get<double>(), 1) : report::kNone;
}

}  // namespace mirab::client
