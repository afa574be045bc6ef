#pragma once

#include <cstddef>
#include <optional>
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

struct CsvTable {
  std::string file;
  std::vector<std::string> head;
  std::vector<CsvRow> rows;  ///< each as wide as the head; blank lines are left out

  /// The column of this name, in capitals or not.
  std::optional<std::size_t> column(std::string_view name) const;
};

/// Errors name file and line: not UTF-8, no head, a quote that does not end, a row of another
/// width than the head, two columns of a name.
Result<CsvTable> read_csv_table(const CsvText& source);

/// A cell of a record: with a comma, quote or line break it stands in quotes. A text that a spreadsheet would
/// run as a formula gets an apostrophe in front, which keeps it a text there.
std::string csv_field(const std::string& text);

}  // namespace mirab
