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
#include "lab/traces/workload_import.hpp"
#include "model/csv_table.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::traces {

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
  CsvImporter(CsvTable servers, CsvTable users, const CsvClusterOptions& options)
      : servers_(std::move(servers)), users_(std::move(users)), options_(options) {}

  Result<CsvCluster> import() {
    if (Check wrong = read_map()) return *std::move(wrong);
    add_columns_of_their_name();
    if (Check wrong = check_columns()) return *std::move(wrong);
    for (const CsvRow& row : servers_.rows) {
      if (Check wrong = read_server(row)) return *std::move(wrong);
    }
    found_.is_state_known = of_users_.contains("server");
    for (const CsvRow& row : users_.rows) {
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
    import.provenance.insert(import.provenance.end(), description->entries.begin(),
                             description->entries.end());
    add_notices(import.notices);
    return import;
  }

 private:
  CsvTable& table(Side side) { return side == Side::servers ? servers_ : users_; }
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
        const Result<Quantity> amount = Quantity::parse(trimmed(std::string_view(column).substr(star + 1)));
        if (!amount || amount->is_zero())
          return wrong(fmt::format("'{}': after the * must be an amount of more than 0, like 1Gi", written));
        times = *amount;
        column = trimmed(std::string_view(column).substr(0, star));
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
      const CsvTable& in = table(side);
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
      const CsvTable& in = table(side);
      const CsvTable& other = table(side == Side::servers ? Side::users : Side::servers);
      for (std::size_t i = 0; i < in.head.size(); ++i) {
        if (mapped.contains(i) || in.head[i].empty()) continue;
        const std::string field = lower_case(in.head[i]);
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

  Error wrong(Side side, const CsvRow& row, const std::string& field, std::string message) {
    const auto source = sources(side).find(field);
    return {.message = std::move(message),
            .key = source == sources(side).end() ? field : table(side).head[source->second.column],
            .file = table(side).file,
            .line = row.line};
  }

  const std::string& cell(Side side, const CsvRow& row, const std::string& field) {
    static const std::string kNone;
    const auto source = sources(side).find(field);
    return source == sources(side).end() ? kNone : row.cells[source->second.column];
  }

  Result<Quantity> amount(Side side, const CsvRow& row, const std::string& field) {
    const std::string& written = cell(side, row, field);
    if (written.empty()) return Quantity();
    const Result<Quantity> number = Quantity::parse(written);
    if (!number) return wrong(side, row, field, number.error().message);
    const mpq_class product = rational(*number) * rational(sources(side).at(field).times);
    if (product >= mpz_class("9223372036854775807")) return wrong(side, row, field, "is more than 2^63 - 1");
    return rounded_down(product);
  }

  Result<ResourceVector> amounts(Side side, const CsvRow& row) {
    ResourceVector vector;
    for (const std::string& resource : found_.resources) {
      const Result<Quantity> each = amount(side, row, resource);
      if (!each) return each.error();
      vector.push_back(*each);
    }
    return vector;
  }

  // From 0; nothing for an empty cell.
  Result<std::optional<std::int64_t>> whole(Side side, const CsvRow& row, const std::string& field) {
    if (cell(side, row, field).empty()) return std::optional<std::int64_t>();
    const Result<Quantity> number = amount(side, row, field);
    if (!number) return number.error();
    const auto count = number->exponent() >= 0 ? count_units(*number, 0, Rounding::down) : std::nullopt;
    constexpr std::int64_t kMost = 1'000'000'000'000;
    if (!count || *count > kMost)
      return wrong(side, row, field, fmt::format("must be a whole number up to {}", kMost));
    return count;
  }

  Check read_server(const CsvRow& row) {
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

  Check read_user(const CsvRow& row) {
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
    const auto [known, is_first] = is_endless_.emplace(std::pair(tasks.team, tasks.name), !tasks.count);
    if (!is_first && known->second != !tasks.count) {
      return wrong(Side::users, row, "tasks",
                   fmt::format("a number of tasks in one row of '{}' and none in another; give both, or name "
                               "the rows by `shape`",
                               tasks.team));
    }
    if (!tasks.count && !is_first) {
      return wrong(
          Side::users, row, "name",
          fmt::format("a second row of '{}' without a number of tasks; map `tasks`, name the rows by "
                      "`shape`, or give --row-per-task",
                      tasks.team));
    }
    found_.tasks.push_back(std::move(tasks));
    return {};
  }

  Check read_weight(const CsvRow& row, const std::string& user) {
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
  Check read_place(const CsvRow& row, inventory::Tasks& tasks) {
    std::map<std::string, std::vector<std::string>> select;
    for (const auto& [field, source] : of_users_) {
      const std::string& values = row.cells[source.column];
      if (!field.starts_with(kSelect) || values.empty()) continue;
      std::vector<std::string>& wanted = select[field.substr(kSelect.size())];
      for (std::size_t at = 0; at <= values.size();) {
        const std::size_t end = std::min(values.find('|', at), values.size());
        wanted.emplace_back(trimmed(std::string_view(values).substr(at, end - at)));
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
    inventory::Rule rule{.allowed = {},
                         .select = std::map<std::string, LabelCondition>(select.begin(), select.end())};
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
    note(notices, "left out, rows of users with 0 tasks", without_tasks_);
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

  CsvTable servers_;
  CsvTable users_;
  const CsvClusterOptions& options_;
  Sources of_servers_, of_users_;
  inventory::Inventory found_;
  std::map<std::string, std::size_t, std::less<>> server_numbers_;
  std::map<std::map<std::string, std::vector<std::string>>, std::size_t> rule_numbers_;
  std::map<std::pair<std::string, std::string>, bool> is_endless_;  // by user and shape
  std::uint64_t without_tasks_ = 0;
};

}  // namespace

Result<CsvCluster> import_csv(const CsvText& servers, const CsvText& users,
                              const CsvClusterOptions& options) {
  Result<CsvTable> server_table = read_csv_table(servers);
  if (!server_table) return std::move(server_table).error();
  Result<CsvTable> user_table = read_csv_table(users);
  if (!user_table) return std::move(user_table).error();
  for (const CsvTable* table : {&*server_table, &*user_table}) {
    if (table->rows.empty()) return Error{.message = "there are no rows below the head", .file = table->file};
  }
  return CsvImporter(*std::move(server_table), *std::move(user_table), options).import();
}

}  // namespace mirab::traces
