// Texts in the tree that follow from lists in the code. `make generated` writes them; a test that finds one
// stale says so.
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "support/files.hpp"

namespace mirab {

/// The text of a file in the tree is this one, or becomes it.
inline void expect_text(const std::string& name, const std::string& expected) {
  const std::string path = MIRAB_SOURCE_DIR "/" + name;
  if (std::getenv("MIRAB_REWRITE_SNIPPETS") == nullptr) {
    EXPECT_EQ(read_text(path), expected) << name << " is stale: run `make generated`";
  } else if (read_text(path) != expected) {
    std::ofstream(path) << expected;
  }
}

/// What stands between two marks is this text.
inline void expect_between(const std::string& name, const std::string& begin, const std::string& end,
                           const std::string& expected) {
  const std::string text = read_text(MIRAB_SOURCE_DIR "/" + name);
  const std::size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << name << ": " << begin;
  const std::size_t to = text.find(end, from + begin.size());
  ASSERT_NE(to, std::string::npos) << name << ": " << end;
  expect_text(name, text.substr(0, from + begin.size()) + expected + text.substr(to));
}

/// On one line with blanks between.
inline std::string on_a_line(const nlohmann::ordered_json& json) {
  if (!json.is_structured()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += ", ";
    if (json.is_object()) text += nlohmann::ordered_json(key).dump() + ": ";
    text += on_a_line(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace mirab
