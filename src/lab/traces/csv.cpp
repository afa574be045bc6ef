#include "lab/traces/csv.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include <mirab/model/assert.hpp>

#include "model/lines.hpp"

namespace mirab::traces {

namespace {

constexpr int kRowsBetweenReports = 8192;  // a few milliseconds of reading

/// Is the text a number in digits, without the suffixes that a Quantity would read too?
bool is_plain_number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && failed != std::errc::invalid_argument;
}

}  // namespace

Result<Row> Row::cut(std::string_view line, const RowFormat& format, const std::string& file, int number) {
  MIRAB_ASSERT(format.columns <= kMaxColumns, "a row with more columns than it has room for");
  const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (found != format.columns) {
    return Error{.message = fmt::format("{} {} instead of the {} of {}", found,
                                        found == 1 ? "column" : "columns", format.columns, format.name),
                 .file = file,
                 .line = number};
  }
  Row row(file, number);
  for (std::size_t column = 0; column < format.columns; ++column) {
    const std::size_t end = std::min(line.find(','), line.size());
    row.fields_[column] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return row;
}

Result<std::uint64_t> Row::whole(const Column& column) const {
  const std::string_view field = text(column);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (failed == std::errc::result_out_of_range) return error(column, "is larger than 2^64 - 1");
  if (failed != std::errc() || end != field.data() + field.size()) {
    return error(column, "is not a whole number from 0");
  }
  return value;
}

Result<std::optional<Quantity>> Row::amount(const Column& column) const {
  const std::string_view field = text(column);
  if (field.empty()) return std::optional<Quantity>();
  if (!is_plain_number(field)) return error(column, "is not a number");
  Result<Quantity> amount = Quantity::parse(field);
  if (!amount) return error(column, amount.error());
  return std::optional(*amount);
}

Error Row::error(const Column& column, const std::string& message) const {
  return error(column, Error{.message = fmt::format("\"{}\" {}", text(column), message)});
}

Error Row::error(const Column& column, Error reason) const {
  reason.key = column.name;
  reason.file = *file_;
  reason.line = number_;
  return reason;
}

Check read_rows(const std::string& path, const RowFormat& format,
                const std::function<Check(const Row&)>& visit,
                const std::function<void(std::uint64_t)>& on_bytes) {
  Result<Lines> lines = Lines::open(path);
  if (!lines) return lines.error();
  while (true) {
    auto line = lines->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    const Result<Row> row = Row::cut(**line, format, path, lines->number());
    if (!row) return row.error();
    if (Check failed = visit(*row)) return failed;
    if (lines->number() % kRowsBetweenReports == 0) on_bytes(lines->bytes_read());
  }
  if (lines->number() == 0) return Error{.message = "the file is empty", .file = path};
  on_bytes(lines->bytes_read());
  return std::nullopt;
}

}  // namespace mirab::traces
