// Aligned text tables. A column is as wide as its widest cell of span 1; a wider spanning cell widens the
// last column that it covers. Decimal cells are split where their whole number ends, and each half has a
// width of its own per column.

#include "report/table.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

#include "report/text_width.hpp"

namespace mirab::report {
namespace {

struct Layout {
  std::vector<std::size_t> whole;     // [column], width of what stands before the point of decimal cells
  std::vector<std::size_t> fraction;  // [column], from the point on
  std::vector<std::size_t> width;     // [column]
};

std::size_t whole_width(const std::string& number) {
  return display_width(number.substr(0, number.find_first_not_of("+-0123456789")));
}

/// Calls visit(cell, its first column, its alignment) for every cell.
template <class Visit>
void for_each_cell(const Table& table, const std::vector<Cell>& row, Visit visit) {
  std::size_t column = 0;
  for (const Cell& cell : row) {
    MIRAB_ASSERT(cell.span >= 1 && column + cell.span <= table.columns.size(),
                 "a cell within the table's columns");
    visit(cell, column, cell.align.value_or(table.columns[column].align));
    column += cell.span;
  }
}

std::size_t spanned_width(const Table& table, const Layout& layout, std::size_t first, std::size_t span) {
  std::size_t width = layout.width[first];
  for (std::size_t column = first + 1; column < first + span; ++column) {
    width += table.columns[column].gap + layout.width[column];
  }
  return width;
}

Layout lay_out(const Table& table) {
  const std::size_t count = table.columns.size();
  Layout layout{std::vector<std::size_t>(count), std::vector<std::size_t>(count),
                std::vector<std::size_t>(count)};
  for (std::size_t column = 0; column < count; ++column)
    layout.width[column] = table.columns[column].min_width;

  for (const auto& row : table.rows) {
    for_each_cell(table, row, [&](const Cell& cell, std::size_t column, Align align) {
      if (cell.span > 1 || align == Align::fill) return;
      const std::size_t width = display_width(cell.text);
      if (align == Align::decimal) {
        const std::size_t whole = whole_width(cell.text);
        layout.whole[column] = std::max(layout.whole[column], whole);
        layout.fraction[column] = std::max(layout.fraction[column], width - whole);
      }
      layout.width[column] =
          std::max({layout.width[column], width, layout.whole[column] + layout.fraction[column]});
    });
  }
  for (const auto& row : table.rows) {
    for_each_cell(table, row, [&](const Cell& cell, std::size_t column, Align align) {
      if (cell.span == 1 || align == Align::fill) return;
      const std::size_t have = spanned_width(table, layout, column, cell.span);
      const std::size_t need = display_width(cell.text);
      if (need > have) layout.width[column + cell.span - 1] += need - have;
    });
  }
  return layout;
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::string place(const std::string& text, Align align, std::size_t width, std::size_t fraction) {
  if (align == Align::fill) {
    std::string filled;
    for (std::size_t have = 0; have < width; have += display_width(text)) filled += text;
    return filled;
  }
  const std::size_t room = width - display_width(text);
  switch (align) {
    case Align::right:
      return blanks(room) + text;
    case Align::center:
      return blanks(room / 2) + text + blanks(room - room / 2);
    case Align::decimal: {
      const std::size_t after = fraction - (display_width(text) - whole_width(text));
      return blanks(room - after) + text + blanks(after);
    }
    default:
      return text + blanks(room);
  }
}

}  // namespace

std::string render(const Table& table) {
  Table safe = table;
  for (auto& row : safe.rows) {
    for (Cell& cell : row) cell.text = printable(cell.text);
  }
  const Layout layout = lay_out(safe);
  std::string text;
  for (const auto& row : safe.rows) {
    std::string line;
    for_each_cell(safe, row, [&](const Cell& cell, std::size_t column, Align align) {
      if (column > 0) line += blanks(safe.columns[column].gap);
      line +=
          place(cell.text, align, spanned_width(safe, layout, column, cell.span), layout.fraction[column]);
    });
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace mirab::report
