// Records as lines of JSON, batches of them, and the chain of hashes that holds them together.
#include "live/records.hpp"

#include <cmath>
#include <fmt/format.h>

#include "live/content.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::live {
namespace {

struct EventMember {
  const char* name;
  std::string Event::*member;
};
constexpr EventMember kEventMembers[] = {
    {"queue", &Event::queue},   {"job", &Event::job},   {"task", &Event::task}, {"role", &Event::role},
    {"server", &Event::server}, {"name", &Event::name}, {"why", &Event::why}};

constexpr std::string_view kEventKinds[] = {
    "group-added",    "group-changed",   "group-removed",  "job-cancelled",  "job-ended",
    "job-submitted",  "policy-changed",  "queue-added",    "queue-changed",  "queue-removed",
    "server-added",   "server-back",     "server-changed", "server-drained", "server-lost",
    "server-removed", "server-reopened", "server-silent",  "task-ended",     "task-placed",
    "task-started",   "task-stopped",    "tenant-added",   "tenant-changed", "tenant-removed",
    "token-added",    "token-changed",   "token-removed"};

const char* const kTargets[] = {"server", "tenant", "group", "queue", "name", "token", "task"};

}  // namespace

std::span<const std::string_view> event_kinds() { return kEventKinds; }

Json json_of(const Event& event, bool with_tenant) {
  Json json = {{"kind", event.kind}};
  if (with_tenant && !event.tenant.empty()) json["tenant"] = event.tenant;
  for (const EventMember& each : kEventMembers) {
    if (!(event.*each.member).empty()) json[each.name] = event.*each.member;
  }
  return json;
}

Event event_of(const Json& json) {
  Event event{.kind = json.value("kind", std::string()), .tenant = json.value("tenant", std::string())};
  for (const EventMember& each : kEventMembers) event.*each.member = json.value(each.name, std::string());
  return event;
}

Json json_of(Record record) {
  Json json = {{"r", record.stamp.revision},
               {"t", record.stamp.now.time_since_epoch().count()},
               {"w", text_of(record.stamp.wall)},
               {"do", record.what}};
  if (!record.by.empty()) json["by"] = std::move(record.by);
  if (!record.from.empty()) json["from"] = std::move(record.from);
  if (record.what == "steps") json["seed"] = record.seed;
  json.update(record.target);
  if (!record.body.is_null()) json["body"] = std::move(record.body);
  if (!record.engine.empty()) json["engine"] = std::move(record.engine);
  if (record.events.empty()) return json;
  Json& events = json["events"];
  for (const Event& event : record.events) events.push_back(json_of(event, true));
  return json;
}

Result<Record> record_of(const Json& json) {
  try {
    Record record;
    record.stamp.revision = json.at("r").get<Revision>();
    record.stamp.now = Time(Duration(json.at("t").get<std::int64_t>()));
    const auto wall = wall_of(json.at("w").get_ref<const std::string&>());
    if (!wall)
      return Error{.message = "a time such as 2027-03-01T08:00:00.123Z is expected here", .key = "w"};
    record.stamp.wall = *wall;
    record.what = json.at("do").get<std::string>();
    if (record.what != "steps" && !do_of(record.what))
      return Error{.message = fmt::format("no record does '{}'", record.what), .key = "do"};
    record.by = json.value("by", std::string());
    record.from = json.value("from", std::string());
    record.seed = json.value("seed", std::uint64_t{0});
    for (const char* const name : kTargets) {
      if (const auto found = json.find(name); found != json.end())
        record.target[name] = found->get<std::string>();
    }
    if (json.contains("failed")) record.target["failed"] = json.at("failed").get<bool>();
    if (const auto found = json.find("body"); found != json.end()) record.body = *found;
    if (const auto found = json.find("engine"); found != json.end()) record.engine = *found;
    if (!record.engine.is_array()) return Error{.message = "a list is expected here", .key = "engine"};
    if (const auto found = json.find("events"); found != json.end()) {
      for (const Json& event : *found) record.events.push_back(event_of(event));
    }
    return record;
  } catch (const Json::exception& wrong) {
    return Error{.message = fmt::format("this line is no record: {}", wrong.what())};
  }
}

std::string fingerprint_of_libm() {
  std::string bytes;
  const auto add = [&](double result) {
    bytes.append(reinterpret_cast<const char*>(&result), sizeof result);
  };
  for (int n = 0; n < 16; ++n) {
    const volatile double x = 0.1 + 0.7310585786300049 * n;  // not known to the compiler
    add(std::exp(-x));
    add(std::exp2(-x));
    add(std::log(x));
    add(std::pow(x, 0.37));
  }
  return sha256(bytes);
}

std::string first_hash(const std::string& cluster_id) { return sha256("mirab log of " + cluster_id); }

std::string chain_hash(const std::string& previous, std::string_view body) {
  return sha256(previous + std::string(body));
}

Result<std::vector<Record>> records_of(std::string_view body) {
  std::vector<Record> records;
  int line = 0;
  while (!body.empty()) {
    ++line;
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) return Error{.message = "the last line has no end", .line = line};
    const Json json = Json::parse(body.substr(0, end), nullptr, false);
    if (json.is_discarded()) return Error{.message = "this line is not JSON", .line = line};
    Result<Record> record = record_of(json);
    if (!record) {
      Error error = record.error();
      error.line = line;
      return error;
    }
    records.push_back(*std::move(record));
    body.remove_prefix(end + 1);
  }
  return records;
}

Json engine_line(const scheduling::LogEntry& entry) {
  Json json = scheduling::json_of(entry);
  json.erase("now");
  json.erase("seed");
  return json;
}

}  // namespace mirab::live
