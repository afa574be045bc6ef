#pragma once

// Tables of a person's own: which column is which field, by its name or by a map.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/csv_table.hpp"

namespace mirab::traces {

/// What a table can have besides resources.
struct CsvKind {
  std::string_view name;                       ///< `servers`, as maps and errors call it
  std::span<const std::string_view> fields;    ///< `name`, `count`
  std::span<const std::string_view> required;  ///< those that it must have
  std::string_view prefix;                     ///< of fields with a key of the person's own: `label.`

  bool has(std::string_view field) const;
};

/// `name`, `count` and `label.KEY`.
extern const CsvKind kCsvServers;

/// The columns of one table by the fields that they are. One owner.
class CsvFields {
 public:
  /// `kind` outlives it.
  CsvFields(const CsvKind& kind, std::string file, std::vector<std::string> head)
      : kind_(kind), file_(std::move(file)), head_(std::move(head)) {}

  const CsvKind& kind() const { return kind_; }
  const std::string& file() const { return file_; }
  const std::vector<std::string>& head() const { return head_; }

  /// A column with what its numbers are multiplied by.
  struct Source {
    std::size_t column;
    Quantity times{1};
  };
  const std::map<std::string, Source, std::less<>>& sources() const { return sources_; }

  /// Is false where the field has a column already.
  bool add(const std::string& field, const Source& source) { return sources_.emplace(field, source).second; }
  bool has(std::string_view field) const { return sources_.contains(field); }

  /// What the row says of the field; empty where the table has no such column.
  const std::string& cell(const CsvRow& row, std::string_view field) const;

  /// The keys of the kind's prefix, with the cells that say something: `zone` and `a` of `label.zone`.
  std::vector<std::pair<std::string, std::string>> keyed(const CsvRow& row) const;

  /// Times the column's factor; 0 for an empty cell. Errors name file, line and column, as all below.
  Result<Quantity> amount(const CsvRow& row, std::string_view field) const;
  Result<ResourceVector> amounts(const CsvRow& row, std::span<const std::string> resources) const;

  /// A whole number up to 10^12; nothing for an empty cell.
  Result<std::optional<std::int64_t>> whole(const CsvRow& row, std::string_view field) const;

  /// `file:line: column: message`.
  Error wrong(const CsvRow& row, std::string_view field, std::string message) const;

  /// Adds a notice that names the columns which are no field, if there are any.
  void note_unused(std::vector<std::string>& notices) const;

 private:
  const CsvKind& kind_;
  std::string file_;
  std::vector<std::string> head_;
  std::map<std::string, Source, std::less<>> sources_;
};

/// Gives the fields of a table of servers, and of one of what runs on them, their columns: those that `map`
/// says (`memory=ram_gb*1Gi`, `servers.name=host`: docs/how-to/import-csv.md), then those that are called
/// like a field. Resources are what the map names besides, and the columns that both tables have; they are
/// returned in the order of the servers' columns. Errors name the option or the file: no such column, a
/// required field without one, no resource.
Result<std::vector<std::string>> find_csv_fields(CsvFields& servers, CsvFields& others,
                                                 std::span<const std::string> map);

/// A server entry a row. Errors: as of CsvFields; two of a name.
Result<std::vector<Server>> read_csv_servers(const CsvFields& fields, std::span<const CsvRow> rows,
                                             std::span<const std::string> resources);

/// Adds the weight of a row's user, if the row gives one. Errors: as of CsvFields; it is 0, or another than
/// in a row above.
Check read_csv_weight(const CsvFields& fields, const CsvRow& row, const std::string& user,
                      std::map<std::string, Quantity>& weights);

/// The values of `a|b`, without blanks around them.
std::vector<std::string> alternatives_in(std::string_view cell);

}  // namespace mirab::traces
