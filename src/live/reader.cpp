// The reader: a state that follows the durable log, and what callers may see of it.
#include "live/reader.hpp"

#include <algorithm>
#include <utility>

#include "live/decider.hpp"
#include "live/state.hpp"
#include "live/views.hpp"

namespace mirab::live {

struct Reader::Inside {
  State state;
  std::string hash;
  Others others;
  History history = {};
};

Reader::Reader(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::from(Settings settings, Others others) {
  std::string hash = first_hash(settings.cluster_id);
  Result<State> state = State::from(std::move(settings));
  if (!state) return state.error();
  return Reader(std::make_unique<Inside>(
      Inside{.state = *std::move(state), .hash = std::move(hash), .others = others}));
}

Result<Reader> Reader::restore(std::string_view bytes, Others others) {
  Result<Whole> whole = read_whole(bytes);
  if (!whole) return whole.error();
  return Reader(std::make_unique<Inside>(
      Inside{.state = std::move(whole->state), .hash = std::move(whole->hash), .others = others}));
}

Reader Reader::beside(const Decider& decider, Others others) {
  return Reader(std::make_unique<Inside>(
      Inside{.state = decider.state().copy(), .hash = decider.hash(), .others = others}));
}

Reader Reader::copy() const {
  return Reader(std::make_unique<Inside>(
      Inside{.state = inside_->state.copy(), .hash = inside_->hash, .others = inside_->others}));
}

Result<std::vector<Change>> Reader::apply(const Batch& batch, Replay how) {
  std::vector<Change> changes;
  const Check bad = replay_on(inside_->state, inside_->hash, batch, how, nullptr, [&](const Record& record) {
    changes.push_back({.revision = record.stamp.revision, .at = record.stamp.wall, .events = record.events});
  });
  if (bad) return *bad;
  inside_->state.forget_rows();
  return changes;
}

Result<std::optional<scheduling::WhyPlaced>> Reader::apply_explaining(const Batch& batch,
                                                                      const std::string& task) {
  const auto key = task_key_of(task);
  if (!key) return Error{.message = "this is no task"};
  State::Explained explained{.task = *key};
  if (const Check bad = replay_on(inside_->state, inside_->hash, batch, Replay::compared, &explained))
    return *bad;
  inside_->state.forget_rows();
  return explained.why;
}

std::vector<Row> Reader::rows(const std::string& table) const { return inside_->state.rows(table); }

Revision Reader::revision() const { return inside_->state.last.revision; }
std::string Reader::snapshot() const { return write_whole(inside_->state, inside_->hash); }
std::string Reader::broken_invariant() const { return inside_->state.broken_invariant(); }

Answer Reader::explain_placed(const std::string& task, const scheduling::WhyPlaced& why,
                              const Caller& caller) const {
  return explain_task({.state = inside_->state, .caller = caller, .others = inside_->others}, task, why);
}

Answer Reader::usage(const UsageAsked& asked, Uses ended, const Moment& present, const Caller& caller) const {
  return usage_of({.state = inside_->state, .caller = caller, .others = inside_->others}, asked,
                  std::move(ended), present);
}

History& Reader::history() { return inside_->history; }

Sample Reader::sample() const { return sample_of(inside_->state); }
Gauges Reader::gauges(Wall now) const { return gauges_of(inside_->state, now); }

Sample sample_of(const State& state) {
  Sample sample;
  sample.queues.reserve(state.queues.size());
  for (const auto& [name, queue] : state.queues)
    sample.queues.push_back({.queue = name,
                             .tenant = queue.content.tenant,
                             .share = use_of(state, queue).share,
                             .running = queue.running,
                             .waiting = queue.waiting});
  const auto used = state.engine.used();
  for (std::size_t r = 0; r < used.size(); ++r)
    sample.used.emplace_back(state.settings.units.resources()[r].name, used[r]);
  return sample;
}

Gauges gauges_of(const State& state, Wall now) {
  std::vector<const std::pair<const std::string, Queue>*> queues;
  for (const auto& each : state.queues) queues.push_back(&each);
  std::sort(queues.begin(), queues.end(),
            [](const auto* a, const auto* b) { return a->second.id < b->second.id; });
  Gauges gauges;
  for (const auto* each : queues) {
    const Queue& queue = each->second;
    const Wall oldest = queue.waiting_since.empty() ? now : std::min(now, *queue.waiting_since.begin());
    gauges.queues.push_back({.queue = each->first,
                             .waiting = queue.waiting,
                             .running = queue.running,
                             .share = use_of(state, queue).share,
                             .oldest_wait_s = std::chrono::duration<double>(now - oldest).count()});
  }
  const auto pool = state.engine.pool();
  const auto used = state.engine.used();
  for (std::size_t r = 0; r < used.size(); ++r)
    gauges.used.emplace_back(
        state.settings.units.resources()[r].name,
        pool[r] == 0 ? 0.0 : static_cast<double>(used[r]) / static_cast<double>(pool[r]));
  return gauges;
}

// What a caller may see.

const Queue* Reading::queue(const std::string& name) const {
  const Queue* const found = state.queue(name);
  return found != nullptr && (owns(*found) || others == Others::all) ? found : nullptr;
}

const Job* Reading::job(const std::string& queue_name, const std::string& name) const {
  return queue(queue_name) == nullptr ? nullptr : state.job(queue_name, name);
}

Json Reading::cluster() const {
  const Json all = cluster_json(state);
  if (sees_all() || others == Others::all) return all;
  Json json = {{"id", all["id"]}, {"policy", all["policy"]}, {"resources", all["resources"]}};
  for (const char* const total : {"capacity", "capacity_base", "servers", "drained"})
    json["totals"][total] = all["totals"][total];
  return json;
}

Json Reading::server(const std::string& name, const Server& server) const {
  const bool sees_use = sees_all() || others == Others::all || caller.server == name;
  return sees_use ? server_json(state, name, server) : open_server_json(state, name, server);
}

Json Reading::queue_view(const std::string& name, const Queue& queue) const {
  if (owns(queue) || others == Others::all) return queue_json(state, name, queue);
  if (others == Others::nothing) return {};
  return {
      {"name", name}, {"weight", queue.content.quota.weight.text()}, {"share", use_of(state, queue).share}};
}

Json Reading::group(const std::string& name, const Group& group, bool is_above_own) const {
  if (sees_all() || others == Others::all) return group_json(state, name, group);
  if (!is_above_own) return {};
  Json json = {{"name", name}, {"weight", group.content.quota.weight.text()}};
  if (!group.content.parent.empty()) json["parent"] = group.content.parent;
  if (others == Others::shares) json["share"] = state.engine.group(group.id)->share;
  return json;
}

std::set<std::string> Reading::groups_above_own() const {
  std::set<std::string> above;
  if (sees_all()) return above;
  for (const auto& [name, queue] : state.queues) {
    if (!owns(queue)) continue;
    for (std::string group = queue.content.group; !group.empty() && above.insert(group).second;)
      group = state.groups.at(group).content.parent;
  }
  return above;
}

Answer Reading::found(Json body, Revision changed) const {
  body["revision"] = changed;
  return {.status = 200, .body = std::move(body), .revision = state.last.revision, .etag = etag_of(changed)};
}

// Questions.

namespace {

/// An answer about one thing for which this number of rows was looked at.
Answer after_rows(std::size_t rows, Answer answer) {
  answer.looks = static_cast<std::int64_t>(1 + rows / kRowsOfLook);
  return answer;
}

Answer one(const Reading& reading, const Query& query) {
  const State& state = reading.state;
  const auto none = [&] { return reading.refuse(not_found()); };
  switch (query.what) {
    case Ask::cluster:
      return after_rows(state.queues.size() + state.servers.size(),
                        reading.found(reading.cluster(), state.last.revision));
    case Ask::server: {
      const Server* const server = state.server(query.name);
      if (server == nullptr) return none();
      Json body = reading.server(query.name, *server);
      const auto tasks = body.value("tasks", std::size_t{0});
      return after_rows(tasks, reading.found(std::move(body), server->changed));
    }
    case Ask::tenant: {
      const Tenant* const tenant = state.tenant(query.name);
      if (tenant == nullptr || !reading.sees_all()) return none();
      return reading.found(tenant_json(state, query.name, *tenant), tenant->changed);
    }
    case Ask::group: {
      const Group* const group = state.group(query.name);
      const Json body = group == nullptr ? Json()
                                         : reading.group(query.name, *group,
                                                         reading.groups_above_own().contains(query.name));
      return after_rows(state.queues.size(), body.is_null() ? none() : reading.found(body, group->changed));
    }
    case Ask::queue: {
      const Queue* const queue = state.queue(query.name);
      const Json body = queue == nullptr ? Json() : reading.queue_view(query.name, *queue);
      return body.is_null() ? none() : reading.found(body, queue->changed);
    }
    case Ask::token: {
      const Token* const token = state.token(query.name);
      if (token == nullptr || !reading.sees_all()) return none();
      return reading.found(token_json(query.name, *token), token->changed);
    }
    case Ask::job: {
      const Job* const job = reading.job(query.queue, query.name);
      return job == nullptr ? none() : reading.found(job_json(state, *job), job->changed);
    }
    default: {
      const auto key = task_key_of(query.name);
      const auto task = key ? state.task(*key) : std::nullopt;
      if (!task || reading.queue(task->job->queue) == nullptr) return none();
      return reading.found(task_json(state, *task), task->job->changed);
    }
  }
}

Answer answer_of_state(const Reading& reading, const Query& query) {
  switch (query.what) {
    case Ask::tenants:
    case Ask::tokens:
      return reading.sees_all() ? list_of(reading, query) : reading.refuse(not_found());
    case Ask::servers:
    case Ask::groups:
    case Ask::queues:
    case Ask::jobs:
    case Ask::tasks:
      return list_of(reading, query);
    case Ask::assignments:
      return assignments_of(reading, query);
    case Ask::explain:
      return after_rows(reading.state.queues.size() + reading.state.servers.size(),
                        explain_job(reading, query));
    case Ask::what_if:
      return what_if(reading, query);
    case Ask::policy_dry_run:
      return policy_dry_run(reading, query);
    case Ask::shares:
      return shares_of(reading, query);
    case Ask::mechanisms:
    case Ask::mechanism:
      return mechanisms_of(reading, query);
    default:
      return one(reading, query);
  }
}

}  // namespace

Answer answer_to(const Reading& reading, const History& history, const Query& query) {
  Answer answer =
      query.what == Ask::history ? history_of(reading, history, query) : answer_of_state(reading, query);
  const std::size_t bytes = bytes_of(answer.body);  // made also where it is not sent
  // The tags of these guard what was put; what is in use there changes without them.
  const bool moves = query.what == Ask::server || query.what == Ask::queue || query.what == Ask::group;
  if (!moves && !query.if_none_match.empty() && query.if_none_match == answer.etag) {
    answer.status = 304;
    answer.body = {};
  }
  answer.looks += static_cast<std::int64_t>(bytes / kBytesOfLook);
  return answer;
}

Answer Reader::get(const Query& query, const Caller& caller) const {
  return answer_to({.state = inside_->state, .caller = caller, .others = inside_->others}, inside_->history,
                   query);
}

}  // namespace mirab::live
