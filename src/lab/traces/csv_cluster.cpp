// Servers and users from tables of the user's own.
#include "lab/traces/csv_cluster.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>

#include "inventory/inventory.hpp"
#include "lab/traces/csv_fields.hpp"
#include "lab/traces/workload_import.hpp"
#include "model/label_values.hpp"
#include "model/names.hpp"

namespace mirab::traces {

namespace {

constexpr std::array<std::string_view, 5> kUserFields = {"name", "shape", "tasks", "weight", "server"};

const CsvKind kUsers{
    .name = "users", .fields = kUserFields, .required = std::span(kUserFields).first(1), .prefix = "select."};

class CsvImporter {
 public:
  CsvImporter(CsvTable servers, CsvTable users, const CsvClusterOptions& options)
      : servers_(kCsvServers, std::move(servers.file), std::move(servers.head)),
        users_(kUsers, std::move(users.file), std::move(users.head)),
        server_rows_(std::move(servers.rows)),
        user_rows_(std::move(users.rows)),
        options_(options) {}

  Result<CsvCluster> import() {
    if (Check wrong = find_fields()) return *std::move(wrong);
    if (Check wrong = read_servers()) return *std::move(wrong);
    found_.is_state_known = users_.has("server");
    for (const CsvRow& row : user_rows_) {
      if (Check wrong = read_user(row)) return *std::move(wrong);
    }
    found_.are_names_shapes = true;
    Result<inventory::Description> description = inventory::describe(found_);
    if (!description) {
      Error error = std::move(description).error();
      error.file = fmt::format("{}, {}", servers_.file(), users_.file());
      return error;
    }
    CsvCluster import{.cluster = std::move(description->cluster),
                      .provenance = {fmt::format("From {} rows of servers and {} of users.",
                                                 server_rows_.size(), user_rows_.size())},
                      .notices = std::move(description->notices)};
    import.provenance.insert(import.provenance.end(), description->entries.begin(),
                             description->entries.end());
    note(import.notices, "left out, rows of users with 0 tasks", without_tasks_);
    servers_.note_unused(import.notices);
    users_.note_unused(import.notices);
    return import;
  }

 private:
  Check find_fields() {
    Result<std::vector<std::string>> resources = find_csv_fields(servers_, users_, options_.map);
    if (!resources) {
      const bool is_of_jobs =
          !users_.has("name") && column_of(users_.head(), "submit") && column_of(users_.head(), "run");
      Error error = std::move(resources).error();
      if (is_of_jobs) error.message += "; `mirab import jobs` reads tables of jobs with times";
      return error;
    }
    found_.resources = *std::move(resources);
    if (!users_.has("server") || users_.has("tasks") || options_.row_per_task) return {};
    return Error{.message = "says where tasks run, but not how many: map `tasks`, or give --row-per-task",
                 .key = users_.head()[users_.sources().find("server")->second.column],
                 .file = users_.file(),
                 .line = 1};
  }

  Check read_servers() {
    Result<std::vector<Server>> servers = read_csv_servers(servers_, server_rows_, found_.resources);
    if (!servers) return std::move(servers).error();
    for (Server& server : *servers) {
      server_numbers_.emplace(server.name, found_.machines.size());
      found_.machines.push_back({.name = std::move(server.name),
                                 .capacity = std::move(server.capacity),
                                 .labels = std::move(server.labels),
                                 .count = server.count});
    }
    return {};
  }

  Check read_user(const CsvRow& row) {
    const std::string& shape = users_.cell(row, "shape");
    inventory::Tasks tasks{
        .team = users_.cell(row, "name"), .name = shape.empty() ? "tasks" : shape, .demand = {}};
    if (Check bad = check_name(tasks.team, "user", "name")) return users_.wrong(row, "name", bad->message);
    if (Check bad = check_name(tasks.name, "shape", "shape")) return users_.wrong(row, "shape", bad->message);
    Result<ResourceVector> demand = users_.amounts(row, found_.resources);
    if (!demand) return demand.error();
    tasks.demand = *std::move(demand);
    const Result<std::optional<std::int64_t>> count = users_.whole(row, "tasks");
    if (!count) return count.error();
    tasks.count = *count ? *count : options_.row_per_task ? std::optional<std::int64_t>(1) : std::nullopt;
    if (Check bad = read_csv_weight(users_, row, tasks.team, found_.weights)) return bad;
    if (Check bad = read_place(row, tasks)) return bad;
    if (tasks.count == 0) {
      ++without_tasks_;
      return {};
    }
    const auto [known, is_first] = is_endless_.emplace(std::pair(tasks.team, tasks.name), !tasks.count);
    if (!is_first && known->second != !tasks.count) {
      return users_.wrong(
          row, "tasks",
          fmt::format("a number of tasks in one row of '{}' and none in another; give both, or name "
                      "the rows by `shape`",
                      tasks.team));
    }
    if (!tasks.count && !is_first) {
      return users_.wrong(
          row, "name",
          fmt::format("a second row of '{}' without a number of tasks; map `tasks`, name the rows by "
                      "`shape`, or give --row-per-task",
                      tasks.team));
    }
    found_.tasks.push_back(std::move(tasks));
    return {};
  }

  // Where the tasks may run, and where they run.
  Check read_place(const CsvRow& row, inventory::Tasks& tasks) {
    SelectedValues select;
    for (const auto& [label, values] : users_.keyed(row)) select.emplace(label, alternatives_in(values));
    tasks.rule = rule_number(select);
    const std::string& where = users_.cell(row, "server");
    if (where.empty()) return {};
    const auto server = server_numbers_.find(where);
    if (server == server_numbers_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, number] : server_numbers_) known.push_back(name);
      return users_.wrong(row, "server",
                          fmt::format("there is no server '{}'{}", where, known_names(where, known)));
    }
    if (!tasks.count) return users_.wrong(row, "tasks", "is empty, although the tasks run on a server");
    tasks.machine = server->second;
    return {};
  }

  std::size_t rule_number(const SelectedValues& select) {
    const auto [known, is_new] = rule_numbers_.emplace(select, found_.rules.size());
    if (!is_new) return known->second;
    inventory::Rule rule{.allowed = {},
                         .select = std::map<std::string, LabelCondition>(select.begin(), select.end())};
    for (const inventory::Machine& machine : found_.machines)
      rule.allowed.push_back(has_selected_values(machine.labels, select));
    found_.rules.push_back(std::move(rule));
    return known->second;
  }

  CsvFields servers_;
  CsvFields users_;
  std::vector<CsvRow> server_rows_;
  std::vector<CsvRow> user_rows_;
  const CsvClusterOptions& options_;
  inventory::Inventory found_;
  std::map<std::string, std::size_t, std::less<>> server_numbers_;
  std::map<SelectedValues, std::size_t> rule_numbers_;
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
