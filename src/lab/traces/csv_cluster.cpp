// Servers and users from tables of the user's own.
#include "lab/traces/csv_cluster.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>

#include "inventory/inventory.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::traces {

// Tables.

namespace {

constexpr std::size_t kMostColumns = 1'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string in_small_letters(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

struct TableRow {
  int line;
  std::vector<std::string> cells;
};

/// One owner; lives as long as its text.
class TableReader {
 public:
  TableReader(const CsvText& source, std::string_view text) : source_(source), text_(text) {}

  /// Nothing at the end.
  Result<std::optional<TableRow>> next() {
    while (!text_.empty()) {
      Result<TableRow> row = read_row();
      if (!row) return std::move(row).error();
      const bool is_blank = row->cells.size() == 1 && row->cells[0].empty();
      if (!is_blank) return std::optional(*std::move(row));
    }
    return std::optional<TableRow>();
  }

  void choose_separator() {
    const std::string_view head = text_.substr(0, text_.find('\n'));
    for (const char each : {',', ';', '\t', '|'}) {
      if (std::count(head.begin(), head.end(), each) > std::count(head.begin(), head.end(), separator_))
        separator_ = each;
    }
  }

 private:
  Result<TableRow> read_row() {
    TableRow row{.line = line_, .cells = {}};
    while (true) {
      std::string cell;
      const std::size_t first = text_.find_first_not_of(separator_ == '\t' ? " " : " \t");
      if (first != std::string_view::npos && text_[first] == '"') {
        text_.remove_prefix(first + 1);
        if (!read_quoted(cell))
          return Error{.message = "a quote that does not end", .file = source_.file, .line = row.line};
        const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
        if (!without_blanks(text_.substr(0, end)).empty())
          return Error{.message = "text after the end of a quote", .file = source_.file, .line = line_};
        text_.remove_prefix(end);
      } else {
        const std::size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
        cell = without_blanks(text_.substr(0, end));
        text_.remove_prefix(end);
      }
      row.cells.push_back(std::move(cell));
      if (row.cells.size() > kMostColumns) {
        return Error{.message = fmt::format("more than {} columns", kMostColumns),
                     .file = source_.file,
                     .line = row.line};
      }
      if (text_.empty()) return row;
      const char after = text_.front();
      text_.remove_prefix(1);
      if (after == separator_) continue;
      ++line_;
      return row;
    }
  }

  bool read_quoted(std::string& cell) {
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

  const CsvText& source_;
  std::string_view text_;
  char separator_ = ',';
  int line_ = 1;
};

struct OwnTable {
  std::string file;
  std::vector<std::string> head;
  std::vector<TableRow> rows;

  std::optional<std::size_t> column(std::string_view name) const {
    const auto exact = std::find(head.begin(), head.end(), name);
    if (exact != head.end()) return static_cast<std::size_t>(exact - head.begin());
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (in_small_letters(head[i]) == in_small_letters(name)) return i;
    }
    return {};
  }
};

Result<OwnTable> read_own_table(const CsvText& source) {
  std::string_view text = source.text;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!is_utf8(text)) return Error{.message = "is not valid UTF-8", .file = source.file};
  TableReader reader(source, text);
  reader.choose_separator();
  OwnTable table{.file = source.file, .head = {}, .rows = {}};
  while (true) {
    Result<std::optional<TableRow>> row = reader.next();
    if (!row) return std::move(row).error();
    if (!*row) break;
    TableRow& cells = **row;
    if (table.head.empty()) {
      for (std::string& name : cells.cells) {
        if (!name.empty() && table.column(name))
          return Error{
              .message = fmt::format("a second column '{}'", name), .file = source.file, .line = cells.line};
        table.head.push_back(std::move(name));
      }
      continue;
    }
    if (cells.cells.size() != table.head.size()) {
      return Error{
          .message = fmt::format("{} cells, and the head has {}", cells.cells.size(), table.head.size()),
          .file = source.file,
          .line = cells.line};
    }
    table.rows.push_back(std::move(cells));
  }
  if (table.head.empty()) return Error{.message = "the file is empty", .file = source.file};
  if (table.rows.empty()) return Error{.message = "there are no rows below the head", .file = source.file};
  return table;
}

}  // namespace

// Fields of tables.

namespace {

constexpr std::array<std::string_view, 2> kServerFields = {"name", "count"};
constexpr std::array<std::string_view, 5> kUserFields = {"name", "shape", "tasks", "weight", "server"};
constexpr std::string_view kLabel = "label.";
constexpr std::string_view kSelect = "select.";

enum class Side { servers, users };

/// A column with what its numbers are multiplied by.
struct Source {
  std::size_t column;
  Quantity times{1};
};

using Sources = std::map<std::string, Source>;  // by field

template <class Fields>
bool is_field_of(std::string_view name, const Fields& fields, std::string_view prefix) {
  return std::find(fields.begin(), fields.end(), name) != fields.end() || name.starts_with(prefix);
}

bool is_resource(std::string_view field) {
  return !is_field_of(field, kServerFields, kLabel) && !is_field_of(field, kUserFields, kSelect);
}

class CsvImporter {
 public:
  CsvImporter(OwnTable servers, OwnTable users, const CsvClusterOptions& options)
      : servers_(std::move(servers)), users_(std::move(users)), options_(options) {}

  Result<CsvCluster> import() {
    if (Check wrong = read_map()) return *std::move(wrong);
    add_columns_of_their_name();
    if (Check wrong = check_columns()) return *std::move(wrong);
    for (const TableRow& row : servers_.rows) {
      if (Check wrong = read_server(row)) return *std::move(wrong);
    }
    found_.is_state_known = of_users_.contains("server");
    for (const TableRow& row : users_.rows) {
      if (Check wrong = read_user(row)) return *std::move(wrong);
    }
    found_.are_names_shapes = true;
    Result<inventory::Description> description = inventory::describe(found_);
    if (!description) {
      Error error = std::move(description).error();
      error.file = fmt::format("{}, {}", servers_.file, users_.file);
      return error;
    }
    CsvCluster import{.cluster = std::move(description->cluster),
                      .provenance = {fmt::format("From {} rows of servers and {} of users.",
                                                 servers_.rows.size(), users_.rows.size())},
                      .notices = std::move(description->notices)};
    add_notices(import.notices);
    return import;
  }

 private:
  OwnTable& table(Side side) { return side == Side::servers ? servers_ : users_; }
  Sources& sources(Side side) { return side == Side::servers ? of_servers_ : of_users_; }

  Check read_map() {
    for (const std::string& written : options_.map) {
      const auto wrong = [&](std::string message) {
        return Error{.message = std::move(message), .key = "--map"};
      };
      const std::size_t equals = written.find('=');
      if (equals == 0 || equals == std::string::npos)
        return wrong(fmt::format("'{}' is not of the form FIELD=COLUMN, like memory=ram_gb*1Gi", written));
      std::string field = written.substr(0, equals);
      std::string column = written.substr(equals + 1);
      Quantity times{1};
      if (const std::size_t star = column.rfind('*');
          star != std::string::npos && !servers_.column(column) && !users_.column(column)) {
        const Result<Quantity> amount =
            Quantity::parse(without_blanks(std::string_view(column).substr(star + 1)));
        if (!amount || amount->is_zero())
          return wrong(fmt::format("'{}': after the * must be an amount of more than 0, like 1Gi", written));
        times = *amount;
        column = without_blanks(std::string_view(column).substr(0, star));
      }
      std::vector<Side> sides{Side::servers, Side::users};
      if (field.starts_with("servers."))
        sides = {Side::servers}, field.erase(0, std::string_view("servers.").size());
      if (field.starts_with("users."))
        sides = {Side::users}, field.erase(0, std::string_view("users.").size());
      if (field.empty()) return wrong(fmt::format("'{}' names no field before the '='", written));
      if (Check bad = map_column(written, sides, field, column, times)) return bad;
    }
    return {};
  }

  Check map_column(const std::string& written, const std::vector<Side>& sides, const std::string& field,
                   const std::string& column, const Quantity& times) {
    bool found = false;
    std::vector<std::string_view> known;
    for (const Side side : sides) {
      const OwnTable& in = table(side);
      known.insert(known.end(), in.head.begin(), in.head.end());
      const std::optional<std::size_t> place = in.column(column);
      const bool belongs =
          is_resource(field) || (side == Side::servers ? is_field_of(field, kServerFields, kLabel)
                                                       : is_field_of(field, kUserFields, kSelect));
      if (!place || !belongs) continue;
      found = true;
      if (!sources(side).emplace(field, Source{*place, times}).second)
        return Error{.message = fmt::format("'{}': {} is mapped already", written, field), .key = "--map"};
    }
    if (found) return {};
    return Error{.message = fmt::format("'{}': there is no column '{}'{}", written, column,
                                        known_names(column, known)),
                 .key = "--map"};
  }

  // A column that is called like a field is that field; resources have the same name in both tables.
  void add_columns_of_their_name() {
    for (const Side side : {Side::servers, Side::users}) {
      std::set<std::size_t> mapped;
      for (const auto& [field, source] : sources(side)) mapped.insert(source.column);
      const OwnTable& in = table(side);
      const OwnTable& other = table(side == Side::servers ? Side::users : Side::servers);
      for (std::size_t i = 0; i < in.head.size(); ++i) {
        if (mapped.contains(i) || in.head[i].empty()) continue;
        const std::string field = in_small_letters(in.head[i]);
        const bool own = side == Side::servers ? is_field_of(field, kServerFields, kLabel)
                                               : is_field_of(field, kUserFields, kSelect);
        const bool both = is_resource(field) && (other.column(field) || is_mapped_elsewhere(side, field));
        if (own || both || is_mapped_elsewhere(side, field)) sources(side).emplace(field, Source{i});
      }
    }
  }

  // Does the map give the field to the other table only?
  bool is_mapped_elsewhere(Side side, const std::string& field) {
    return is_resource(field) && sources(side == Side::servers ? Side::users : Side::servers).contains(field);
  }

  Check check_columns() {
    for (const Side side : {Side::servers, Side::users}) {
      const std::string_view side_name = side == Side::servers ? "servers" : "users";
      const auto missing = [&](std::string_view field) {
        const std::vector<std::string_view> known(table(side).head.begin(), table(side).head.end());
        return Error{.message = fmt::format("no column for '{}'; name one with --map {}.{}=COLUMN{}", field,
                                            side_name, field, known_names(field, known)),
                     .file = table(side).file,
                     .line = 1};
      };
      if (!sources(side).contains("name")) return missing("name");
      for (const auto& [field, source] : sources(side == Side::servers ? Side::users : Side::servers)) {
        if (is_resource(field) && !sources(side).contains(field)) return missing(field);
      }
    }
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [field, source] : of_servers_) {
      if (is_resource(field)) order.emplace_back(source.column, field);
    }
    std::sort(order.begin(), order.end());
    for (auto& [column, field] : order) found_.resources.push_back(std::move(field));
    if (found_.resources.empty())
      return Error{.message =
                       "no column is a resource: none is in both tables; name them with --map, like --map "
                       "cpu=cores --map memory=ram_gb*1Gi",
                   .file = servers_.file,
                   .line = 1};
    if (of_users_.contains("server") && !of_users_.contains("tasks") && !options_.row_per_task) {
      return Error{.message = "says where tasks run, but not how many: map `tasks`, or give --row-per-task",
                   .key = users_.head[of_users_.at("server").column],
                   .file = users_.file,
                   .line = 1};
    }
    return {};
  }

  Error wrong(Side side, const TableRow& row, const std::string& field, std::string message) {
    const auto source = sources(side).find(field);
    return {.message = std::move(message),
            .key = source == sources(side).end() ? field : table(side).head[source->second.column],
            .file = table(side).file,
            .line = row.line};
  }

  const std::string& cell(Side side, const TableRow& row, const std::string& field) {
    static const std::string kNone;
    const auto source = sources(side).find(field);
    return source == sources(side).end() ? kNone : row.cells[source->second.column];
  }

  Result<Quantity> amount(Side side, const TableRow& row, const std::string& field) {
    const std::string& written = cell(side, row, field);
    if (written.empty()) return Quantity();
    const Result<Quantity> number = Quantity::parse(written);
    if (!number) return wrong(side, row, field, number.error().message);
    const mpq_class product = rational(*number) * rational(sources(side).at(field).times);
    if (product >= mpz_class("9223372036854775807")) return wrong(side, row, field, "is more than 2^63 - 1");
    return rounded_down(product);
  }

  Result<ResourceVector> amounts(Side side, const TableRow& row) {
    ResourceVector vector;
    for (const std::string& resource : found_.resources) {
      const Result<Quantity> each = amount(side, row, resource);
      if (!each) return each.error();
      vector.push_back(*each);
    }
    return vector;
  }

  // From 0; nothing for an empty cell.
  Result<std::optional<std::int64_t>> whole(Side side, const TableRow& row, const std::string& field) {
    if (cell(side, row, field).empty()) return std::optional<std::int64_t>();
    const Result<Quantity> number = amount(side, row, field);
    if (!number) return number.error();
    const auto count = number->exponent() >= 0 ? count_units(*number, 0, Rounding::down) : std::nullopt;
    constexpr std::int64_t kMost = 1'000'000'000'000;
    if (!count || *count > kMost)
      return wrong(side, row, field, fmt::format("must be a whole number up to {}", kMost));
    return count;
  }

  Check read_server(const TableRow& row) {
    inventory::Machine machine{.name = cell(Side::servers, row, "name"), .capacity = {}};
    if (Check bad = check_name(machine.name, "server", "name"))
      return wrong(Side::servers, row, "name", bad->message);
    if (!server_numbers_.emplace(machine.name, found_.machines.size()).second)
      return wrong(Side::servers, row, "name", fmt::format("a second server '{}'", machine.name));
    Result<ResourceVector> capacity = amounts(Side::servers, row);
    if (!capacity) return capacity.error();
    machine.capacity = *std::move(capacity);
    const Result<std::optional<std::int64_t>> count = whole(Side::servers, row, "count");
    if (!count) return count.error();
    machine.count = count->value_or(1);
    if (machine.count == 0) return wrong(Side::servers, row, "count", "must be a whole number from 1");
    for (const auto& [field, source] : of_servers_) {
      if (field.starts_with(kLabel) && !row.cells[source.column].empty())
        machine.labels.emplace(field.substr(kLabel.size()), row.cells[source.column]);
    }
    found_.machines.push_back(std::move(machine));
    return {};
  }

  Check read_user(const TableRow& row) {
    const std::string& shape = cell(Side::users, row, "shape");
    inventory::Tasks tasks{
        .team = cell(Side::users, row, "name"), .name = shape.empty() ? "tasks" : shape, .demand = {}};
    if (Check bad = check_name(tasks.team, "user", "name"))
      return wrong(Side::users, row, "name", bad->message);
    if (Check bad = check_name(tasks.name, "shape", "shape"))
      return wrong(Side::users, row, "shape", bad->message);
    Result<ResourceVector> demand = amounts(Side::users, row);
    if (!demand) return demand.error();
    tasks.demand = *std::move(demand);
    const Result<std::optional<std::int64_t>> count = whole(Side::users, row, "tasks");
    if (!count) return count.error();
    tasks.count = *count ? *count : options_.row_per_task ? std::optional<std::int64_t>(1) : std::nullopt;
    if (Check bad = read_weight(row, tasks.team)) return bad;
    if (Check bad = read_place(row, tasks)) return bad;
    if (tasks.count == 0) {
      ++without_tasks_;
      return {};
    }
    if (!tasks.count && !endless_.insert({tasks.team, tasks.name}).second) {
      return wrong(
          Side::users, row, "name",
          fmt::format("a second row of '{}' without a number of tasks; map `tasks`, name the rows by "
                      "`shape`, or give --row-per-task",
                      tasks.team));
    }
    found_.tasks.push_back(std::move(tasks));
    return {};
  }

  Check read_weight(const TableRow& row, const std::string& user) {
    if (cell(Side::users, row, "weight").empty()) return {};
    const Result<Quantity> weight = amount(Side::users, row, "weight");
    if (!weight) return weight.error();
    if (weight->is_zero()) return wrong(Side::users, row, "weight", "must be more than 0");
    const auto [known, is_new] = found_.weights.emplace(user, *weight);
    if (is_new || known->second == *weight) return {};
    return wrong(Side::users, row, "weight",
                 fmt::format("'{}' has the weight {} in a row above", user, known->second.text()));
  }

  // Where the tasks may run, and where they run.
  Check read_place(const TableRow& row, inventory::Tasks& tasks) {
    std::map<std::string, std::vector<std::string>> select;
    for (const auto& [field, source] : of_users_) {
      const std::string& values = row.cells[source.column];
      if (!field.starts_with(kSelect) || values.empty()) continue;
      std::vector<std::string>& wanted = select[field.substr(kSelect.size())];
      for (std::size_t at = 0; at <= values.size();) {
        const std::size_t end = std::min(values.find('|', at), values.size());
        wanted.emplace_back(without_blanks(std::string_view(values).substr(at, end - at)));
        at = end + 1;
      }
    }
    tasks.rule = rule_number(select);
    const std::string& where = cell(Side::users, row, "server");
    if (where.empty()) return {};
    const auto server = server_numbers_.find(where);
    if (server == server_numbers_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, number] : server_numbers_) known.push_back(name);
      return wrong(Side::users, row, "server",
                   fmt::format("there is no server '{}'{}", where, known_names(where, known)));
    }
    if (!tasks.count) return wrong(Side::users, row, "tasks", "is empty, although the tasks run on a server");
    tasks.machine = server->second;
    return {};
  }

  std::size_t rule_number(const std::map<std::string, std::vector<std::string>>& select) {
    const auto [known, is_new] = rule_numbers_.emplace(select, found_.rules.size());
    if (!is_new) return known->second;
    inventory::Rule rule{.allowed = {}, .select = select};
    for (const inventory::Machine& machine : found_.machines) {
      rule.allowed.push_back(std::all_of(select.begin(), select.end(), [&](const auto& wanted) {
        const auto label = machine.labels.find(wanted.first);
        return label != machine.labels.end() &&
               std::find(wanted.second.begin(), wanted.second.end(), label->second) != wanted.second.end();
      }));
    }
    found_.rules.push_back(std::move(rule));
    return known->second;
  }

  void add_notices(std::vector<std::string>& notices) {
    if (without_tasks_ > 0)
      notices.push_back(fmt::format("left out, rows of users with 0 tasks: {}", without_tasks_));
    for (const Side side : {Side::servers, Side::users}) {
      std::set<std::size_t> used;
      for (const auto& [field, source] : sources(side)) used.insert(source.column);
      std::vector<std::string_view> unused;
      for (std::size_t i = 0; i < table(side).head.size(); ++i) {
        if (!used.contains(i) && !table(side).head[i].empty()) unused.emplace_back(table(side).head[i]);
      }
      if (!unused.empty())
        notices.push_back(
            fmt::format("columns of {} that are not used: {}", table(side).file, first_names(unused, 10)));
    }
  }

  OwnTable servers_;
  OwnTable users_;
  const CsvClusterOptions& options_;
  Sources of_servers_, of_users_;
  inventory::Inventory found_;
  std::map<std::string, std::size_t, std::less<>> server_numbers_;
  std::map<std::map<std::string, std::vector<std::string>>, std::size_t> rule_numbers_;
  std::set<std::pair<std::string, std::string>> endless_;
  std::int64_t without_tasks_ = 0;
};

}  // namespace

Result<CsvCluster> import_csv(const CsvText& servers, const CsvText& users,
                              const CsvClusterOptions& options) {
  Result<OwnTable> server_table = read_own_table(servers);
  if (!server_table) return std::move(server_table).error();
  Result<OwnTable> user_table = read_own_table(users);
  if (!user_table) return std::move(user_table).error();
  return CsvImporter(*std::move(server_table), *std::move(user_table), options).import();
}

}  // namespace mirab::traces
