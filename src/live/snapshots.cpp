// The state as bytes, and back: CBOR, with the engine's own snapshot inside. What follows from the rest (ids
// to names, sums) is made again.
#include <fmt/format.h>

#include <mirab/scheduling/snapshot.hpp>

#include "live/cbor.hpp"
#include "live/state.hpp"
#include "live/views.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::live {
namespace {

constexpr int kSnapshotForm = 1;
constexpr const char* kWalls = "walls";
constexpr const char* kQueues = "queues";
constexpr const char* kEnded = "ended";
constexpr const char* kPast = "past";

Json kept_json(Time time) { return time.time_since_epoch().count(); }
Time time_of(const Json& json) { return Time(Duration(json.get<std::int64_t>())); }

Wall required_wall(const Json& json) {
  const auto wall = wall_of(json.get_ref<const std::string&>());
  if (!wall) throw std::runtime_error("a time is not one");
  return *wall;
}

Json kept_json(const Tries& tries) { return {tries.attempt, tries.failures}; }
Tries tries_of(const Json& json) {
  return {.attempt = json.at(0).get<std::int64_t>(), .failures = json.at(1).get<std::int64_t>()};
}

TaskKey required_key(const Json& json) {
  const auto key = task_key_of(json.get_ref<const std::string&>());
  if (!key) throw std::runtime_error("a task is not one");
  return *key;
}

Json kept_json(const Retry& retry) {
  Json json = kept_json(retry.tries);
  if (retry.role > 0) json.push_back(retry.role);
  return json;
}
Retry retry_of(const Json& json) {
  return {.tries = tries_of(json), .role = json.size() > 2 ? json.at(2).get<RoleNumber>() : 0};
}

Json kept_json(const Past& past) {
  Json json{text_of(past.task),
            past.server,
            past.attempt,
            kept_json(past.started),
            kept_json(past.ended),
            static_cast<int>(past.outcome),
            past.exit_code ? Json(*past.exit_code) : Json(),
            past.reason,
            past.usage};
  if (past.role > 0 || past.for_job) json.push_back(past.role);
  if (past.for_job) json.push_back(*past.for_job);
  return json;
}
Past past_from(const Json& json) {
  Past past{.task = required_key(json.at(0)),
            .server = json.at(1).get<std::string>(),
            .attempt = json.at(2).get<std::int64_t>(),
            .started = time_of(json.at(3)),
            .ended = time_of(json.at(4)),
            .outcome = static_cast<Ended>(json.at(5).get<int>()),
            .reason = json.at(7).get<std::string>(),
            .usage = json.at(8)};
  if (!json.at(6).is_null()) past.exit_code = json.at(6).get<std::int64_t>();
  if (json.size() > 9) past.role = json.at(9).get<RoleNumber>();
  if (json.size() > 10) past.for_job = json.at(10).get<std::string>();
  return past;
}

template <class Content>
Content content_from(Do what, const Json& json, const Units& units) {
  Parsed<live::Content> read = read_content(what, json, units, Units::Form::normal);
  if (const auto* const problem = std::get_if<Problem>(&read))
    throw std::runtime_error(fmt::format("{}: {}", problem->key, problem->detail));
  return std::get<Content>(std::get<live::Content>(std::move(read)));
}

template <class Id>
Id id_of(const Json& json) {
  return Id{json.get<std::uint64_t>()};
}

/// A key and a list, where there is anything in it.
template <class List, class OneOf>
void write_list(Cbor& to, const char* key, const List& list, const OneOf& one_of) {
  if (list.empty()) return;
  to.text(key);
  to.list(list.size());
  for (const auto& each : list) to.value(one_of(each));
}

void write(Cbor& to, const Job& job) {
  const auto there = [](bool is_there) -> std::size_t { return is_there ? 1 : 0; };
  to.map(5 + there(!job.begun.empty()) + there(job.ended.has_value()) + there(job.id.has_value()) +
         there(!job.past.empty()) + there(!job.retries.empty()) + there(job.has_roles()) +
         there(!job.tries.empty()));
  write_list(to, "begun", job.begun, [](TaskKey each) { return text_of(each); });
  to.text("changed");
  to.number(job.changed);
  to.text("counts");
  to.list(5);
  for (const std::int64_t count : {job.waiting, job.running, job.succeeded, job.failed, job.cancelled})
    to.number(count);
  to.text("created");
  to.number(job.created);
  to.text("created_at");
  to.text(text_of(job.created_at));
  if (job.ended) {
    to.text("ended");
    to.list(2);
    to.value(kept_json(*job.ended));
    to.text(text_of(job.ended_at));
  }
  to.text("form");
  to.text(job.form);
  if (job.id) {
    to.text("id");
    to.number(static_cast<std::uint64_t>(*job.id));
  }
  write_list(to, "past", job.past, [](const Past& each) { return kept_json(each); });
  write_list(to, "retries", job.retries, [](const Retry& each) { return kept_json(each); });
  if (job.has_roles())
    write_list(to, "roles", job.roles, [](const JobRole& role) {
      return Json{role.waiting, role.running, role.inside ? Json(*role.inside) : Json()};
    });
  if (!job.tries.empty()) {
    Json tries;
    for (const auto& [key, each] : job.tries) tries[text_of(key)] = kept_json(each);
    to.text("tries");
    to.value(tries);
  }
}

Job job_from(const Json& json, const std::string& queue, const std::string& name, const Units& units) {
  Job job;
  job.queue = queue;
  job.name = name;
  job.form = json.at("form").get<std::string>();
  job.sha256 = sha256(job.form);
  const auto content = content_from<JobContent>(Do::job_put, Json::parse(job.form), units);
  job.labels = content.labels;
  job.priority = priority_of(content.terms);
  job.tasks = tasks_of(content.terms);
  job.attempts = content.attempts;
  job.roles = roles_of(content);
  job.differs_on_servers = !content.terms.demand_on.empty();
  job.created = json.at("created").get<Revision>();
  job.changed = json.at("changed").get<Revision>();
  job.created_at = required_wall(json.at("created_at"));
  const Json& counts = json.at("counts");
  std::int64_t* const into[] = {&job.waiting, &job.running, &job.succeeded, &job.failed, &job.cancelled};
  for (std::size_t i = 0; i < 5; ++i) *into[i] = counts.at(i).get<std::int64_t>();
  for (RoleNumber role = 0; job.has_roles() && role < job.roles.size(); ++role) {
    const Json& kept = json.at("roles").at(role);
    job.roles[role].waiting = kept.at(0).get<std::int64_t>();
    job.roles[role].running = kept.at(1).get<std::int64_t>();
    job.roles[role].inside.reset();
    if (!kept.at(2).is_null()) job.roles[role].inside = kept.at(2).get<std::int64_t>();
  }
  if (!job.has_roles()) {
    job.roles[0].waiting = job.waiting;
    job.roles[0].running = job.running;
  }
  if (json.contains("id")) job.id = id_of<JobId>(json.at("id"));
  if (json.contains("ended")) {
    job.ended = time_of(json.at("ended").at(0));
    job.ended_at = required_wall(json.at("ended").at(1));
  }
  if (json.contains("retries")) {
    for (const Json& each : json.at("retries")) job.retries.push_back(retry_of(each));
  }
  if (json.contains("tries")) {
    for (const auto& [key, each] : json.at("tries").items()) job.tries[required_key(key)] = tries_of(each);
  }
  if (json.contains("begun")) {
    for (const Json& each : json.at("begun")) job.begun.insert(required_key(each));
  }
  if (json.contains("past")) {
    for (const Json& each : json.at("past")) job.past.push_back(past_from(each));
  }
  return job;
}

Json kept_json(const Server& server, const Units& units) {
  Json json = {{"content", normal_form(server.content, units)},
               {"changed", server.changed},
               {"drained", server.drained},
               {"silent", server.silent}};
  if (server.id) json["id"] = static_cast<std::uint64_t>(*server.id);
  for (const auto& [key, each] : server.stopping)
    json["stopping"][text_of(key)] = {each.job, each.attempt, each.why, each.demand};
  return json;
}

Server server_from(const Json& json, const Units& units) {
  Server server{.content = content_from<ServerContent>(Do::server_put, json.at("content"), units),
                .changed = json.at("changed").get<Revision>(),
                .drained = json.at("drained").get<bool>(),
                .silent = json.at("silent").get<bool>()};
  if (json.contains("id")) server.id = id_of<ServerId>(json.at("id"));
  if (json.contains("stopping")) {
    for (const auto& [key, each] : json.at("stopping").items())
      server.stopping[required_key(key)] = {.job = each.at(0).get<std::string>(),
                                            .attempt = each.at(1).get<std::int64_t>(),
                                            .why = each.at(2).get<std::string>(),
                                            .demand = each.at(3).get<Amounts>()};
  }
  return server;
}

}  // namespace

/// Knows what of the state is kept.
struct Snapshot {
  static std::string of(const State& state, const std::string& hash) {
    Cbor to;
    const Json json = without_jobs(state, hash);
    to.map(json.size());
    for (const auto& [key, value] : json.items()) {
      to.text(key);
      if (key == kQueues) {
        write_queues(to, state);
      } else if (key == kEnded) {
        write_ended(to, state);
      } else if (key == kPast) {
        to.list(state.past_order_.size());
        for (const TaskKey each : state.past_order_) to.text(text_of(each));
      } else {
        to.value(value);
      }
    }
    return to.take();
  }

  static Result<State> from(const Json& json) {
    if (json.at("mirab") != "live snapshot") return Error{.message = "this is no snapshot of a live cluster"};
    if (json.at("version") != kSnapshotForm)
      return Error{.message = fmt::format("this is form {} of a snapshot; this program reads {}",
                                          json.at("version").dump(), kSnapshotForm)};
    std::vector<Resource> resources;
    for (const Json& each : json.at("resources")) {
      Result<Resource> resource =
          parse_resource(each.at(0).get<std::string>() + ":" + each.at(1).get<std::string>());
      if (!resource) return resource.error();
      resources.push_back(*std::move(resource));
    }
    Settings settings{.units = Units(std::move(resources)),
                      .seed = json.at("seed").get<std::uint64_t>(),
                      .cluster_id = json.at("cluster_id").get<std::string>(),
                      .keep_ended = Duration(json.at("keep_ended").get<std::int64_t>())};
    std::optional<Error> wrong;
    settings.options = scheduling::options_of(scheduling::JsonReader(json.at("options"), wrong));
    if (wrong) return *std::move(wrong);
    const auto& bytes = json.at("engine").get_binary();
    Result<Engine> engine = scheduling::restore({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                                scheduling::EarlierDecisions::accepted);
    if (!engine) return engine.error();
    State state(std::move(settings), *std::move(engine));
    state.last = {.revision = json.at("revision").get<Revision>(),
                  .now = time_of(json.at("now")),
                  .wall = required_wall(json.at("wall"))};
    state.committed = state.last.revision;
    state.clock_ = state.last.now;
    state.policy_changed = json.at("policy_changed").get<Revision>();
    state.epoch_ = json.at("epoch").get<std::uint32_t>();
    state.wants_steps = json.at("wants_steps").get<bool>();
    read_tables(json, state);
    for (const Json& each : json.at("adopted"))
      state.adopted_[id_of<TaskId>(each.at(0))] = required_key(each.at(1));
    for (const auto& [id, key] : state.adopted_) state.adopted_ids_[key] = id;
    for (const Json& each : json.at(kEnded))
      state.ended_jobs_.push_back({.ended = time_of(each.at(0)),
                                   .queue = each.at(1).get<std::string>(),
                                   .name = each.at(2).get<std::string>(),
                                   .created = each.at(3).get<Revision>()});
    for (const Json& each : json.at(kPast)) state.past_order_.push_back(required_key(each));
    read_walls(json, state);
    state.index();
    if (const std::string broken = state.broken_invariant(); !broken.empty())
      return Error{.message = "no cluster can be in this state: " + broken};
    return state;
  }

 private:
  /// All but what grows with the number of jobs, for which null stands.
  static Json without_jobs(const State& state, const std::string& hash) {
    const Settings& settings = state.settings;
    const Units& units = settings.units;
    Json json = {{"mirab", "live snapshot"},
                 {"version", kSnapshotForm},
                 {"hash", hash},
                 {"cluster_id", settings.cluster_id},
                 {"seed", settings.seed},
                 {"keep_ended", settings.keep_ended.count()},
                 {"options", scheduling::json_of(settings.options)},
                 {"revision", state.last.revision},
                 {"now", kept_json(state.last.now)},
                 {"wall", text_of(state.last.wall)},
                 {"policy_changed", state.policy_changed},
                 {"epoch", state.epoch_},
                 {"wants_steps", state.wants_steps},
                 {kQueues, nullptr},
                 {kEnded, nullptr},
                 {kPast, nullptr}};
    for (const Resource& resource : units.resources())
      json["resources"].push_back({resource.name, resource.unit});
    Json& walls = json[kWalls] = Json::array();
    for (const Moment& each : state.walls.moments())
      walls.push_back({kept_json(each.now), each.wall.time_since_epoch().count()});
    const std::string engine = scheduling::snapshot(state.engine);
    json["engine"] = Json::binary({engine.begin(), engine.end()});
    for (const char* const table : {"tenants", "groups", "servers", "tokens"}) json[table] = Json::object();
    for (const auto& [name, each] : state.tenants)
      json["tenants"][name] = {normal_form(each.content, units), each.changed};
    for (const auto& [name, each] : state.groups)
      json["groups"][name] = {normal_form(each.content, units), each.changed,
                              static_cast<std::uint64_t>(each.id)};
    for (const auto& [name, each] : state.servers) json["servers"][name] = kept_json(each, units);
    for (const auto& [name, each] : state.tokens)
      json["tokens"][name] = {normal_form(each.content, units), each.changed, text_of(each.created_at)};
    Json& adopted = json["adopted"] = Json::array();
    for (const auto& [id, key] : state.adopted_)
      adopted.push_back({static_cast<std::uint64_t>(id), text_of(key)});
    return json;
  }

  static void write_queues(Cbor& to, const State& state) {
    to.map(state.queues.size());
    for (const auto& [name, queue] : state.queues) {
      to.text(name);
      to.list(4);
      to.value(normal_form(queue.content, state.settings.units));
      to.number(queue.changed);
      to.number(static_cast<std::uint64_t>(queue.id));
      to.map(queue.jobs.size());
      for (const auto& [job_name, job] : queue.jobs) {
        to.text(job_name);
        write(to, job);
      }
    }
  }

  static void write_ended(Cbor& to, const State& state) {
    to.list(state.ended_jobs_.size());
    for (const State::EndedJob& each : state.ended_jobs_) {
      to.list(4);
      to.value(kept_json(each.ended));
      to.text(each.queue);
      to.text(each.name);
      to.number(each.created);
    }
  }

  static void read_tables(const Json& json, State& state) {
    const Units& units = state.settings.units;
    for (const auto& [name, each] : json.at("tenants").items())
      state.tenants[name] = {.content = content_from<TenantContent>(Do::tenant_put, each.at(0), units),
                             .changed = each.at(1).get<Revision>()};
    for (const auto& [name, each] : json.at("groups").items())
      state.groups[name] = {.content = content_from<GroupContent>(Do::group_put, each.at(0), units),
                            .changed = each.at(1).get<Revision>(),
                            .id = id_of<GroupId>(each.at(2))};
    for (const auto& [name, each] : json.at(kQueues).items()) {
      Queue queue{.content = content_from<QueueContent>(Do::queue_put, each.at(0), units),
                  .changed = each.at(1).get<Revision>(),
                  .id = id_of<UserId>(each.at(2))};
      Tenant& tenant = state.tenants.at(queue.content.tenant);
      for (const auto& [job_name, row] : each.at(3).items()) {
        Job job = job_from(row, name, job_name, units);
        queue.live += job.id ? 1 : 0;
        queue.waiting += job.waiting;
        queue.running += job.running;
        queue.jobs[job_name] = std::move(job);
      }
      tenant.jobs += queue.live;
      tenant.waiting += queue.waiting;
      state.queues[name] = std::move(queue);
    }
    for (const auto& [name, each] : json.at("servers").items())
      state.servers[name] = server_from(each, units);
    for (const auto& [name, each] : json.at("tokens").items())
      state.tokens[name] = {.content = content_from<TokenContent>(Do::token_put, each.at(0), units),
                            .changed = each.at(1).get<Revision>(),
                            .created_at = required_wall(each.at(2))};
  }

  /// Snapshots of earlier versions do not say how the clocks stood; what they have of jobs that ended does.
  static void read_walls(const Json& json, State& state) {
    if (json.contains(kWalls)) {
      for (const Json& each : json.at(kWalls))
        state.walls.note({.now = time_of(each.at(0)),
                          .wall = Wall(std::chrono::milliseconds(each.at(1).get<std::int64_t>()))});
      return;
    }
    for (const State::EndedJob& each : state.ended_jobs_) {
      const Job* const job = state.job(each.queue, each.name);
      if (job != nullptr && job->created == each.created)
        state.walls.note({.now = each.ended, .wall = job->ended_at});
    }
    state.walls.note({.now = state.last.now, .wall = state.last.wall});
  }
};

std::string write_whole(const State& state, const std::string& hash) { return Snapshot::of(state, hash); }

Result<Whole> read_whole(std::string_view bytes) {
  const Json json = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
  if (json.is_discarded() || !json.is_object())
    return Error{.message = "this is no snapshot of a live cluster"};
  try {
    Result<State> state = Snapshot::from(json);
    if (!state) return state.error();
    return Whole{.state = *std::move(state), .hash = json.at("hash").get<std::string>()};
  } catch (const std::exception& wrong) {
    return Error{.message = fmt::format("the snapshot is damaged: {}", wrong.what())};
  }
}

bool same_state(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto without_form = [](std::string_view bytes) {
    Json json = Json::from_cbor(bytes.begin(), bytes.end());
    json.erase(kWalls);
    Json engine = Json::from_cbor(json.at("engine").get_binary());
    engine.erase("version");
    json["engine"] = std::move(engine);
    return json;
  };
  return without_form(a) == without_form(b);
}

}  // namespace mirab::live
