// Text cells as tables that keep to a width: columns of words are narrowed first, and what is still too wide
// is put into blocks of columns below each other, each with the first column again. Cost: O(cells · log).
#include "report/grid.hpp"

#include <algorithm>

#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 12;  // a column of words is not narrowed below, nor below its longest word
constexpr std::string_view kNone = "–";
constexpr std::string_view kDigits = "0123456789";

/// How a column is laid out, and between which widths.
struct Shape {
  bool numbers = false;  ///< nothing else, so that their points line up
  std::size_t least = 0;
  std::size_t width = 0;
};

std::size_t sign_length(const std::string& text) {
  return text.starts_with('-') || text.starts_with('+') ? 1 : 0;
}

/// `12`, `-0.5 ± 0.1`, `3 … 4`: not to be broken.
bool begins_as_number(const std::string& text) {
  const std::size_t sign = sign_length(text);
  return sign < text.size() && kDigits.find(text[sign]) != std::string_view::npos;
}

bool is_number(const std::string& text) {
  return begins_as_number(text) && text.find_first_not_of("0123456789.eE+-%") == std::string::npos;
}

std::vector<std::string> cells_of(const Rows& rows, std::size_t column) {
  std::vector<std::string> cells;
  for (const Texts& row : rows) {
    if (column < row.size() && !row[column].empty() && row[column] != kNone) cells.push_back(row[column]);
  }
  return cells;
}

/// The width of numbers whose points line up.
std::size_t lined_up(const Texts& numbers) {
  std::size_t whole = 0, fraction = 0;
  for (const std::string& number : numbers) {
    const std::size_t point = std::min(number.find_first_not_of(kDigits, sign_length(number)), number.size());
    whole = std::max(whole, point);
    fraction = std::max(fraction, number.size() - point);
  }
  return whole + fraction;
}

std::size_t widest(const Texts& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return width;
}

Shape shape_of(const std::string& heading, const Rows& rows, std::size_t column) {
  const Texts cells = cells_of(rows, column);
  Shape shape{.numbers = !cells.empty() && std::all_of(cells.begin(), cells.end(), is_number)};
  const std::size_t body = shape.numbers ? lined_up(cells) : widest(cells);
  const bool firm = !cells.empty() && std::all_of(cells.begin(), cells.end(), begins_as_number);
  std::size_t words = widest(wrap(heading, kLeast));
  for (const std::string& cell : cells) words = std::max(words, widest(wrap(cell, kLeast)));
  shape.width = std::max(body, display_width(heading));
  shape.least = firm ? std::max(body, words) : words;
  return shape;
}

std::size_t least_width(const std::vector<Shape>& shapes) {
  std::size_t width = kGap * (shapes.size() - 1);
  for (const Shape& shape : shapes) width += shape.least;
  return width;
}

/// Narrows the widest columns until all keep to the width, or none can be narrowed.
void narrow(std::vector<Shape>& shapes, std::size_t width) {
  const auto slack = [](const Shape& shape) { return shape.width > shape.least ? shape.width : 0; };
  while (true) {
    std::size_t total = kGap * (shapes.size() - 1);
    for (const Shape& shape : shapes) total += shape.width;
    const auto widest_one = std::max_element(
        shapes.begin(), shapes.end(), [&](const Shape& a, const Shape& b) { return slack(a) < slack(b); });
    if (total <= width || slack(*widest_one) == 0) return;
    --widest_one->width;
  }
}

/// The row in as many lines as its longest cell takes.
void add_broken(Table& table, const Texts& row, const std::vector<Shape>& shapes, Align number_align) {
  Rows lines;
  for (std::size_t c = 0; c < row.size(); ++c) lines.push_back(wrap(row[c], shapes[c].width));
  std::size_t height = 1;
  for (const Texts& cell : lines) height = std::max(height, cell.size());
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < lines.size(); ++c) {
      Cell cell{line < lines[c].size() ? lines[c][line] : ""};
      if (shapes[c].numbers) cell.align = cell.text == kNone ? Align::right : number_align;
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
}

std::string block(const Texts& head, const Rows& rows, std::vector<Shape> shapes, std::size_t width) {
  narrow(shapes, width);
  Table table;
  table.columns.assign(shapes.size(), {.gap = kGap});
  add_broken(table, head, shapes, Align::right);
  table.add_rule();
  for (const Texts& row : rows) add_broken(table, row, shapes, Align::decimal);
  return render(table);
}

/// The first column and those from `first` to before `last`.
template <class Item>
std::vector<Item> part_of(const std::vector<Item>& items, std::size_t first, std::size_t last) {
  std::vector<Item> part;
  for (std::size_t c = 0; c < std::min(last, items.size()); ++c) {
    if (c == 0 || c >= first) part.push_back(items[c]);
  }
  return part;
}

}  // namespace

std::string grid(const Texts& head, const Rows& rows, std::size_t width) {
  std::vector<Shape> shapes;
  for (std::size_t c = 0; c < head.size(); ++c) shapes.push_back(shape_of(head[c], rows, c));
  std::string text;
  for (std::size_t first = 1; first < head.size() || text.empty();) {
    std::size_t last = std::min(first + 1, head.size());
    while (last < head.size() && least_width(part_of(shapes, first, last + 1)) <= width) ++last;
    Rows part;
    for (const Texts& row : rows) part.push_back(part_of(row, first, last));
    text += (text.empty() ? "" : "\n") +
            block(part_of(head, first, last), part, part_of(shapes, first, last), width);
    first = last;
  }
  return text;
}

}  // namespace mirab::report
