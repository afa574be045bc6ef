#include "report/side_by_side.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "report/figures.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kGap = 2;
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
    width = std::max(width, display_width(shorten(line, kLabelWidth)));
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
      row.push_back({line < labels_[c].size() ? shorten(labels_[c][line], kLabelWidth) : ""});
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

std::vector<std::string> label_lines(const std::string& label) {
  std::vector<std::string> lines{""};
  for (const char c : label) {
    lines.back() += c;
    if (c == ':' || c == ',') lines.emplace_back();
  }
  return lines;
}

std::string span_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86400;
  if (seconds > 0 && seconds < 1) return duration(seconds);
  if (seconds < 2 * kMinute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.1f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.1f} h", seconds / kHour);
  return fmt::format("{:.1f} d", seconds / kDay);
}

}  // namespace mirab::report
