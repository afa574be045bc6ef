// The state as rows of tables, a thing each: for those who look for a thing without the log.
#include <fmt/format.h>
#include <set>

#include "live/reader.hpp"
#include "live/state.hpp"
#include "model/csv_table.hpp"

namespace mirab::live {
namespace {

Json columns_of(const Server& server, const Units& units) {
  Json columns = normal_form(server.content, units);
  columns["state"] = !server.id ? "lost" : server.drained ? "drained" : "open";
  if (server.silent) columns["silent"] = true;
  return columns;
}

template <class Thing>
Json columns_of(const Thing& thing, const Units& units) {
  return normal_form(thing.content, units);
}

template <class Thing>
Json columns_of(const Thing* thing, const Units& units) {
  return thing == nullptr ? Json() : columns_of(*thing, units);
}

Json columns_of(const Job& job) {
  return {{"uid", fmt::format("j-{}", job.created)},
          {"engine", job.id ? Json(static_cast<std::uint64_t>(*job.id)) : Json()},
          {"sha256", job.sha256},
          {"spec", Json::parse(job.form)},
          {"state", word_of(job.state())},
          {"waiting", job.waiting},
          {"running", job.running},
          {"succeeded", job.succeeded},
          {"failed", job.failed},
          {"cancelled", job.cancelled},
          {"created", job.created},
          {"submitted", text_of(job.created_at)},
          {"ended", job.ended ? Json(text_of(job.ended_at)) : Json()},
          {"revision", job.changed}};
}

Json columns_of(const Past& past, const Job& job, const State& state) {
  Json columns = {{"job", job.label()},
                  {"server", past.server},
                  {"attempt", past.attempt},
                  {"started", text_of(state.wall_of(past.started))},
                  {"ended", text_of(state.wall_of(past.ended))},
                  {"outcome", word_of(past.outcome)},
                  {"usage", past.usage}};
  if (past.exit_code) columns["exit_code"] = *past.exit_code;
  if (job.has_roles()) columns["role"] = job.roles[past.role].name;
  return columns;
}

template <class Things>
std::vector<Row> rows_of(const std::string& table, const Things& things, const Units& units) {
  std::vector<Row> rows;
  for (const auto& [name, thing] : things)
    rows.push_back({.table = table, .key = Json::array({name}), .columns = columns_of(thing, units)});
  return rows;
}

/// The names of the parts of a key.
std::vector<std::string> key_names(const std::string& table) {
  if (table == "job") return {"queue", "name"};
  if (table == "task_ended") return {"task"};
  return {"name"};
}

std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Row State::row(const std::string& table, const std::string& name) const {
  const Units& units = settings.units;
  return {.table = table,
          .key = Json::array({name}),
          .columns = table == kTenantTable  ? columns_of(tenant(name), units)
                     : table == kTokenTable ? columns_of(token(name), units)
                                            : columns_of(server(name), units)};
}

std::vector<Row> State::rows(const std::string& table) const {
  const Units& units = settings.units;
  if (table == kTenantTable) return rows_of(table, tenants, units);
  if (table == "group") return rows_of(table, groups, units);
  if (table == "queue") return rows_of(table, queues, units);
  if (table == kServerTable) return rows_of(table, servers, units);
  if (table == kTokenTable) return rows_of(table, tokens, units);
  std::vector<Row> rows;
  for (const auto& [name, queue] : queues) {
    for (const auto& [job_name, job] : queue.jobs) {
      if (table == "job") {
        rows.push_back({.table = table, .key = Json::array({name, job_name}), .columns = columns_of(job)});
        continue;
      }
      for (const Past& past : job.past)
        rows.push_back({.table = table,
                        .key = Json::array({text_of(past.task)}),
                        .columns = columns_of(past, job, *this)});
    }
  }
  return rows;
}

Json json_of_rows(const std::string& table, const std::vector<Row>& rows) {
  const std::vector<std::string> names = key_names(table);
  Json json = Json::array();
  for (const Row& row : rows) {
    Json object = row.columns;
    for (std::size_t part = 0; part < names.size(); ++part) object[names[part]] = row.key.at(part);
    json.push_back(std::move(object));
  }
  return json;
}

std::string csv_of_rows(const std::string& table, const std::vector<Row>& rows) {
  std::vector<std::string> columns = key_names(table);
  std::set<std::string> others;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row.columns.items()) others.insert(name);
  }
  columns.insert(columns.end(), others.begin(), others.end());
  std::string text;
  const auto add_line = [&](const auto& cell) {
    std::string_view before;
    for (const std::string& column : columns) {
      text += before;
      text += cell(column);
      before = ",";
    }
    text += "\r\n";
  };
  add_line([](const std::string& column) { return csv_field(column); });
  for (const Json& row : json_of_rows(table, rows))
    add_line([&](const std::string& column) { return cell_of(row.value(column, Json())); });
  return text;
}

std::vector<Row> State::take_rows() {
  std::vector<Row> rows;
  for (const auto& [table, name] : touched_) rows.push_back(row(table, name));
  touched_.clear();
  return rows;
}

}  // namespace mirab::live
