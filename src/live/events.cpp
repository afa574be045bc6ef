// What watchers and auditors see of the log.
#include <algorithm>

#include "live/reader.hpp"

namespace mirab::live {
namespace {

bool wanted(const Event& event, const EventFilter& filter) {
  const auto fits = [](const std::string& asked, const std::string& has) {
    return asked.empty() || asked == has;
  };
  if (!filter.kinds.empty() &&
      std::find(filter.kinds.begin(), filter.kinds.end(), event.kind) == filter.kinds.end())
    return false;
  return fits(filter.queue, event.queue) && fits(filter.job, event.job) && fits(filter.server, event.server);
}

/// Of a tenant: its own, and of the cluster what everybody may know.
std::optional<Event> shown(const Event& event, const Caller& caller, Others others) {
  const bool is_of_token = event.kind.starts_with("token-");
  if (caller.tenant.empty()) return event;
  if (is_of_token) return {};
  if (event.tenant == caller.tenant || others == Others::all) return event;
  if (!event.tenant.empty()) return {};
  if (event.kind.starts_with("server-")) return Event{.kind = event.kind, .server = event.server};
  if (event.kind == "policy-changed") return Event{.kind = event.kind, .why = event.why};
  return {};
}

}  // namespace

Parsed<std::string> job_asked(const std::string& queue, const std::string& job) {
  if (job.empty() || job.find('/') != std::string::npos) return job;
  if (queue.empty())
    return bad_request("/job", "a job is QUEUE/NAME here, or its name where the queue is given too");
  return queue + "/" + job;
}

std::optional<std::string> message_of(const Change& change, const EventFilter& filter, const Caller& caller,
                                      Others others) {
  Json events = Json::array();
  for (const Event& event : change.events) {
    if (!wanted(event, filter)) continue;
    if (const auto seen = shown(event, caller, others)) events.push_back(json_of(*seen, false));
  }
  if (events.empty()) return {};
  return Json{{"revision", change.revision}, {"at", text_of(change.at)}, {"events", std::move(events)}}
      .dump();
}

Result<std::vector<Change>> changes_of(const Batch& batch) {
  Result<std::vector<Record>> records = records_of(batch.body);
  if (!records) return records.error();
  std::vector<Change> changes;
  for (Record& record : *records)
    changes.push_back(
        {.revision = record.stamp.revision, .at = record.stamp.wall, .events = std::move(record.events)});
  return changes;
}

std::optional<Json> audit_of(const Record& record) {
  if (record.what == "steps") return {};
  Json json = {{"revision", record.stamp.revision},
               {"at", text_of(record.stamp.wall)},
               {"by", record.by},
               {"from", record.from},
               {"do", record.what}};
  json.update(record.target);
  return json;
}

}  // namespace mirab::live
