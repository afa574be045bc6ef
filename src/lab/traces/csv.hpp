#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

namespace mirab::traces {

/// A column of a CSV format: its place, from 0, and the name that errors call it.
struct Column {
  std::size_t place;
  std::string_view name;
};

/// What the lines of a file have in common.
struct RowFormat {
  std::size_t columns;
  std::string name;  ///< as errors call such a file: `a list of nodes (sn,cpu_milli,…)`
};

/// One line of a CSV file without quotes, cut at its commas. A view: it lives as long as the line and the
/// file's name.
class Row {
 public:
  /// Errors: not exactly the format's columns (≤ kMaxColumns).
  static Result<Row> cut(std::string_view line, const RowFormat& format, const std::string& file, int number);

  std::string_view text(const Column& column) const { return fields_[column.place]; }

  /// A whole number from 0. Errors: empty, not one, too large.
  Result<std::uint64_t> whole(const Column& column) const;

  /// An exact amount, plain (`0.2493`) or scientific (`1.5e-05`); no value for an empty field. Errors: not a
  /// number, negative, not finite, more digits than a Quantity holds.
  Result<std::optional<Quantity>> amount(const Column& column) const;

  /// `file:line: column: "field" message`.
  Error error(const Column& column, const std::string& message) const;

  /// `file:line: column: reason`, for a reason that quotes the field itself.
  Error error(const Column& column, Error reason) const;

  static constexpr std::size_t kMaxColumns =
      24;  ///< Google 2011 has 20 in task_usage, the widest of these tables

 private:
  Row(const std::string& file, int number) : file_(&file), number_(number) {}

  std::array<std::string_view, kMaxColumns> fields_;
  const std::string* file_;
  int number_;
};

/// Reads a CSV file, gzip or plain, and hands each row to `visit`, until it returns an error. Calls
/// `on_bytes(bytes of this file read so far)` now and then and at the end. Errors: as of Lines and Row, and
/// an empty file.
Check read_rows(const std::string& path, const RowFormat& format,
                const std::function<Check(const Row&)>& visit,
                const std::function<void(std::uint64_t)>& on_bytes);

}  // namespace mirab::traces
