// Aligned text tables. A column is as wide as its widest cell of span 1; a wider spanning cell widens the
// last column that it covers. Decimal cells are split where their whole number ends, and each half has a
// width of its own per column.
#include "report/text/table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include <mirab/model/assert.hpp>

#include "report/text/format.hpp"
#include "report/text/width.hpp"

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

// The text within `placed`, between blanks, in bold.
std::string with_bold(std::string placed, const std::string& text) {
  return placed.replace(placed.find(text), text.size(), in_bold(text));
}

// Lowers the widths of columns of names, the widest first, until `too_much` is gone or all are at their
// shortest.
void cut_names(Table& table, std::vector<std::size_t> widths, std::size_t too_much) {
  const auto slack = [&](std::size_t column) {
    const std::size_t shortest = table.columns[column].shortest;
    return shortest > 0 && widths[column] > shortest ? widths[column] : 0;
  };
  for (; too_much > 0; --too_much) {
    std::size_t widest = 0;
    for (std::size_t column = 1; column < widths.size(); ++column) {
      if (slack(column) > slack(widest)) widest = column;
    }
    if (slack(widest) == 0) break;
    --widths[widest];
  }
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string*>> names;  // by column and width
  for (auto& row : table.rows) {
    std::size_t column = 0;
    for (Cell& cell : row) {
      const std::size_t first = std::exchange(column, column + cell.span);
      const std::size_t mark = display_width(cell.mark);
      if (cell.span == 1 && table.columns[first].shortest > 0 && widths[first] > mark)
        names[{first, widths[first] - mark}].push_back(&cell.text);
    }
  }
  for (const auto& [of, cells] : names) {
    std::vector<std::string> texts;
    for (const std::string* text : cells) texts.push_back(*text);
    texts = shorten_apart(texts, of.second);
    for (std::size_t i = 0; i < cells.size(); ++i) *cells[i] = std::move(texts[i]);
  }
}

// The width of what the names in each column take.
std::vector<std::size_t> name_widths(const Table& table) {
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& row : table.rows) {
    for_each_cell(table, row, [&](const Cell& cell, std::size_t column, Align align) {
      if (cell.span == 1 && align != Align::fill)
        widths[column] = std::max(widths[column], display_width(cell.text) + display_width(cell.mark));
    });
  }
  return widths;
}

Table with_marks(Table table) {
  for (auto& row : table.rows) {
    for (Cell& cell : row) cell.text += std::exchange(cell.mark, {});
  }
  return table;
}

}  // namespace

std::string render(const Table& table, std::size_t width) {
  Table safe = table;
  for (auto& row : safe.rows) {
    for (Cell& cell : row) cell.text = printable(cell.text);
  }
  Table marked = with_marks(safe);
  Layout layout = lay_out(marked);
  const std::size_t whole = spanned_width(marked, layout, 0, table.columns.size());
  if (whole > width) {
    cut_names(safe, name_widths(safe), whole - width);
    marked = with_marks(std::move(safe));
    layout = lay_out(marked);
  }
  safe = std::move(marked);
  std::string text;
  for (const auto& row : safe.rows) {
    std::string line;
    for_each_cell(safe, row, [&](const Cell& cell, std::size_t column, Align align) {
      if (column > 0) line += blanks(safe.columns[column].gap);
      const std::string placed =
          place(cell.text, align, spanned_width(safe, layout, column, cell.span), layout.fraction[column]);
      line += cell.bold ? with_bold(placed, cell.text) : placed;
    });
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

// Text cells as tables that keep to a width: columns of words are narrowed first, and what is still too wide
// is put into blocks of columns below each other, each with the first column again. Cost: O(cells · log).

namespace {

using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;
using Bold = std::vector<bool>;

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 12;  // a column of words is not narrowed below, nor below its longest word
constexpr std::string_view kDigits = "0123456789";

/// How a column is laid out, and between which widths.
struct ColumnLayout {
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
std::size_t aligned_width(const Texts& numbers) {
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

ColumnLayout shape_of(const std::string& heading, const Rows& rows, std::size_t column) {
  const Texts cells = cells_of(rows, column);
  ColumnLayout shape{.numbers = !cells.empty() && std::all_of(cells.begin(), cells.end(), is_number)};
  const std::size_t body = shape.numbers ? aligned_width(cells) : widest(cells);
  const bool firm = !cells.empty() && std::all_of(cells.begin(), cells.end(), begins_as_number);
  std::size_t words = widest(wrap(heading, kLeast));
  for (const std::string& cell : cells) words = std::max(words, widest(wrap(cell, kLeast)));
  shape.width = std::max(body, display_width(heading));
  shape.least = firm ? std::max(body, words) : words;
  return shape;
}

std::size_t least_width(const std::vector<ColumnLayout>& shapes) {
  std::size_t width = kGap * (shapes.size() - 1);
  for (const ColumnLayout& shape : shapes) width += shape.least;
  return width;
}

/// Narrows the widest columns until all keep to the width, or none can be narrowed.
void narrow(std::vector<ColumnLayout>& shapes, std::size_t width) {
  const auto slack = [](const ColumnLayout& shape) { return shape.width > shape.least ? shape.width : 0; };
  while (true) {
    std::size_t total = kGap * (shapes.size() - 1);
    for (const ColumnLayout& shape : shapes) total += shape.width;
    const auto widest_one =
        std::max_element(shapes.begin(), shapes.end(),
                         [&](const ColumnLayout& a, const ColumnLayout& b) { return slack(a) < slack(b); });
    if (total <= width || slack(*widest_one) == 0) return;
    --widest_one->width;
  }
}

/// The row in as many lines as its longest cell takes.
void add_broken(Table& table, const Texts& row, const Bold& bold, const std::vector<ColumnLayout>& shapes,
                Align number_align) {
  Rows lines;
  for (std::size_t c = 0; c < row.size(); ++c) lines.push_back(wrap(row[c], shapes[c].width));
  std::size_t height = 1;
  for (const Texts& cell : lines) height = std::max(height, cell.size());
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < lines.size(); ++c) {
      Cell cell;
      if (line < lines[c].size()) cell = {.text = lines[c][line], .bold = c < bold.size() && bold[c]};
      if (shapes[c].numbers) cell.align = cell.text == kNone ? Align::right : number_align;
      cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(cells));
  }
}

std::string block(const Texts& head, const Rows& rows, const std::vector<Bold>& bold,
                  std::vector<ColumnLayout> shapes, std::size_t width) {
  narrow(shapes, width);
  Table table;
  table.columns.assign(shapes.size(), {.gap = kGap});
  add_broken(table, head, {}, shapes, Align::right);
  table.add_rule();
  for (std::size_t r = 0; r < rows.size(); ++r) add_broken(table, rows[r], bold[r], shapes, Align::decimal);
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

std::string grid(const Texts& head, const Rows& rows, std::size_t width, const std::vector<Bold>& bold) {
  std::vector<ColumnLayout> shapes;
  for (std::size_t c = 0; c < head.size(); ++c) shapes.push_back(shape_of(head[c], rows, c));
  std::string text;
  for (std::size_t first = 1; first < head.size() || text.empty();) {
    std::size_t last = std::min(first + 1, head.size());
    while (last < head.size() && least_width(part_of(shapes, first, last + 1)) <= width) ++last;
    Rows part;
    for (const Texts& row : rows) part.push_back(part_of(row, first, last));
    std::vector<Bold> part_bold(rows.size());
    for (std::size_t r = 0; r < bold.size(); ++r) part_bold[r] = part_of(bold[r], first, last);
    text += (text.empty() ? "" : "\n") +
            block(part_of(head, first, last), part, part_bold, part_of(shapes, first, last), width);
    first = last;
  }
  return text;
}

namespace {

constexpr std::size_t kLabelWidth = 20;

}  // namespace

SideBySide::SideBySide(std::string heading, std::vector<std::vector<std::string>> labels)
    : heading_(std::move(heading)), labels_(std::move(labels)) {}

void SideBySide::add(const std::string& what, std::vector<std::string> values) {
  MIRAB_ASSERT(values.size() == labels_.size(), "a value for each contender");
  rows_.push_back({what, std::move(values)});
}

void SideBySide::add_rule() { rows_.push_back({}); }

std::size_t SideBySide::column_width(std::size_t contender) const {
  std::size_t width = 0;
  for (const std::string& line : labels_[contender]) {
    width = std::max(width, display_width(shorten_middle(line, kLabelWidth)));
  }
  for (const Row& row : rows_) {
    if (!row.values.empty()) width = std::max(width, display_width(row.values[contender]));
  }
  return width;
}

std::string SideBySide::block(std::size_t first, std::size_t last) const {
  std::size_t lines = 1;
  for (const auto& label : labels_) lines = std::max(lines, label.size());
  Table table{.columns = {{}}, .rows = {}};
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<Cell> row{{line + 1 == lines ? heading_ : ""}};
    for (std::size_t c = first; c < last; ++c) {
      row.push_back({line < labels_[c].size() ? shorten_middle(labels_[c][line], kLabelWidth) : ""});
    }
    table.rows.push_back(std::move(row));
  }
  for (std::size_t c = first; c < last; ++c) table.columns.push_back({.align = Align::right, .gap = kGap});
  table.add_rule();
  for (const Row& row : rows_) {
    if (row.values.empty()) {
      table.add_rule();
      continue;
    }
    std::vector<Cell> cells{{row.what}};
    for (std::size_t c = first; c < last; ++c) cells.push_back({row.values[c]});
    table.rows.push_back(std::move(cells));
  }
  return render(table) + "\n";
}

std::string SideBySide::text(std::size_t width) const {
  std::size_t left = display_width(heading_);
  for (const Row& row : rows_) left = std::max(left, display_width(row.what));
  std::string text;
  std::size_t first = 0;
  while (first < labels_.size()) {
    std::size_t last = first;
    std::size_t used = left;
    do used += kGap + column_width(last++);
    while (last < labels_.size() && used + kGap + column_width(last) <= width);
    text += block(first, last);
    first = last;
  }
  return text;
}

std::vector<std::string> label_lines(const std::string& label, std::size_t width) {
  std::vector<std::string> lines{""};
  std::string_view rest = label;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(":/,"), rest.size() - 1) + 1;
    const std::string_view piece = rest.substr(0, end);
    if (!lines.back().empty() && display_width(lines.back()) + display_width(piece) > width) {
      lines.emplace_back();
    }
    lines.back() += piece;
    rest.remove_prefix(end);
  }
  return lines;
}

}  // namespace mirab::report
