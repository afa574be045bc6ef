#include "scheduling/event_json.hpp"

#include <array>

#include "scheduling/engine_json.hpp"

namespace mirab::scheduling {
namespace {

std::uint64_t number_of(auto id) { return static_cast<std::uint64_t>(id); }

template <class Id>
Id id_of(const JsonReader& json) {
  return static_cast<Id>(json.integer<std::uint64_t>(0, UINT64_MAX));
}

/// The members of an event beside its name.
struct Write {
  Json operator()(const ServerAdded& event) const {
    Json json = {{"name", event.name}, {"capacity", event.capacity}};
    if (!event.labels.empty()) json["labels"] = json_of(event.labels);
    return json;
  }
  Json operator()(const ServerChanged& event) const {
    return {{"server", number_of(event.server)}, {"capacity", event.capacity}};
  }
  Json operator()(const ServerDrained& event) const { return {{"server", number_of(event.server)}}; }
  Json operator()(const ServerReopened& event) const { return {{"server", number_of(event.server)}}; }
  Json operator()(const ServerRemoved& event) const { return {{"server", number_of(event.server)}}; }
  Json operator()(const ServerFailed& event) const { return {{"server", number_of(event.server)}}; }
  Json operator()(const UserAdded& event) const {
    return {{"name", event.name}, {"weight", event.weight.text()}};
  }
  Json operator()(const UserReweighted& event) const {
    return {{"user", number_of(event.user)}, {"weight", event.weight.text()}};
  }
  Json operator()(const UserRemoved& event) const { return {{"user", number_of(event.user)}}; }
  Json operator()(const JobSubmitted& event) const {
    Json json = {{"user", number_of(event.user)}, {"tasks", event.tasks}};
    add_wish(json, event);
    return json;
  }
  Json operator()(const JobCancelled& event) const { return {{"job", number_of(event.job)}}; }
  Json operator()(const TaskFinished& event) const { return {{"task", number_of(event.task)}}; }
  Json operator()(const TaskFailed& event) const { return {{"task", number_of(event.task)}}; }
};

ServerId server_of(const JsonReader& json) {
  json.allow_only({"now", "event", "server", "lost"});
  return id_of<ServerId>(json["server"]);
}

TaskId task_of(const JsonReader& json) {
  json.allow_only({"now", "event", "task"});
  return id_of<TaskId>(json["task"]);
}

ServerAdded server_added(const JsonReader& json) {
  json.allow_only({"now", "event", "name", "capacity", "labels", "gives"});
  const auto labels = json.find("labels");
  return {.name = json["name"].text(),
          .capacity = amounts_of(json["capacity"]),
          .labels = labels ? texts_of(*labels) : std::map<std::string, std::string>{}};
}

ServerChanged server_changed(const JsonReader& json) {
  json.allow_only({"now", "event", "server", "capacity"});
  return {.server = id_of<ServerId>(json["server"]), .capacity = amounts_of(json["capacity"])};
}

UserAdded user_added(const JsonReader& json) {
  json.allow_only({"now", "event", "name", "weight", "gives"});
  return {.name = json["name"].text(), .weight = quantity_of(json["weight"])};
}

UserReweighted user_reweighted(const JsonReader& json) {
  json.allow_only({"now", "event", "user", "weight"});
  return {.user = id_of<UserId>(json["user"]), .weight = quantity_of(json["weight"])};
}

UserRemoved user_removed(const JsonReader& json) {
  json.allow_only({"now", "event", "user"});
  return {.user = id_of<UserId>(json["user"])};
}

JobSubmitted job_submitted(const JsonReader& json) {
  json.allow_only({"now", "event", "user", "tasks", "demand", "servers", "select", "demand_on", "gives"});
  JobSubmitted event{.user = id_of<UserId>(json["user"]),
                     .demand = {},
                     .tasks = json["tasks"].integer<std::int64_t>(1, INT64_MAX)};
  read_wish(json, event);
  return event;
}

JobCancelled job_cancelled(const JsonReader& json) {
  json.allow_only({"now", "event", "job", "lost"});
  return {.job = id_of<JobId>(json["job"])};
}

struct Kind {
  std::string_view name;  ///< in the order of the variant
  Event (*read)(const JsonReader& json);
};
constexpr std::array<Kind, std::variant_size_v<Event>> kEvents = {
    Kind{"server-added", [](const JsonReader& json) -> Event { return server_added(json); }},
    Kind{"server-changed", [](const JsonReader& json) -> Event { return server_changed(json); }},
    Kind{"server-drained", [](const JsonReader& json) -> Event { return ServerDrained{server_of(json)}; }},
    Kind{"server-reopened", [](const JsonReader& json) -> Event { return ServerReopened{server_of(json)}; }},
    Kind{"server-removed", [](const JsonReader& json) -> Event { return ServerRemoved{server_of(json)}; }},
    Kind{"server-failed", [](const JsonReader& json) -> Event { return ServerFailed{server_of(json)}; }},
    Kind{"user-added", [](const JsonReader& json) -> Event { return user_added(json); }},
    Kind{"user-reweighted", [](const JsonReader& json) -> Event { return user_reweighted(json); }},
    Kind{"user-removed", [](const JsonReader& json) -> Event { return user_removed(json); }},
    Kind{"job-submitted", [](const JsonReader& json) -> Event { return job_submitted(json); }},
    Kind{"job-cancelled", [](const JsonReader& json) -> Event { return job_cancelled(json); }},
    Kind{"task-finished", [](const JsonReader& json) -> Event { return TaskFinished{task_of(json)}; }},
    Kind{"task-failed", [](const JsonReader& json) -> Event { return TaskFailed{task_of(json)}; }}};

/// The member that holds an outcome, and its value; nothing for the outcome of most events.
void add_outcome(Json& json, const Outcome& outcome) {
  if (const auto* const server = std::get_if<ServerId>(&outcome)) json["gives"] = number_of(*server);
  if (const auto* const user = std::get_if<UserId>(&outcome)) json["gives"] = number_of(*user);
  if (const auto* const job = std::get_if<JobId>(&outcome)) json["gives"] = number_of(*job);
  if (const auto* const lost = std::get_if<std::vector<Lost>>(&outcome)) {
    Json& tasks = json["lost"] = Json::array();
    for (const Lost& task : *lost)
      tasks.push_back({{"task", number_of(task.task)}, {"job", number_of(task.job)}});
  }
  if (const auto* const placed = std::get_if<std::optional<Placed>>(&outcome)) {
    json["placed"] = *placed ? Json{{"task", number_of((*placed)->task)},
                                    {"job", number_of((*placed)->job)},
                                    {"user", number_of((*placed)->user)},
                                    {"server", number_of((*placed)->server)}}
                             : Json();
  }
}

std::vector<Lost> lost_of(const JsonReader& json) {
  std::vector<Lost> lost;
  for (const JsonReader& item : json.items()) {
    item.allow_only({"task", "job"});
    lost.push_back({.task = id_of<TaskId>(item["task"]), .job = id_of<JobId>(item["job"])});
  }
  return lost;
}

std::optional<Placed> placed_of(const JsonReader& json) {
  if (json.is_null()) return {};
  json.allow_only({"task", "job", "user", "server"});
  return Placed{.task = id_of<TaskId>(json["task"]),
                .job = id_of<JobId>(json["job"]),
                .user = id_of<UserId>(json["user"]),
                .server = id_of<ServerId>(json["server"])};
}

std::optional<Outcome> outcome_of(const JsonReader& json, const std::variant<Event, StepAsked>& what) {
  if (const auto placed = json.find("placed")) return placed_of(*placed);
  if (const auto lost = json.find("lost")) return lost_of(*lost);
  const auto gives = json.find("gives");
  if (!gives) return {};
  const Event& event = std::get<Event>(what);
  if (std::holds_alternative<ServerAdded>(event)) return id_of<ServerId>(*gives);
  if (std::holds_alternative<UserAdded>(event)) return id_of<UserId>(*gives);
  return id_of<JobId>(*gives);
}

std::variant<Event, StepAsked> what_of(const JsonReader& json) {
  const std::string name = json["event"].text();
  if (name == "step") {
    json.allow_only({"now", "event", "seed", "placed"});
    return StepAsked{.seed = json["seed"].integer<std::uint64_t>(0, UINT64_MAX)};
  }
  for (const Kind& kind : kEvents) {
    if (kind.name == name) return kind.read(json);
  }
  json["event"].refuse("there is no event '" + name + "'");
  return {};
}

}  // namespace

Json json_of(const LogEntry& entry) {
  Json json;
  if (const auto* const step = std::get_if<StepAsked>(&entry.what)) {
    json = {{"event", "step"}, {"seed", step->seed}};
  } else {
    const Event& event = std::get<Event>(entry.what);
    json = std::visit(Write{}, event);
    json["event"] = kEvents[event.index()].name;
  }
  json["now"] = entry.now.time_since_epoch().count();
  if (entry.outcome) add_outcome(json, *entry.outcome);
  return json;
}

LogEntry entry_of(const JsonReader& json) {
  LogEntry entry{.now = Time(Duration(json["now"].integer<std::int64_t>(INT64_MIN, INT64_MAX))),
                 .what = what_of(json)};
  if (!json.failed()) entry.outcome = outcome_of(json, entry.what);
  return entry;
}

}  // namespace mirab::scheduling
