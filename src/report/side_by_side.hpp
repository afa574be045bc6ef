#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mirab::report {

/// A table of contenders in columns and what is said of them in rows, in as many blocks below each other as
/// the width asks for.
class SideBySide {
 public:
  /// `heading` stands above the names of the rows; a label may have several lines.
  SideBySide(std::string heading, std::vector<std::vector<std::string>> labels);

  /// One value for each contender.
  void add(const std::string& what, std::vector<std::string> values);
  void add_rule();

  /// Blocks, with a blank line after each.
  std::string text(std::size_t width) const;

 private:
  struct Row {
    std::string what;
    std::vector<std::string> values;  // none: a rule
  };

  std::size_t column_width(std::size_t contender) const;
  std::string block(std::size_t first, std::size_t last) const;

  std::string heading_;
  std::vector<std::vector<std::string>> labels_;
  std::vector<Row> rows_;
};

/// `name:option=value,…` in lines, broken after the colon and each comma.
std::vector<std::string> label_lines(const std::string& label);

/// A time as people tell it: `3.4 ms`, `12.3 s`, `4.2 min`, `3.1 h`, `2.5 d`.
std::string span_text(double seconds);

}  // namespace mirab::report
