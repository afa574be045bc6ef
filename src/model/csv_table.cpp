// Tables in CSV.
//
// Source: RFC 4180; besides commas the separators that spreadsheets write in other languages.
#include "model/csv_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab {

namespace {

constexpr std::size_t kMostColumns = 1'000;

}  // namespace

std::optional<std::size_t> column_of(std::span<const std::string> head, std::string_view name) {
  const auto exact = std::find(head.begin(), head.end(), name);
  if (exact != head.end()) return static_cast<std::size_t>(exact - head.begin());
  const std::string wanted = lower_case(name);
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (lower_case(head[i]) == wanted) return i;
  }
  return {};
}

Result<CsvRows> CsvRows::open(const CsvText& source) {
  CsvRows rows(source);
  if (rows.text_.starts_with(kByteOrderMark)) rows.text_.remove_prefix(kByteOrderMark.size());
  if (!is_utf8(rows.text_)) return Error{.message = "is not valid UTF-8", .file = source.file};
  const std::string_view first = rows.text_.substr(0, rows.text_.find('\n'));
  for (const char each : {',', ';', '\t', '|'}) {
    if (std::count(first.begin(), first.end(), each) >
        std::count(first.begin(), first.end(), rows.separator_))
      rows.separator_ = each;
  }
  Result<std::optional<CsvRow>> head = rows.next_line();
  if (!head) return std::move(head).error();
  if (!*head) return Error{.message = "the file is empty", .file = source.file};
  for (std::string& name : (*head)->cells) {
    if (!name.empty() && column_of(rows.head_, name))
      return Error{
          .message = fmt::format("a second column '{}'", name), .file = source.file, .line = (*head)->line};
    rows.head_.push_back(std::move(name));
  }
  return rows;
}

Result<std::optional<CsvRow>> CsvRows::next() {
  Result<std::optional<CsvRow>> row = next_line();
  if (!row || !*row || (*row)->cells.size() == head_.size()) return row;
  return Error{.message = fmt::format("{} cells, and the head has {}", (*row)->cells.size(), head_.size()),
               .file = file_,
               .line = (*row)->line};
}

/// One that is not blank; nothing at the end.
Result<std::optional<CsvRow>> CsvRows::next_line() {
  while (!text_.empty()) {
    Result<CsvRow> row = read_row();
    if (!row) return std::move(row).error();
    const bool is_blank = row->cells.size() == 1 && row->cells[0].empty();
    if (!is_blank) return std::optional(*std::move(row));
  }
  return std::optional<CsvRow>();
}

Result<CsvRow> CsvRows::read_row() {
  CsvRow row{.line = line_, .cells = {}};
  while (true) {
    std::string cell;
    const std::size_t first = text_.find_first_not_of(separator_ == '\t' ? " " : " \t");
    if (first != std::string_view::npos && text_[first] == '"') {
      text_.remove_prefix(first + 1);
      if (!read_quoted(cell))
        return Error{.message = "a quote that does not end", .file = file_, .line = row.line};
      const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
      if (!trimmed(text_.substr(0, end)).empty())
        return Error{.message = "text after the end of a quote", .file = file_, .line = line_};
      text_.remove_prefix(end);
    } else {
      const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
      cell = trimmed(text_.substr(0, end));
      text_.remove_prefix(end);
    }
    row.cells.push_back(std::move(cell));
    if (row.cells.size() > kMostColumns) {
      return Error{
          .message = fmt::format("more than {} columns", kMostColumns), .file = file_, .line = row.line};
    }
    if (text_.empty()) return row;
    const char after = text_.front();
    text_.remove_prefix(1);
    if (after == separator_) continue;
    ++line_;
    return row;
  }
}

bool CsvRows::read_quoted(std::string& cell) {
  while (!text_.empty()) {
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '"') {
      if (!text_.starts_with('"')) return true;
      text_.remove_prefix(1);
    }
    line_ += c == '\n' ? 1 : 0;
    cell += c;
  }
  return false;
}

Result<CsvTable> read_csv_table(const CsvText& source) {
  Result<CsvRows> rows = CsvRows::open(source);
  if (!rows) return std::move(rows).error();
  CsvTable table{.file = source.file, .head = rows->head(), .rows = {}};
  while (true) {
    Result<std::optional<CsvRow>> row = rows->next();
    if (!row) return std::move(row).error();
    if (!*row) return table;
    table.rows.push_back(**std::move(row));
  }
}

namespace {

bool is_number_text(const std::string& field) {
  char* end = nullptr;
  std::strtod(field.c_str(), &end);
  return end == field.c_str() + field.size();
}

/// Spreadsheets run a field as a formula when it begins so, quoted or not; numbers begin so too.
bool is_formula(const std::string& field) {
  return field.find_first_of("=+-@\t\r") == 0 && !is_number_text(field);
}

}  // namespace

std::string csv_field(const std::string& text) {
  const std::string field = is_formula(text) ? "'" + text : text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char byte : field) {
    if (byte == '"') quoted += '"';
    quoted += byte;
  }
  return quoted + '"';
}

}  // namespace mirab
