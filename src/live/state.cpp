// The state of a live cluster: what is known by name, and how a command is carried out and recorded.
#include "live/state.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "live/views.hpp"

namespace mirab::live {

using scheduling::Outcome;

std::string text_of(TaskKey key) {
  return key.epoch == 0 ? fmt::format("t-{}", key.number) : fmt::format("t{}-{}", key.epoch, key.number);
}

std::optional<TaskKey> task_key_of(std::string_view text) {
  if (text.empty() || text[0] != 't') return {};
  TaskKey key;
  const char* const end = text.data() + text.size();
  const char* at = text.data() + 1;
  if (at != end && *at != '-') {
    const auto read = std::from_chars(at, end, key.epoch);
    if (read.ec != std::errc()) return {};
    at = read.ptr;
  }
  if (at == end || *at != '-') return {};
  const auto read = std::from_chars(at + 1, end, key.number);
  if (read.ec != std::errc() || read.ptr != end || text_of(key) != text) return {};
  return key;
}

std::string_view word_of(JobState state) {
  constexpr std::string_view kStates[] = {"waiting", "running", "succeeded", "failed", "cancelled"};
  return kStates[static_cast<std::size_t>(state)];
}

RoleNumber Job::role_of(std::int64_t inside) const {
  const auto found =
      std::find_if(roles.begin(), roles.end(), [&](const JobRole& role) { return role.inside == inside; });
  MIRAB_ASSERT(found != roles.end(), "the engine has a role that the job lacks");
  return static_cast<RoleNumber>(found - roles.begin());
}

std::vector<JobRole> roles_of(const JobContent& content) {
  std::vector<JobRole> roles;
  for (const scheduling::JobSubmitted& terms : terms_by_role(content.terms)) {
    const std::size_t k = roles.size();
    roles.push_back({.name = content.role_names.empty() ? "" : content.role_names[k],
                     .demand = terms.demand,
                     .inside = static_cast<std::int64_t>(k)});
  }
  return roles;
}

Result<Settings> make_settings(const std::vector<std::string>& resources, std::string_view discipline,
                               std::string_view placement, std::uint64_t seed, std::string cluster_id) {
  std::vector<Resource> read;
  for (const std::string& text : resources) {
    Result<Resource> resource = parse_resource(text);
    if (!resource) return resource.error();
    read.push_back(*std::move(resource));
  }
  Result<Choice> served = choose_discipline(discipline);
  if (!served) return served.error();
  Result<Choice> placed = choose_placement(placement);
  if (!placed) return placed.error();
  return Settings{
      .units = Units(std::move(read)),
      .options = {.resources = {}, .discipline = *std::move(served), .placement = *std::move(placed)},
      .seed = seed,
      .cluster_id = std::move(cluster_id)};
}

Result<State> State::from(Settings settings) {
  settings.options.resources = settings.units.names();
  settings.options.oversized = scheduling::Oversized::wait;
  Result<Engine> engine = Engine::from(settings.options);
  if (!engine) return engine.error();
  return State(std::move(settings), *std::move(engine));
}

State State::copy() const {
  State other(settings, engine.copy());
  other.tenants = tenants;
  other.groups = groups;
  other.queues = queues;
  other.servers = servers;
  other.tokens = tokens;
  other.sets = sets;
  other.common_set = common_set;
  other.other_wishes = other_wishes;
  other.for_gangs = for_gangs;
  other.last = last;
  other.walls = walls;
  other.committed = committed;
  other.policy_changed = policy_changed;
  other.wants_steps = wants_steps;
  other.clock_ = clock_;
  other.epoch_ = epoch_;
  other.adopted_ = adopted_;
  other.adopted_ids_ = adopted_ids_;
  other.index_jobs();
  other.queue_names_ = queue_names_;
  other.server_names_ = server_names_;
  other.ended_jobs_ = ended_jobs_;
  other.past_order_ = past_order_;
  other.started_ = started_;
  return other;
}

void Queue::note_waiting(const Job& job) {
  WaitingJob entry{.priority = job.priority, .created_at = job.created_at, .name = job.name};
  if (job.waiting > 0) {
    if (waiting_jobs.insert(std::move(entry)).second) waiting_since.insert(job.created_at);
  } else if (waiting_jobs.erase(entry) > 0) {
    waiting_since.erase(waiting_since.find(job.created_at));
  }
}

void State::index_jobs() {
  jobs_.clear();
  past_places_.clear();
  for (auto& [name, queue] : queues) {
    for (auto& [job_name, job] : queue.jobs) {
      if (job.id) jobs_[*job.id] = &job;
      for (auto past = job.past.cbegin(); past != job.past.cend(); ++past)
        past_places_[past->task] = {.job = &job, .at = past};
    }
  }
}

void State::index() {
  index_jobs();
  queue_names_.clear();
  server_names_.clear();
  started_.clear();
  for (const auto& [name, server] : servers) {
    if (server.id) server_names_[*server.id] = name;
  }
  for (auto& [name, queue] : queues) {
    queue_names_[queue.id] = name;
    queue.waiting_jobs.clear();
    queue.waiting_since.clear();
    for (const auto& [job_name, job] : queue.jobs) {
      queue.note_waiting(job);
      if (job.id)
        engine.for_each_task(*job.id, [&](const auto& task) { note_start(key_of(task.task), task.started); });
    }
  }
}

// What is known.

namespace {

template <class Map, class Key>
auto found_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

const Tenant* State::tenant(const std::string& name) const { return found_in(tenants, name); }
const Group* State::group(const std::string& name) const { return found_in(groups, name); }
const Queue* State::queue(const std::string& name) const { return found_in(queues, name); }
const Server* State::server(const std::string& name) const { return found_in(servers, name); }
const Token* State::token(const std::string& name) const { return found_in(tokens, name); }

bool State::is_forgotten(const Job& job) const {
  return job.ended && *job.ended + settings.keep_ended <= std::max(clock_, last.now);
}

const Job* State::job(const std::string& queue, const std::string& name) const {
  const Queue* const row = this->queue(queue);
  if (row == nullptr) return nullptr;
  const Job* const found = found_in(row->jobs, name);
  return found == nullptr || is_forgotten(*found) ? nullptr : found;
}

const Job* State::job(JobId id) const {
  Job* const* const found = found_in(jobs_, id);
  return found == nullptr ? nullptr : *found;
}

Job& State::job_of(JobId id) { return *jobs_.at(id); }

const std::string& State::name_of(ServerId id) const { return server_names_.at(id); }
const std::string& State::name_of(UserId id) const { return queue_names_.at(id); }

GroupId State::group_id(const std::string& name) const {
  return name.empty() ? scheduling::kCluster : groups.at(name).id;
}

TaskKey State::key_of(TaskId task) const {
  if (const auto found = adopted_.find(task); found != adopted_.end()) return found->second;
  return {.epoch = epoch_, .number = static_cast<std::uint64_t>(task)};
}

State::TaskView State::view_of(const Engine::TaskState& task) const {
  const Job* const of = job(task.job);
  TaskView view{.key = key_of(task.task),
                .job = of,
                .role = of->role_of(task.role),
                .server = name_of(task.server),
                .started = task.started,
                .tries = {}};
  if (const auto found = of->tries.find(view.key); found != of->tries.end()) view.tries = found->second;
  view.has_begun = of->begun.contains(view.key);
  return view;
}

State::TaskView State::view_of(const Job& job, const Past& past) const {
  return {.key = past.task,
          .job = &job,
          .role = past.role,
          .server = past.server,
          .started = past.started,
          .tries = {.attempt = past.attempt},
          .past = &past};
}

std::optional<TaskId> State::id_of(TaskKey key) const {
  if (const auto found = adopted_ids_.find(key); found != adopted_ids_.end()) return found->second;
  if (key.epoch == epoch_ && !adopted_.contains(TaskId{key.number})) return TaskId{key.number};
  return {};
}

std::optional<State::TaskView> State::task(TaskKey key) const {
  if (const auto id = id_of(key)) {
    if (const auto running = engine.task(*id)) return view_of(*running);
  }
  const auto past = past_places_.find(key);
  if (past == past_places_.end() || is_forgotten(*past->second.job)) return {};
  return view_of(*past->second.job, *past->second.at);
}

std::list<Past>::const_iterator State::past_behind(const Job& job, TaskKey key) const {
  const auto found = past_places_.find(key);
  const bool is_there = found != past_places_.end() && found->second.job == &job;
  return is_there ? std::next(found->second.at) : job.past.begin();
}

void State::stand_at(const Stamp& stamp) {
  last = stamp;
  walls.note({.now = stamp.now, .wall = stamp.wall});
}

// How commands are carried out.

Problem refused(const Error& error, const std::string& type) {
  std::string key = error.key.empty() ? "" : "/" + error.key;
  std::replace(key.begin(), key.end(), '.', '/');
  const bool of_weight = error.key.find("weight") != std::string::npos;
  return unprocessable(of_weight ? "bad-weight" : type, key, error.message);
}

Record State::record_of(const Command& command, const Stamp& stamp) const {
  Record record{.stamp = stamp,
                .by = command.caller.by,
                .from = command.caller.from,
                .what = std::string(word_of(command.what)),
                .body = normal_form(command.content, settings.units)};
  const std::string kind = record.what.substr(0, record.what.find('-'));
  if (kind == "job") {
    record.target = {{"queue", command.target.queue}, {"name", command.target.name}};
  } else if (kind == "outcome") {
    record.target = {{"task", command.target.name}};
  } else if (kind != "policy") {
    record.target = {{kind, command.target.name}};
  }
  if (command.failed) record.target["failed"] = true;
  return record;
}

Decided State::apply(const Command& command, Stamp stamp) {
  stamp.now = std::max(stamp.now, last.now);
  clock_ = std::max(clock_, stamp.now);
  Record record = record_of(command, stamp);
  switch (command.what) {
    case Do::server_put:
      return put_server(command, std::move(record));
    case Do::server_delete:
      return delete_server(command, std::move(record));
    case Do::server_silent:
    case Do::server_back:
      return silence_server(command, std::move(record));
    case Do::server_lost:
      return lose_server(command, std::move(record));
    case Do::tenant_put:
      return put_tenant(command, std::move(record));
    case Do::tenant_delete:
      return delete_tenant(command, std::move(record));
    case Do::group_put:
      return put_group(command, std::move(record));
    case Do::group_delete:
      return delete_group(command, std::move(record));
    case Do::queue_put:
      return put_queue(command, std::move(record));
    case Do::queue_delete:
      return delete_queue(command, std::move(record));
    case Do::token_put:
      return put_token(command, std::move(record));
    case Do::token_delete:
      return delete_token(command, std::move(record));
    case Do::policy_put:
      return put_policy(command, std::move(record));
    case Do::job_put:
      return put_job(command, std::move(record));
    case Do::job_cancel:
      return cancel_job(command, std::move(record));
    case Do::outcome_put:
      return put_outcome(command, std::move(record));
  }
  return refuse(not_found());
}

Decided State::refuse(const Problem& problem) const { return {.answer = answer_of(problem, last.revision)}; }

Decided State::unchanged(Json body, Revision etag) const {
  body["revision"] = etag;
  return {
      .answer = {.status = 200, .body = std::move(body), .revision = last.revision, .etag = etag_of(etag)}};
}

Decided State::finish(Record record, int status, Json body, Revision etag) {
  stand_at(record.stamp);
  body["revision"] = etag;
  Answer answer{
      .status = status, .body = std::move(body), .revision = record.stamp.revision, .etag = etag_of(etag)};
  return {.answer = std::move(answer), .record = std::move(record)};
}

std::optional<Problem> State::conditions_of(const Command& command, const Revision* present) const {
  if (present == nullptr && !command.by_service) {
    const std::string_view word = word_of(command.what);
    if (auto bad = check_new_name(command.target.name, word.substr(0, word.find('-')), "/name")) return bad;
  }
  const Conditions& conditions = command.conditions;
  if (conditions.if_none_match_any && present != nullptr) return changed("there is one already");
  if (conditions.if_match.empty()) return {};
  if (present == nullptr) return changed("there is none");
  if (conditions.if_match != "*" && conditions.if_match != etag_of(*present))
    return changed(fmt::format("it is now at {}", etag_of(*present)));
  return {};
}

Result<Outcome> State::tell(Record& record, const scheduling::Event& event) {
  Result<Outcome> outcome = scheduling::apply(engine, event, record.stamp.now);
  if (!outcome) return outcome;
  record.engine.push_back(engine_line({.now = record.stamp.now, .what = event, .outcome = *outcome}));
  wants_steps = true;
  return outcome;
}

Outcome State::must(Record& record, const scheduling::Event& event) {
  const Result<Outcome> outcome = tell(record, event);
  MIRAB_ASSERT(static_cast<bool>(outcome), "the engine refuses an event that was checked");
  return *outcome;
}

Check State::tell_all(Record& record, const std::vector<scheduling::Event>& events) {
  if (events.size() > 1) {  // several: first on a copy
    Engine trial = engine.copy();
    for (const scheduling::Event& event : events) {
      const Result<Outcome> outcome = scheduling::apply(trial, event, record.stamp.now);
      if (!outcome) return outcome.error();
    }
  }
  for (const scheduling::Event& event : events) {
    if (const Result<Outcome> outcome = tell(record, event); !outcome) return outcome.error();
  }
  return {};
}

void State::add_event(Record& record, Event event) const { record.events.push_back(std::move(event)); }

Event State::event_of_job(std::string kind, const Job& job) const {
  return {.kind = std::move(kind),
          .tenant = queues.at(job.queue).content.tenant,
          .queue = job.queue,
          .job = job.label()};
}

Event State::event_of_task(std::string kind, const Job& job, TaskKey task, RoleNumber role,
                           const std::string& server) const {
  Event event = event_of_job(std::move(kind), job);
  event.task = text_of(task);
  event.role = job.roles[role].name;
  event.server = server;
  return event;
}

// Jobs that ended keep their names for a while.

void State::forget(const Job& job) {
  for (const Past& past : job.past) {
    past_places_.erase(past.task);
  }
}

void State::forget_ended() {
  while (!ended_jobs_.empty()) {
    const EndedJob& first = ended_jobs_.front();
    if (first.ended + settings.keep_ended > clock_) return;
    if (Queue* const queue = found_in(queues, first.queue)) {
      const auto job = queue->jobs.find(first.name);
      if (job != queue->jobs.end() && job->second.created == first.created) {
        forget(job->second);
        queue->jobs.erase(job);
      }
    }
    ended_jobs_.pop_front();
  }
}

void State::forget_rows() {
  touched_.clear();
  uses_.clear();
}

std::string State::broken_invariant() const {
  if (std::string broken = engine.broken_invariant(); !broken.empty()) return broken;
  std::map<std::string, Tenant> sums;
  std::size_t known = 0;
  for (const auto& [name, queue] : queues) {
    std::int64_t waiting = 0;
    std::int64_t running = 0;
    std::int64_t live = 0;
    std::set<WaitingJob> waiting_jobs;
    for (const auto& [job_name, job] : queue.jobs) {
      if (job.waiting > 0) waiting_jobs.insert({job.priority, job.created_at, job_name});
      waiting += job.waiting;
      running += job.running;
      live += job.id ? 1 : 0;
      known += job.id ? 1 : 0;
      if (job.id && this->job(*job.id) != &job) return job.label() + " is not found by its id";
      const auto inside = job.id ? engine.job(*job.id) : std::nullopt;
      if (inside.has_value() == (job.waiting + job.running == 0))
        return job.label() + " and the engine differ on whether it is over";
      if (inside && (inside->waiting != job.waiting || inside->running != job.running))
        return job.label() + " has other counts than the engine";
      if (job.waiting + job.running + job.succeeded + job.failed + job.cancelled != job.tasks)
        return job.label() + " has lost count of its tasks";
      if (std::cmp_greater(job.retries.size(), job.waiting)) return job.label() + " retries more than waits";
      std::int64_t of_roles_waiting = 0;
      std::int64_t of_roles_running = 0;
      for (const JobRole& role : job.roles) {
        if (role.waiting < 0 || role.running < 0) return job.label() + " has less than no task of a role";
        of_roles_waiting += role.waiting;
        of_roles_running += role.running;
      }
      if (of_roles_waiting != job.waiting || of_roles_running != job.running)
        return job.label() + " has lost count of its roles";
      for (const TaskKey& key : job.begun) {
        const auto view = task(key);
        if (!view || view->past != nullptr) return job.label() + " has begun a task that does not run";
      }
      for (const auto& [key, tries] : job.tries) {
        const auto view = task(key);
        if (!view || view->past != nullptr) return job.label() + " has tries of a task that does not run";
      }
    }
    if (waiting_jobs != queue.waiting_jobs) return "the queue " + name + " does not know which jobs wait";
    if (waiting != queue.waiting || running != queue.running || live != queue.live)
      return "the queue " + name + " has lost count";
    sums[queue.content.tenant].jobs += live;
    sums[queue.content.tenant].waiting += waiting;
  }
  for (const auto& [name, tenant] : tenants) {
    if (tenant.jobs != sums[name].jobs || tenant.waiting != sums[name].waiting)
      return "the tenant " + name + " has lost count";
  }
  if (jobs_.size() != known) return "a job that is over is found by its id";
  if (known != engine.job_count() || queues.size() != engine.user_count() ||
      groups.size() != engine.group_count())
    return "the engine knows something without a name";
  return {};
}

}  // namespace mirab::live
