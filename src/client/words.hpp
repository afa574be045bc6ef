// Values of an answer as words: what is missing shows as a dash.
#pragma once

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

/// A share as a percentage.
inline std::string share(const Json& value) {
  return value.is_number() ? report::percent(value.get<double>(), 1) : report::kNone;
}

}  // namespace mirab::client
