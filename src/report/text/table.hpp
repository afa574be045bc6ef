// Three layouts of text for a terminal: a table of aligned cells, a grid that keeps to a width,
// and contenders side by side.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mirab::report {

/// How a text stands in its cell. `decimal` lines up the points of a column; `fill` repeats the text over the
/// cell.
enum class Align { left, right, center, decimal, fill };

struct Column {
  Align align = Align::left;
  std::size_t gap = 2;        ///< blanks before it, when it is not the first
  std::size_t min_width = 0;  ///< in terminal cells
  std::size_t shortest = 0;   ///< of names: they may be cut down to this where the table is too wide; 0: not
};

struct Cell {
  std::string text;
  std::size_t span = 1;             ///< over how many columns it stretches
  std::optional<Align> align = {};  ///< without a value: that of its column
  std::string mark = {};            ///< stands behind the text, and is never cut
  bool bold = false;                ///< by a terminal's codes: for a terminal only
};

/// Rows of cells that line up. A row may be shorter than the table is wide; an empty row is a blank line.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  /// A rule below the rows so far, over the whole width.
  void add_rule() { rows.push_back({Cell{"─", columns.size(), Align::fill}}); }
};

/// The table as text: every line ends with a newline, none with a blank. Control characters in cells become
/// `?`. Where it would be wider than `width`, names are cut, the longest first, as far as their columns
/// allow; it may still be wider then.
std::string render(const Table& table, std::size_t width = std::numeric_limits<std::size_t>::max());

/// A heading, a rule and rows of text that line up, numbers on their points. Where that is wider than
/// `width`, columns of words are narrowed, their cells broken at blanks into several lines; what is still too
/// wide goes into several such tables below each other, each with the first column. A row may be shorter than
/// the heading. `bold` has the cells of each row that are shown in bold; empty: none.
std::string grid(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                 std::size_t width, const std::vector<std::vector<bool>>& bold = {});

/// A table with a column for each contender and a row for each fact, in as many blocks below each other as
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

/// A label in lines no wider than `width` where that can be, broken after the marks of `name:option=value,…`
/// and `a/b`; after each of them with a width of 0.
std::vector<std::string> label_lines(const std::string& label, std::size_t width = 0);

}  // namespace mirab::report
