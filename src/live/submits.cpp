// Commands about jobs, and what becomes of tasks: outcomes, attempts, and what is still to stop on a machine.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "live/state.hpp"
#include "live/views.hpp"

namespace mirab::live {
namespace {

constexpr std::int64_t kMostQueuedJobs = 10'000;
constexpr std::int64_t kMostWaitingTasks = 1'000'000;
constexpr std::size_t kMostPast = 200'000;  // tasks that are over and still known one by one

std::int64_t limit_of(const Tenant& tenant, const std::string& limit, std::int64_t fallback) {
  const auto found = tenant.content.limits.find(limit);
  return found == tenant.content.limits.end() ? fallback : found->second;
}

/// The keys in which two normal forms differ.
Json differing(const std::string& present, const std::string& other) {
  const Json a = Json::parse(present);
  const Json b = Json::parse(other);
  Json keys = Json::array();
  for (const auto& [key, value] : a.items()) {
    const auto found = b.find(key);
    if (found == b.end() || *found != value) keys.push_back(key);
  }
  for (const auto& [key, value] : b.items()) {
    if (!a.contains(key)) keys.push_back(key);
  }
  return keys;
}

bool may_use(const Command& command, const Queue& queue) {
  return command.by_service || command.caller.tenant.empty() || command.caller.tenant == queue.content.tenant;
}

}  // namespace

Decided State::put_job(const Command& command, Record record) {
  const auto& [name, queue_name] = command.target;
  const auto queue = queues.find(queue_name);
  if (queue == queues.end() || !may_use(command, queue->second)) return refuse(not_found());
  if (const Job* const present = this->job(queue_name, name)) {
    if (auto bad = conditions_of(command, &present->changed)) return refuse(*bad);
    if (present->sha256 != command.sha256) {
      Problem taken = conflict("name-taken", "there is a job of this name with other content");
      taken.more["differs"] = differing(present->form, command.form);
      return refuse(taken);
    }
    Json body = job_json(*this, *present);
    const bool on_its_way = present->created > committed;
    if (!on_its_way) body["replayed"] = true;
    Decided again = unchanged(std::move(body), present->changed);
    if (on_its_way) again.answer.status = 201;
    return again;
  }
  if (auto bad = conditions_of(command, nullptr)) return refuse(*bad);
  const auto& content = std::get<JobContent>(command.content);
  Tenant& tenant = tenants.at(queue->second.content.tenant);
  const Scopes& scopes = command.caller.scopes;
  if (!command.by_service && !scopes.admin && !scopes.operates) {
    const std::int64_t jobs = limit_of(tenant, "queued_jobs", kMostQueuedJobs);
    const std::int64_t tasks = limit_of(tenant, "waiting_tasks", kMostWaitingTasks);
    if (tenant.jobs >= jobs)
      return refuse(too_many(
          "too-many-jobs",
          fmt::format("the tenant has {} jobs; at most {} may wait or run. Submit again when some have "
                      "ended, cancel some, or ask an administrator for a higher limit `queued_jobs`",
                      tenant.jobs, jobs)));
    if (tasks_of(content.terms) > tasks)  // no wait would help
      return refuse(unprocessable(
          "over-limit", "/tasks",
          fmt::format("this job has {} tasks; at most {} of the tenant may wait. Make several jobs of it, or "
                      "ask an administrator for a higher limit `waiting_tasks`",
                      tasks_of(content.terms), tasks)));
    if (tenant.waiting > tasks - tasks_of(content.terms))
      return refuse(too_many(
          "too-many-waiting",
          fmt::format("{} tasks of the tenant wait; at most {} may, and this job has {}. Submit again "
                      "when some run, cancel jobs that wait, or ask an administrator for a higher "
                      "limit `waiting_tasks`",
                      tenant.waiting, tasks, tasks_of(content.terms))));
  }
  scheduling::JobSubmitted terms = content.terms;
  terms.user = queue->second.id;
  terms.within = common_set;
  const Result<scheduling::Outcome> outcome = tell(record, terms);
  if (!outcome) {
    std::string key = outcome.error().key.empty() ? "" : "/" + outcome.error().key;
    std::replace(key.begin(), key.end(), '.', '/');
    return refuse(unprocessable("never-fits", key, outcome.error().message));
  }
  forget_ended();
  Job& job = queue->second.jobs[name];
  job = {.queue = queue_name,
         .name = name,
         .form = command.form,
         .sha256 = command.sha256,
         .labels = content.labels,
         .created = record.stamp.revision,
         .changed = record.stamp.revision,
         .created_at = record.stamp.wall,
         .priority = priority_of(terms),
         .tasks = tasks_of(terms),
         .attempts = content.attempts,
         .roles = roles_of(content),
         .differs_on_servers = !terms.demand_on.empty(),
         .id = std::get<JobId>(*outcome),
         .within = terms.within};
  jobs_[*job.id] = &job;
  ++queue->second.live;
  ++tenant.jobs;
  const std::vector<scheduling::JobSubmitted> by_role = terms_by_role(terms);
  for (RoleNumber role = 0; role < by_role.size(); ++role) count(job, role, record, by_role[role].tasks, 0);
  add_event(record, event_of_job("job-submitted", job));
  Json body;
  if (command.wants_answer) {
    body = job_json(*this, job, record.body);
    if (!may_hold(*this, terms, Holds::task)) body["note"] = "no present server can hold a task";
  }
  return finish(std::move(record), 201, std::move(body), job.changed);
}

Decided State::cancel_job(const Command& command, Record record) {
  const auto& [name, queue_name] = command.target;
  const Queue* const queue = this->queue(queue_name);
  const Job* const found =
      queue == nullptr || !may_use(command, *queue) ? nullptr : this->job(queue_name, name);
  if (found == nullptr) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->changed)) return refuse(*bad);
  if (!found->id) return unchanged(job_json(*this, *found), found->changed);
  std::vector<Engine::TaskState> tasks;
  engine.for_each_task(*found->id, [&](const auto& task) { tasks.push_back(task); });
  must(record, scheduling::JobCancelled{*found->id});
  forget_ended();
  Job& job = queues.at(queue_name).jobs.at(name);
  add_event(record, event_of_job("job-cancelled", job));
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    const Past past = past_of(*task, Ended::cancelled);
    stop_on(past.server, job, past, "cancelled");
    end_task(job, record, past);
    ++job.cancelled;
  }
  job.cancelled += job.waiting;
  job.retries.clear();
  for (RoleNumber role = 0; role < job.roles.size(); ++role)
    count(job, role, record, -job.roles[role].waiting, 0);
  end_if_over(job, record);
  Json body = command.wants_answer ? job_json(*this, job) : Json();
  return finish(std::move(record), 200, std::move(body), job.changed);
}

Decided State::put_outcome(const Command& command, Record record) {
  const auto key = task_key_of(command.target.name);
  const auto view = key ? task(*key) : std::nullopt;
  const Scopes& scopes = command.caller.scopes;
  const bool any = command.by_service || scopes.admin || scopes.operates;
  if (!view || (!any && view->server != command.caller.server)) return refuse(not_found());
  const auto& content = std::get<OutcomeContent>(command.content);
  if (!content.outcome) return put_begun(command, std::move(record), *view);
  if (view->past != nullptr) {
    const auto server = servers.find(view->server);
    const bool was_stopping = server != servers.end() && server->second.stopping.contains(*key);
    Json body = task_json(*this, *view);
    if (!was_stopping && view->past->outcome == *content.outcome) {
      body["replayed"] = true;
    } else {
      body["ignored"] = "superseded";
    }
    if (!was_stopping) return unchanged(std::move(body), last.revision);
    Event stopped = event_of_task("task-stopped", *view->job, *key, view->role, view->server);
    server->second.stopping.erase(*key);
    server->second.changed = record.stamp.revision;
    forget_ended();
    add_event(record, std::move(stopped));
    const Revision revision = record.stamp.revision;
    return finish(std::move(record), 200, std::move(body), revision);
  }
  if (content.attempt && *content.attempt != view->tries.attempt) {
    Json body = task_json(*this, *view);
    body["ignored"] = "superseded";
    return unchanged(std::move(body), last.revision);
  }
  Tries tries = view->tries;
  const Ended outcome = *content.outcome;
  if (outcome == Ended::failed) ++tries.failures;
  const bool waits_again = outcome == Ended::lost || outcome == Ended::preempted ||
                           (outcome == Ended::failed && tries.failures < view->job->attempts);
  const auto found = adopted_ids_.find(*key);
  const TaskId id = found == adopted_ids_.end() ? TaskId{key->number} : found->second;
  const Engine::TaskState running = *engine.task(id);
  Past past = past_of(running, outcome);
  past.ended = record.stamp.now;
  past.exit_code = content.exit_code;
  past.reason = content.reason;
  if (!content.usage.empty()) past.usage = content.usage;
  if (waits_again) {
    must(record, scheduling::TaskFailed{id});
  } else {
    must(record, scheduling::TaskFinished{id});
  }
  forget_ended();
  Job& job = job_of(running.job);
  if (waits_again) {
    take_back(job, record, past, false);
  } else {
    end_task(job, record, past);
    std::int64_t& counted = outcome == Ended::succeeded ? job.succeeded
                            : outcome == Ended::failed  ? job.failed
                                                        : job.cancelled;
    ++counted;
    end_if_over(job, record);
  }
  stand_at(record.stamp);  // before it is shown
  const Revision revision = record.stamp.revision;
  Json body = command.wants_answer ? task_json(*this, *task(*key)) : Json();
  return finish(std::move(record), 200, std::move(body), revision);
}

/// The executor says that the task has started. Nothing is decided by it.
Decided State::put_begun(const Command& command, Record record, const TaskView& view) {
  const auto& content = std::get<OutcomeContent>(command.content);
  if (view.past != nullptr || (content.attempt && *content.attempt != view.tries.attempt)) {
    Json body = task_json(*this, view);
    body["ignored"] = "superseded";
    return unchanged(std::move(body), last.revision);
  }
  if (view.has_begun) {
    Json body = task_json(*this, view);
    body["replayed"] = true;
    return unchanged(std::move(body), last.revision);
  }
  forget_ended();
  Job& job = queues.at(view.job->queue).jobs.at(view.job->name);
  job.begun.insert(view.key);
  job.changed = record.stamp.revision;
  add_event(record, event_of_task("task-started", job, view.key, view.role, view.server));
  stand_at(record.stamp);  // before it is shown
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, task_json(*this, *task(view.key)), revision);
}

// What becomes of tasks.

Past State::past_of(const Engine::TaskState& task, Ended outcome) const {
  const TaskView view = view_of(task);
  return {.task = view.key,
          .role = view.role,
          .server = view.server,
          .attempt = view.tries.attempt,
          .started = task.started,
          .ended = clock_,
          .outcome = outcome};
}

Amounts State::demand_of(const Job& job, RoleNumber role, const std::string& server) const {
  if (!job.differs_on_servers) return job.roles[role].demand;
  const scheduling::JobSubmitted terms = content_of(*this, job).terms;
  const auto other = terms.demand_on.find(server);
  return other == terms.demand_on.end() ? terms.demand : other->second;
}

/// What the task had is its queue's, tenant's and group's at its end, for as long as engine time says: of a
/// rest of the service a day at most, and nothing of a step of the wall clock.
void State::charge(const Job& job, const Past& past) {
  const QueueContent& queue = queues.at(job.queue).content;
  const UsedBy by{.queue = job.queue, .tenant = queue.tenant, .group = queue.group};
  const Amounts demand = demand_of(job, past.role, past.server);
  walls.for_each_piece(past.started, past.ended,
                       [&](Wall from, Wall to) { add_use(uses_, by, demand, from, to); });
}

/// The engine no longer knows of a preempted task when it started.
void State::note_start(TaskKey task, Time started) {
  if (engine.options().preemption) started_[task] = started;
}

void State::remember(Job& job, Past past) {
  const TaskKey key = past.task;
  job.past.push_back(std::move(past));
  past_places_[key] = {.job = &job, .at = std::prev(job.past.end())};
  past_order_.push_back(key);
  while (past_order_.size() > kMostPast) {
    const auto oldest = past_places_.find(past_order_.front());
    if (oldest != past_places_.end()) {
      oldest->second.job->past.pop_front();
      past_places_.erase(oldest);
    }
    past_order_.pop_front();
  }
}

void State::count(Job& job, RoleNumber role, const Record& record, std::int64_t waiting,
                  std::int64_t running) {
  Queue& queue = queues.at(job.queue);
  const bool has_waited = job.waiting > 0;
  job.roles[role].waiting += waiting;
  job.roles[role].running += running;
  job.waiting += waiting;
  job.running += running;
  if ((job.waiting > 0) != has_waited) queue.note_waiting(job);
  queue.waiting += waiting;
  queue.running += running;
  tenants.at(queue.content.tenant).waiting += waiting;
  job.changed = record.stamp.revision;
}

void State::end_if_over(Job& job, Record& record) {
  if (job.waiting + job.running > 0) return;
  jobs_.erase(*job.id);
  job.id.reset();
  job.ended = record.stamp.now;
  job.ended_at = record.stamp.wall;
  ended_jobs_.push_back(
      {.ended = record.stamp.now, .queue = job.queue, .name = job.name, .created = job.created});
  Queue& queue = queues.at(job.queue);
  --queue.live;
  --tenants.at(queue.content.tenant).jobs;
  Event ended = event_of_job("job-ended", job);
  ended.why = word_of(job.state());
  add_event(record, std::move(ended));
}

Tries State::end_task(Job& job, Record& record, Past past) {
  Tries tries;
  if (const auto found = job.tries.find(past.task); found != job.tries.end()) {
    tries = found->second;
    job.tries.erase(found);
  }
  charge(job, past);
  started_.erase(past.task);
  job.begun.erase(past.task);
  Event ended = event_of_task("task-ended", job, past.task, past.role, past.server);
  ended.why = word_of(past.outcome);
  add_event(record, std::move(ended));
  count(job, past.role, record, 0, -1);
  remember(job, std::move(past));
  return tries;
}

void State::take_back(Job& job, Record& record, Past past, bool stops) {
  if (stops) stop_on(past.server, job, past, std::string(word_of(past.outcome)));
  const bool failed = past.outcome == Ended::failed;
  const RoleNumber role = past.role;
  Tries tries = end_task(job, record, std::move(past));
  ++tries.attempt;
  if (failed) ++tries.failures;
  job.retries.push_back({.tries = tries, .role = role});
  count(job, role, record, 1, 0);
}

void State::stop_on(const std::string& server, const Job& job, const Past& past, const std::string& why) {
  const auto found = servers.find(server);
  if (found == servers.end()) return;
  found->second.stopping[past.task] = {
      .job = job.label(), .attempt = past.attempt, .why = why, .demand = demand_of(job, past.role, server)};
}

void State::lose_tasks(Record& record, const std::vector<Engine::TaskState>& tasks) {
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task)
    take_back(job_of(task->job), record, past_of(*task, Ended::lost), true);
}

}  // namespace mirab::live
