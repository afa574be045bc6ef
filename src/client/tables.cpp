#include "client/tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "client/words.hpp"
#include "report/text/table.hpp"

namespace mirab::client {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string amounts_or_none(const Json& map) {
  if (!map.is_object()) return report::kNone;
  const std::string text = amounts(map);
  return text.empty() ? "nothing" : text;
}

/// What each task takes; of a job with roles `1 launcher: 1 cpu; 4 worker: 2 cpu, 1 gpu`.
std::string demand(const Json& job) {
  const Json& roles = at(job, "roles");
  if (!roles.is_array()) return amounts_or_none(at(job, "demand"));
  std::string text;
  for (const Json& role : roles)
    text += fmt::format("{}{} {}: {}", text.empty() ? "" : "; ", word(at(role, "tasks")),
                        word(at(role, "name")), amounts_or_none(at(role, "demand")));
  return text;
}

const Json& item_of(const Json& list, const std::string& key, const Json& name) {
  static const Json kNull;
  if (!list.is_array()) return kNull;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Json& each) { return at(each, key) == name; });
  return found == list.end() ? kNull : *found;
}

/// Has any of the list something under the key?
bool any_has(const Json& list, const char* key) {
  return std::any_of(list.begin(), list.end(), [&](const Json& each) { return !at(each, key).is_null(); });
}

/// `zone=a, rack=3`.
std::string labels(const Json& map) {
  std::string text;
  if (!map.is_object()) return report::kNone;
  for (const auto& [label, value] : map.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", label, word(value));
  return text.empty() ? report::kNone : text;
}

/// `open`, `drained`; `open, silent` where its executor does not answer.
std::string server_state(const Json& server) {
  return word(at(server, "state")) + (at(server, "silent") == Json(true) ? ", silent" : "");
}

std::vector<std::string> before_and_after(const Json& pair, std::string (*text)(const Json&)) {
  const bool is_pair = pair.is_array() && pair.size() == 2;
  return {text(is_pair ? pair[0] : Json()), text(is_pair ? pair[1] : Json())};
}

std::vector<std::string> joined(std::vector<std::string> row, const std::vector<std::string>& more) {
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

}  // namespace

std::string queues_table(const Json& queues, const Json& mechanism, std::size_t width) {
  if (queues.empty()) return fmt::format("{}\n", kNoQueue);
  const bool any_group = any_has(queues, "group");
  std::vector<std::string> headings = {"queue",   "weight",  "has",  "fair share",
                                       "running", "waiting", "jobs", "uses"};
  if (any_group) headings.insert(headings.begin() + 1, "group");
  Rows rows;
  for (const Json& queue : queues) {
    const Json& fair = item_of(at(mechanism, "queues"), "queue", at(queue, "name"));
    rows.push_back({word(at(queue, "name")), word(at(queue, "weight")), share(at(queue, "share")),
                    share(at(fair, "fair_share")), word(at(queue, "running")), word(at(queue, "waiting")),
                    word(at(queue, "jobs")), amounts_or_none(at(queue, "used"))});
    if (any_group) rows.back().insert(rows.back().begin() + 1, word(at(queue, "group")));
  }
  std::string text = report::grid(headings, rows, width);
  if (!mechanism.is_null())
    text += fmt::format("\nhas: the dominant share; fair share: by {} ({})\n",
                        word(at(mechanism, "mechanism")), word(at(mechanism, "status")));
  return text;
}

std::string groups_table(const Json& groups, std::size_t width) {
  if (groups.empty())
    return "no group that this token may see; an administrator makes one with PUT /v1/groups/NAME\n";
  std::vector<std::string> headings = {"group", "in", "weight", "has", "beyond", "running", "uses"};
  std::vector<const char*> quotas;
  for (const char* const quota : {"guarantee", "limit", "reserved", "lent"}) {
    if (!any_has(groups, quota)) continue;
    quotas.push_back(quota);
    headings.emplace_back(quota);
  }
  Rows rows;
  for (const Json& group : groups) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {word(at(group, "name")),           word(at(group, "parent")),  word(at(group, "weight")),
           share(at(group, "share")),         share(at(group, "beyond")), word(at(group, "running")),
           amounts_or_none(at(group, "used"))};
    for (const char* const quota : quotas) row.push_back(amounts_or_none(at(group, quota)));
  }
  return report::grid(headings, rows, width) +
         "\nhas: the dominant share; beyond: that of what it uses beyond its guarantee\n";
}

std::string jobs_table(const Json& jobs, std::size_t width) {
  if (jobs.empty()) return "no such job\n";
  Rows rows;
  for (const Json& job : jobs) {
    rows.push_back({word(at(job, "name")), word(at(job, "state")), word(at(job, "running")),
                    word(at(job, "waiting")), word(at(job, "succeeded")), word(at(job, "failed")),
                    word(at(job, "cancelled")), demand(job), word(at(job, "submitted"))});
  }
  return report::grid(
      {"job", "state", "running", "waiting", "succeeded", "failed", "cancelled", "each task", "submitted"},
      rows, width);
}

std::string job_text(const Json& job) {
  report::Table table{.columns = {{}, {}}, .rows = {}};
  const auto add = [&](const std::string& what, const std::string& value) {
    table.rows.push_back({{.text = what}, {.text = value}});
  };
  add("job", word(at(job, "queue")) + "/" + word(at(job, "name")));
  for (const char* const key : {"uid", "state", "tasks", "running", "waiting", "succeeded", "failed",
                                "cancelled", "submitted", "ended"}) {
    if (!at(job, key).is_null()) add(key, word(at(job, key)));
  }
  const Json& roles = at(job, "roles");
  if (!roles.is_array()) add("each task", amounts_or_none(at(job, "demand")));
  for (const Json& role : roles.is_array() ? roles : Json::array())
    add("role " + word(at(role, "name")),
        fmt::format("{} tasks of {}; {} running, {} waiting", word(at(role, "tasks")),
                    amounts_or_none(at(role, "demand")), word(at(role, "running")),
                    word(at(role, "waiting"))));
  for (const char* const key : {"gang", "per_server", "servers", "select", "spread", "pack", "priority",
                                "attempts", "labels", "spec", "note"}) {
    const Json& value = at(job, key);
    if (!value.is_null() && !(value.is_object() && value.empty())) add(key, word(value));
  }
  return report::render(table);
}

std::string job_line(const Json& job) {
  std::string text = report::printable(
      fmt::format("{}/{}: {}", word(at(job, "queue")), word(at(job, "name")), word(at(job, "state"))));
  const auto count = [&](const char* key) {
    return at(job, key).is_number_integer() ? at(job, key).get<std::int64_t>() : 0;
  };
  std::string counts;
  for (const char* const key : {"running", "waiting", "succeeded", "failed", "cancelled"}) {
    if (count(key) > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count(key), key);
  }
  text += fmt::format(" ({}; uid {})\n", counts, word(at(job, "uid")));
  return text;
}

std::string tasks_table(const Json& tasks, std::size_t width) {
  if (tasks.empty()) return "no such task\n";
  std::vector<const char*> keys = {"task", "job", "server", "state", "attempt", "started", "ended"};
  for (const char* const key : {"role", "exit_code", "reason"}) {
    if (any_has(tasks, key)) keys.push_back(key);
  }
  std::vector<std::string> headings;
  for (const std::string key : keys) headings.push_back(key == "exit_code" ? "exit code" : key);
  Rows rows;
  for (const Json& task : tasks) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const char* const key : keys) row.push_back(word(at(task, key)));
  }
  return report::grid(headings, rows, width);
}

std::string servers_table(const Json& servers, std::size_t width) {
  if (servers.empty()) return "no servers\n";
  const bool shows_use = any_has(servers, "used");
  Rows rows;
  for (const Json& server : servers) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {word(at(server, "name")), server_state(server)};
    if (shows_use)
      row = joined(std::move(row), {word(at(server, "tasks")), amounts_or_none(at(server, "used"))});
    row = joined(std::move(row), {amounts_or_none(at(server, "capacity")), labels(at(server, "labels"))});
  }
  if (shows_use) return report::grid({"server", "state", "tasks", "uses", "of", "labels"}, rows, width);
  return report::grid({"server", "state", "has", "labels"}, rows, width) +
         "\nA token of a tenant does not see what is used of a server; its own tasks: mirab servers SERVER\n";
}

std::string server_text(const Json& server) {
  report::Table table{.columns = {{}, {}}, .rows = {}};
  const auto add = [&](const std::string& what, const std::string& value) {
    table.rows.push_back({{.text = what}, {.text = value}});
  };
  add("server", word(at(server, "name")));
  add("state", server_state(server));
  for (const char* const key : {"capacity", "used", "held"}) {
    if (!at(server, key).is_null()) add(key, amounts_or_none(at(server, key)));
  }
  add("labels", labels(at(server, "labels")));
  for (const char* const key : {"tasks", "stopping"}) {
    if (!at(server, key).is_null()) add(key, word(at(server, key)));
  }
  return report::render(table);
}

std::string what_if_table(const Json& answer, std::size_t width) {
  std::string text;
  Rows rows;
  const Json& queues = at(answer, "queues");
  for (const Json& queue : queues.is_array() ? queues : Json::array())
    rows.push_back(joined(joined({word(at(queue, "queue"))}, before_and_after(at(queue, "running"), word)),
                          before_and_after(at(queue, "dominant_share"), share)));
  if (!rows.empty())
    text += report::grid({"queue", "running", "then", "dominant share", "then"}, rows, width);
  rows.clear();
  const Json& jobs = at(answer, "jobs");
  for (const Json& job : jobs.is_array() ? jobs : Json::array())
    rows.push_back(joined({word(at(job, "job"))}, before_and_after(at(job, "running"), word)));
  if (!rows.empty())
    text += (text.empty() ? "" : "\n") + report::grid({"job", "running", "then"}, rows, width);
  const bool is_settled = at(answer, "settled") == Json(true);
  const Json& budget = at(answer, "over_budget");
  const std::string later =
      budget.is_null() ? ""
      : at(budget, "free_at").is_null()
          ? "more would run if the budget of preemption were larger\n"
          : fmt::format("more would run once the budget of preemption allows it, at {}\n",
                        word(at(budget, "free_at")));
  return text +
         fmt::format("\nthen: what would run at once after the changes, while no task ends by itself{}\n",
                     is_settled ? ""
                     : at(answer, "steps").is_null()
                         ? "; cut off before the end"
                         : fmt::format("; cut off after {} steps", word(at(answer, "steps")))) +
         later;
}

std::string event_line(const Json& change, const Json& event) {
  std::string about;
  for (const char* const key : {"job", "queue", "name"}) {
    if (about.empty() && !at(event, key).is_null()) about = word(at(event, key));
  }
  std::string line = fmt::format("{}  {:>8}  {:<15}", word(at(change, "at")), word(at(change, "revision")),
                                 word(at(event, "kind")));
  if (!about.empty()) line += "  " + about;
  if (!at(event, "task").is_null()) line += "  " + word(at(event, "task"));
  if (!at(event, "role").is_null()) line += " (" + word(at(event, "role")) + ")";
  if (!at(event, "server").is_null()) line += (about.empty() ? "  " : " on ") + word(at(event, "server"));
  if (!at(event, "why").is_null()) line += fmt::format(" ({})", word(at(event, "why")));
  return report::printable(line) + "\n";
}

}  // namespace mirab::client
