// Tables of a person's own: which column is which field.
#include "lab/traces/csv_fields.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gmpxx.h>
#include <set>

#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::traces {

bool CsvKind::has(std::string_view field) const {
  return std::find(fields.begin(), fields.end(), field) != fields.end() || field.starts_with(prefix);
}

namespace {

constexpr std::array<std::string_view, 2> kServerFields = {"name", "count"};

}  // namespace

const CsvKind kCsvServers{.name = "servers",
                          .fields = kServerFields,
                          .required = std::span(kServerFields).first(1),
                          .prefix = "label."};

// What a row says.

const std::string& CsvFields::cell(const CsvRow& row, std::string_view field) const {
  static const std::string kNone;
  const auto source = sources_.find(field);
  return source == sources_.end() ? kNone : row.cells[source->second.column];
}

std::vector<std::pair<std::string, std::string>> CsvFields::keyed(const CsvRow& row) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto each = sources_.lower_bound(kind_.prefix);
       each != sources_.end() && each->first.starts_with(kind_.prefix); ++each) {
    const std::string& value = row.cells[each->second.column];
    if (!value.empty()) found.emplace_back(each->first.substr(kind_.prefix.size()), value);
  }
  return found;
}

Result<Quantity> CsvFields::amount(const CsvRow& row, std::string_view field) const {
  const std::string& written = cell(row, field);
  if (written.empty()) return Quantity();
  const Result<Quantity> number = Quantity::parse(written);
  if (!number) return wrong(row, field, number.error().message);
  const mpq_class product = rational(*number) * rational(sources_.find(field)->second.times);
  if (product >= mpz_class("9223372036854775807")) return wrong(row, field, "is more than 2^63 - 1");
  return rounded_down(product);
}

Result<ResourceVector> CsvFields::amounts(const CsvRow& row, std::span<const std::string> resources) const {
  ResourceVector vector;
  for (const std::string& resource : resources) {
    const Result<Quantity> each = amount(row, resource);
    if (!each) return each.error();
    vector.push_back(*each);
  }
  return vector;
}

Result<std::optional<std::int64_t>> CsvFields::whole(const CsvRow& row, std::string_view field) const {
  if (cell(row, field).empty()) return std::optional<std::int64_t>();
  const Result<Quantity> number = amount(row, field);
  if (!number) return number.error();
  const auto count = number->exponent() >= 0 ? count_units(*number, 0, Rounding::down) : std::nullopt;
  constexpr std::int64_t kMost = 1'000'000'000'000;
  if (!count || *count > kMost)
    return wrong(row, field, fmt::format("must be a whole number up to {}", kMost));
  return count;
}

Error CsvFields::wrong(const CsvRow& row, std::string_view field, std::string message) const {
  const auto source = sources_.find(field);
  return {.message = std::move(message),
          .key = source == sources_.end() ? std::string(field) : head_[source->second.column],
          .file = file_,
          .line = row.line};
}

void CsvFields::note_unused(std::vector<std::string>& notices) const {
  std::set<std::size_t> used;
  for (const auto& [field, source] : sources_) used.insert(source.column);
  std::vector<std::string_view> unused;
  for (std::size_t i = 0; i < head_.size(); ++i) {
    if (!used.contains(i) && !head_[i].empty()) unused.emplace_back(head_[i]);
  }
  if (!unused.empty())
    notices.push_back(fmt::format("columns of {} that are not used: {}", file_, first_names(unused, 10)));
}

// Which column is which field.

namespace {

/// A table of servers and one of what runs on them. Lives as long as both.
class ColumnFinder {
 public:
  ColumnFinder(CsvFields& servers, CsvFields& others) : tables_{&servers, &others} {}

  Check read_map(std::span<const std::string> map) {
    for (const std::string& written : map) {
      const auto wrong = [&](std::string message) {
        return Error{.message = std::move(message), .key = "--map"};
      };
      const std::size_t equals = written.find('=');
      if (equals == 0 || equals == std::string::npos)
        return wrong(fmt::format("'{}' is not of the form FIELD=COLUMN, like memory=ram_gb*1Gi", written));
      std::string field = written.substr(0, equals);
      std::string column = written.substr(equals + 1);
      Quantity times{1};
      const bool is_column = std::any_of(tables_.begin(), tables_.end(), [&](const CsvFields* table) {
        return column_of(table->head(), column).has_value();
      });
      if (const std::size_t star = column.rfind('*'); star != std::string::npos && !is_column) {
        const Result<Quantity> amount = Quantity::parse(trimmed(std::string_view(column).substr(star + 1)));
        if (!amount || amount->is_zero())
          return wrong(fmt::format("'{}': after the * must be an amount of more than 0, like 1Gi", written));
        times = *amount;
        column = trimmed(std::string_view(column).substr(0, star));
      }
      std::vector<CsvFields*> of(tables_.begin(), tables_.end());
      for (CsvFields* table : tables_) {
        const std::string only = fmt::format("{}.", table->kind().name);
        if (!field.starts_with(only)) continue;
        of = {table};
        field.erase(0, only.size());
        break;
      }
      if (field.empty()) return wrong(fmt::format("'{}' names no field before the '='", written));
      if (Check bad = map_column(written, of, field, column, times)) return bad;
    }
    return {};
  }

  // A column that is called like a field is that field; resources have the same name in both tables.
  void add_columns_of_their_name() {
    for (CsvFields* table : tables_) {
      std::set<std::size_t> mapped;
      for (const auto& [field, source] : table->sources()) mapped.insert(source.column);
      const CsvFields& other = other_than(*table);
      for (std::size_t i = 0; i < table->head().size(); ++i) {
        if (mapped.contains(i) || table->head()[i].empty()) continue;
        const std::string field = lower_case(table->head()[i]);
        const bool is_shared = is_resource(field) && (column_of(other.head(), field) || other.has(field));
        if (table->kind().has(field) || is_shared) table->add(field, {i});
      }
    }
  }

  Check check_required() const {
    for (const CsvFields* table : tables_) {
      const auto missing = [&](std::string_view field) {
        const std::vector<std::string_view> known(table->head().begin(), table->head().end());
        return Error{.message = fmt::format("no column for '{}'; name one with --map {}.{}=COLUMN{}", field,
                                            table->kind().name, field, known_names(field, known)),
                     .file = table->file(),
                     .line = 1};
      };
      for (const std::string_view field : table->kind().required) {
        if (!table->has(field)) return missing(field);
      }
      for (const auto& [field, source] : other_than(*table).sources()) {
        if (is_resource(field) && !table->has(field)) return missing(field);
      }
    }
    return {};
  }

  Result<std::vector<std::string>> resources() const {
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [field, source] : tables_[0]->sources()) {
      if (is_resource(field)) order.emplace_back(source.column, field);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::string> resources;
    for (auto& [column, field] : order) resources.push_back(std::move(field));
    if (!resources.empty()) return resources;
    return Error{.message =
                     "no column is a resource: none is in both tables; name them with --map, like --map "
                     "cpu=cores --map memory=ram_gb*1Gi",
                 .file = tables_[0]->file(),
                 .line = 1};
  }

 private:
  bool is_resource(std::string_view field) const {
    return !tables_[0]->kind().has(field) && !tables_[1]->kind().has(field);
  }

  const CsvFields& other_than(const CsvFields& table) const {
    return &table == tables_[0] ? *tables_[1] : *tables_[0];
  }

  Check map_column(const std::string& written, const std::vector<CsvFields*>& of, const std::string& field,
                   const std::string& column, const Quantity& times) const {
    bool found = false;
    std::vector<std::string_view> known;
    for (CsvFields* table : of) {
      known.insert(known.end(), table->head().begin(), table->head().end());
      const std::optional<std::size_t> place = column_of(table->head(), column);
      if (!place || !(is_resource(field) || table->kind().has(field))) continue;
      found = true;
      if (!table->add(field, {*place, times}))
        return Error{.message = fmt::format("'{}': {} is mapped already", written, field), .key = "--map"};
    }
    if (found) return {};
    return Error{.message = fmt::format("'{}': there is no column '{}'{}", written, column,
                                        known_names(column, known)),
                 .key = "--map"};
  }

  std::array<CsvFields*, 2> tables_;
};

}  // namespace

Result<std::vector<std::string>> find_csv_fields(CsvFields& servers, CsvFields& others,
                                                 std::span<const std::string> map) {
  ColumnFinder finder(servers, others);
  if (Check wrong = finder.read_map(map)) return *std::move(wrong);
  finder.add_columns_of_their_name();
  if (Check wrong = finder.check_required()) return *std::move(wrong);
  return finder.resources();
}

// Fields that several kinds of tables have.

namespace {

Result<Server> read_server(const CsvFields& fields, const CsvRow& row,
                           std::span<const std::string> resources) {
  Server server{.name = fields.cell(row, "name"), .capacity = {}};
  if (Check bad = check_name(server.name, "server", "name")) return fields.wrong(row, "name", bad->message);
  Result<ResourceVector> capacity = fields.amounts(row, resources);
  if (!capacity) return capacity.error();
  server.capacity = *std::move(capacity);
  const Result<std::optional<std::int64_t>> count = fields.whole(row, "count");
  if (!count) return count.error();
  server.count = count->value_or(1);
  if (server.count == 0) return fields.wrong(row, "count", "must be a whole number from 1");
  for (auto& [key, value] : fields.keyed(row)) {
    for (const std::string& each : {key, value}) {
      if (Check bad = check_name(each, "label", "label"))
        return fields.wrong(row, fmt::format("label.{}", key), bad->message);
    }
    server.labels.emplace(key, value);
  }
  return server;
}

}  // namespace

Result<std::vector<Server>> read_csv_servers(const CsvFields& fields, std::span<const CsvRow> rows,
                                             std::span<const std::string> resources) {
  std::vector<Server> servers;
  std::set<std::string> names;
  for (const CsvRow& row : rows) {
    Result<Server> server = read_server(fields, row, resources);
    if (!server) return std::move(server).error();
    if (!names.insert(server->name).second)
      return fields.wrong(row, "name", fmt::format("a second server '{}'", server->name));
    servers.push_back(*std::move(server));
  }
  return servers;
}

Check read_csv_weight(const CsvFields& fields, const CsvRow& row, const std::string& user,
                      std::map<std::string, Quantity>& weights) {
  if (fields.cell(row, "weight").empty()) return {};
  const Result<Quantity> weight = fields.amount(row, "weight");
  if (!weight) return weight.error();
  if (weight->is_zero()) return fields.wrong(row, "weight", "must be more than 0");
  const auto [known, is_new] = weights.emplace(user, *weight);
  if (is_new || known->second == *weight) return {};
  return fields.wrong(row, "weight",
                      fmt::format("'{}' has the weight {} in a row above", user, known->second.text()));
}

std::vector<std::string> alternatives_in(std::string_view cell) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= cell.size();) {
    const std::size_t end = std::min(cell.find('|', at), cell.size());
    values.emplace_back(trimmed(cell.substr(at, end - at)));
    at = end + 1;
  }
  return values;
}

}  // namespace mirab::traces
