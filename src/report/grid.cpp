// Text cells as a table that keeps to a width. Cost: O(cells · log).
#include "report/grid.hpp"

#include <algorithm>
#include <numeric>

#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 12;  // a column is not narrowed below

/// A number, or the sign that there is none.
bool is_number(const std::string& text) {
  if (text == "–") return true;
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return sign < text.size() && text[sign] >= '0' && text[sign] <= '9' &&
         text.find_first_not_of("0123456789.eE+-%", sign) == std::string::npos;
}

/// Numbers in every row, at least one of them.
bool holds_numbers(const std::vector<Texts>& rows, std::size_t column) {
  const auto is_cell = [&](const Texts& row) { return column < row.size() && !row[column].empty(); };
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Texts& row) { return is_cell(row) && row[column] != "–"; }) &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const Texts& row) { return !is_cell(row) || is_number(row[column]); });
}

/// The widths of the columns, the widest narrowed until the whole keeps to `width`.
std::vector<std::size_t> widths_within(const Texts& head, const std::vector<Texts>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (const std::string& text : head) widths.push_back(display_width(text));
  for (const Texts& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (total() > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeast) break;
    --*widest;
  }
  return widths;
}

/// The row in as many lines as its longest cell takes.
void add_broken(Table& table, const Texts& row, const std::vector<std::size_t>& widths, bool heading) {
  std::vector<Texts> lines;
  for (std::size_t c = 0; c < row.size(); ++c) lines.push_back(wrap(row[c], widths[c]));
  std::size_t height = 1;
  for (const Texts& cell : lines) height = std::max(height, cell.size());
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < lines.size(); ++c) {
      Cell cell{line < lines[c].size() ? lines[c][line] : ""};
      const bool decimal = table.columns[c].align == Align::decimal;
      if (decimal && (heading || cell.text == "–")) cell.align = Align::right;
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
}

}  // namespace

std::string grid(const Texts& head, const std::vector<Texts>& rows, std::size_t width) {
  const std::vector<std::size_t> widths = widths_within(head, rows, width);
  Table table;
  for (std::size_t c = 0; c < head.size(); ++c)
    table.columns.push_back({.align = holds_numbers(rows, c) ? Align::decimal : Align::left, .gap = kGap});
  add_broken(table, head, widths, true);
  table.add_rule();
  for (const Texts& row : rows) add_broken(table, row, widths, false);
  return render(table);
}

}  // namespace mirab::report
