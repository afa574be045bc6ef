#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// A key with what it shall hold: a text, or more keys.
struct Setting {
  std::string key;
  std::string scalar = {};  ///< when `below` is empty
  std::vector<Setting> below = {};
};

/// Settings for one map of a text.
struct MapEdit {
  Node* map;
  std::vector<Setting> settings;
};

/// The YAML text with these keys set, and every other byte as it was: comments, order, quotes. The maps are
/// those of the documents that were read from this very text. A text that the YAML allows in other ways than
/// people write it may come out wrong, so read the result again before it is used.
std::string edited_yaml(std::string_view text, const std::vector<MapEdit>& edits);

}  // namespace mirab::kubernetes
