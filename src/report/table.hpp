#pragma once

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
};

struct Cell {
  std::string text;
  std::size_t span = 1;             ///< over how many columns it stretches
  std::optional<Align> align = {};  ///< without a value: that of its column
};

/// Rows of cells that line up. A row may be shorter than the table is wide; an empty row is a blank line.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  /// A rule below the rows so far, over the whole width.
  void add_rule() { rows.push_back({Cell{"─", columns.size(), Align::fill}}); }
};

/// The table as text: every line ends with a newline, none with a blank. Control characters in cells become
/// `?`.
std::string render(const Table& table);

}  // namespace mirab::report
