#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab {

/// A table as a spreadsheet or a database writes it: CSV after RFC 4180, with a head; commas, semicolons,
/// tabs or bars between the cells, whichever the head has most of.
struct CsvText {
  std::string file;  ///< as errors call it
  std::string_view text;
};

struct CsvRow {
  int line;                        ///< where it begins
  std::vector<std::string> cells;  ///< without quotes, and without blanks around those that have none
};

/// The column of a head with this name, in capitals or not.
std::optional<std::size_t> column_of(std::span<const std::string> head, std::string_view name);

/// The rows of a table one by one, in the memory of one of them. One owner; the text outlives it.
class CsvRows {
 public:
  /// Reads the head. Errors name file and line: not UTF-8, no head, two columns of a name, and as of next.
  static Result<CsvRows> open(const CsvText& source);

  const std::vector<std::string>& head() const { return head_; }

  /// The next row, as wide as the head; nothing after the last. Blank lines are left out. Errors: a quote
  /// that does not end, a row of another width than the head, more than 1,000 columns.
  Result<std::optional<CsvRow>> next();

 private:
  explicit CsvRows(const CsvText& source) : file_(source.file), text_(source.text) {}

  Result<std::optional<CsvRow>> next_line();
  Result<CsvRow> read_row();
  bool read_quoted(std::string& cell);

  std::string file_;
  std::string_view text_;  // what is left
  char separator_ = ',';
  int line_ = 1;
  std::vector<std::string> head_;
};

struct CsvTable {
  std::string file;
  std::vector<std::string> head;
  std::vector<CsvRow> rows;

  std::optional<std::size_t> column(std::string_view name) const { return column_of(head, name); }
};

/// All rows at once. Errors: as of CsvRows.
Result<CsvTable> read_csv_table(const CsvText& source);

/// A cell of a record: with a comma, quote or line break it stands in quotes. A text that a spreadsheet would
/// run as a formula gets an apostrophe in front, which keeps it a text there.
std::string csv_field(const std::string& text);

}  // namespace mirab
