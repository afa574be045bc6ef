#pragma once

#include <set>
#include <string>
#include <string_view>

namespace mirab::traces {

/// Turns hashes into short names that differ, that a person can read, and that YAML needs no quotes for. One
/// owner.
class ShortNames {
 public:
  /// `prefix` and the first 8 characters of the hash, or as many more as make it unlike every name given
  /// before. Base64 padding is dropped, `+` becomes `-`, and whatever else is no ASCII letter or digit `_`.
  std::string name(std::string_view prefix, std::string_view hash);

 private:
  std::set<std::string> taken_;
};

}  // namespace mirab::traces
