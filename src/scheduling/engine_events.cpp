// What each event changes. First what an event may not be, so that an error leaves the engine as it was; then
// the steps that events share; then the events of servers, and those of users, jobs and tasks.
#include <algorithm>
#include <fmt/format.h>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

// What an event may not be. Everything is checked before anything changes, so that an error leaves the engine
// as it was.

Error Engine::State::unknown(std::string_view what) {
  return {.message = fmt::format("there is no such {}, or no longer", what), .key = std::string(what)};
}

Check Engine::State::check_time(Time time) const {
  if (time >= now) return {};
  return Error{.message = fmt::format("{} ns is before the last event, at {} ns",
                                      time.time_since_epoch().count(), now.time_since_epoch().count()),
               .key = "now"};
}

Check Engine::State::check_amounts(const Amounts& amounts, const std::string& key) const {
  if (amounts.size() != ledger.resource_count()) {
    return Error{
        .message = fmt::format("{} amounts for {} resources", amounts.size(), ledger.resource_count()),
        .key = key};
  }
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] >= 0) continue;
    return Error{.message = fmt::format("{} is below zero", amounts[r]),
                 .key = fmt::format("{}.{}", key, options.resources[r])};
  }
  return {};
}

/// Would the pool still be counted with so much instead of so much?
Check Engine::State::check_pool(const Amounts& with, std::span<const std::int64_t> instead_of) const {
  const std::span<const std::int64_t> pool = ledger.server_pool.pool();
  for (std::size_t r = 0; r < with.size(); ++r) {
    const std::int64_t others = pool[r] - (instead_of.empty() ? 0 : instead_of[r]);
    if (with[r] <= INT64_MAX - others) continue;
    return Error{
        .message = "all servers together would have more units than can be counted; choose a larger unit",
        .key = fmt::format("capacity.{}", options.resources[r])};
  }
  return {};
}

Check Engine::State::check_job(const JobSubmitted& job) const {
  if (Check bad = check_amounts(job.demand, "demand")) return bad;
  const auto is_nothing = [](const Amounts& demand) {
    return std::all_of(demand.begin(), demand.end(), [](std::int64_t units) { return units == 0; });
  };
  if (is_nothing(job.demand))
    return Error{.message = "at least one amount must be more than 0", .key = "demand"};
  for (const auto& [server, demand] : job.demand_on) {
    const std::string key = fmt::format("demand_on.{}", server);
    if (Check bad = check_amounts(demand, key)) return bad;
    if (is_nothing(demand)) return Error{.message = "at least one amount must be more than 0", .key = key};
  }
  if (job.tasks < 1) return Error{.message = fmt::format("{} tasks", job.tasks), .key = "tasks"};
  return check_constraints(job);
}

/// Could a task of the task class run on some server if that were empty?
bool Engine::State::is_possible(std::uint32_t task_class) const {
  for (std::uint32_t server = 0; server < ledger.servers.end(); ++server) {
    if (ledger.servers.holds(server) && ledger.fits_when_empty(task_class, server)) return true;
  }
  return false;
}

/// Could the job run, and start as it wants to, if nothing else did? Asked where impossible jobs are refused.
Check Engine::State::check_possible(const JobSubmitted& job, std::uint32_t task_class) const {
  if (options.oversized == Oversized::wait) return {};
  if (!is_possible(task_class))
    return Error{.message = "no server that the job may use is large enough for one of its tasks",
                 .key = "demand"};
  return check_constraints_possible(job, task_class);
}

// What events have in common.

void Engine::State::happens(Time time) {
  now = time;
  if (preemption) preemption->something_changed();
}

void Engine::State::wait(std::uint32_t queue) {
  ledger.queues[queue].arrival = ledger.waits_before++;
  ledger.queues[queue].since = now;
  // All queues of a task class play in the same tournaments: those of the servers that are there now.
  if (keys_are_stale && tournaments.follow_capacities()) refresh();
  ready.enter(queue, tournaments.of(ledger.queues[queue].task_class));
}

void Engine::State::population_changed() {
  keys_are_stale = keys_are_stale || discipline_choice.discipline->priced;
}

void Engine::State::end(std::uint32_t task) {
  const std::uint32_t server = ledger.tasks[task].server;
  const QueueRow& queue = ledger.queues[ledger.jobs[ledger.tasks[task].job].queue];
  const std::uint32_t user = queue.user;
  if (balance) balance->task_ended(ledger.server_pool, task, server, ledger.demand(queue, server));
  ledger.end(task);
  if (reservations) reservations->met.erase(task);
  share_changed(user);
  released.add(server);
  ready.rekey(ledger.users[user].queues);
  if (ready.has_constrained_parked()) retry_constrained(queue.task_class, server);
}

void Engine::State::end_and_wait_again(std::uint32_t task) {
  const std::uint32_t job = ledger.tasks[task].job;
  const std::uint32_t queue = ledger.jobs[job].queue;
  end(task);
  if (ledger.jobs[job].waiting++ == 0) ledger.enqueue(job);
  if (ready.holds(queue)) {
    ready.rekey(std::span(&queue, 1));
  } else {
    wait(queue);
  }
}

void Engine::State::drop_if_over(std::uint32_t job) {
  const JobRow& row = ledger.jobs[job];
  if (row.waiting > 0 || row.running > 0) return;
  const std::uint32_t queue = row.queue;
  ledger.jobs.remove(job);
  if (--ledger.queues[queue].jobs > 0) return;
  const std::uint32_t task_class = ledger.queues[queue].task_class;
  ledger.remove_queue(queue);
  ledger.task_classes.release(task_class);
  population_changed();
}

// What the events of servers change.

/// Shares are of other capacities from now on, and the server classes may be others.
void Engine::State::capacities_changed() {
  ready.retry_constrained();
  all_shares_changed();
  keys_are_stale = true;
}

/// Domains, and the servers of a kind that take tasks, may be others from now on.
void Engine::State::open_servers_changed() {
  ready.retry_constrained();
  keys_are_stale = keys_are_stale || tournaments.follow_open_servers();
}

std::vector<Lost> Engine::State::end_all_on(std::uint32_t server) {
  std::vector<Lost> lost;
  while (ledger.servers[server].first_task != kNone) {
    const std::uint32_t task = ledger.servers[server].first_task;
    lost.push_back({.task = ledger.tasks.id(task), .job = ledger.jobs.id(ledger.tasks[task].job)});
    end_and_wait_again(task);
  }
  return lost;
}

void Engine::State::take_out(std::uint32_t server) {
  if (reservations) end_reservation(reservations->on_server(server));
  ledger.remove_server(server);
  if (balance) balance->server_emptied(server);
  released.forget(server);
  capacities_changed();
}

Result<ServerId> Engine::apply(const ServerAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = s.check_time(now)) return *std::move(bad);
  if (Check bad = s.check_amounts(event.capacity, "capacity")) return *std::move(bad);
  if (Check bad = s.check_pool(event.capacity, {})) return *std::move(bad);
  s.happens(now);
  const std::uint32_t server =
      s.ledger.add_server({.name = event.name, .labels = event.labels}, event.capacity);
  s.released.add(server);
  s.capacities_changed();
  return s.ledger.servers.id(server);
}

Check Engine::apply(const ServerChanged& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.ledger.servers, event.server, "server", now);
  if (!server) return server.error();
  if (Check bad = s.check_amounts(event.capacity, "capacity")) return bad;
  const std::span<const std::int64_t> old = s.ledger.server_pool.capacity(*server);
  if (Check bad = s.check_pool(event.capacity, old)) return bad;
  for (std::size_t r = 0; r < old.size(); ++r) {
    const std::int64_t taken = old[r] - s.ledger.server_pool.free(*server)[r];
    if (event.capacity[r] >= taken) continue;
    return Error{.message = fmt::format("the running tasks use {} units, more than the new capacity of {}",
                                        taken, event.capacity[r]),
                 .key = fmt::format("capacity.{}", s.options.resources[r])};
  }
  s.happens(now);
  // What dominates a task there may change with the capacity.
  const auto demand_of = [&](std::uint32_t task) {
    return s.ledger.task_classes.demand_on(s.ledger.task_class_of(s.ledger.tasks[task].job), *server);
  };
  s.ledger.for_each_task_on(*server, [&](std::uint32_t task) {
    if (s.balance) s.balance->task_ended(s.ledger.server_pool, task, *server, demand_of(task));
  });
  s.ledger.resize_server(*server, event.capacity);
  s.ledger.for_each_task_on(*server, [&](std::uint32_t task) {
    if (s.balance) s.balance->task_started(s.ledger.server_pool, task, *server, demand_of(task));
  });
  s.released.add(*server);
  if (const auto* const kept = s.reservations ? s.reservations->on_server(*server) : nullptr;
      kept != nullptr && !s.ledger.fits_when_empty(s.ledger.queues[kept->queue].task_class, *server))
    s.end_reservation(kept);
  s.capacities_changed();
  return {};
}

Check Engine::apply(const ServerDrained& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.ledger.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  s.ledger.servers[*server].drained = true;
  s.ledger.server_pool.close(*server);
  if (s.reservations) s.end_reservation(s.reservations->on_server(*server));
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerReopened& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.ledger.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  s.ledger.servers[*server].drained = false;
  if (!s.reservations || s.reservations->on_server(*server) == nullptr) s.ledger.server_pool.open(*server);
  s.released.add(*server);
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerRemoved& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.ledger.servers, event.server, "server", now);
  if (!server) return server.error();
  if (s.ledger.servers[*server].first_task != kNone)
    return Error{.message = "tasks run there; drain it first, or let it fail", .key = "server"};
  s.happens(now);
  s.take_out(*server);
  return {};
}

Result<std::vector<Lost>> Engine::apply(const ServerFailed& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> server = s.subject(s.ledger.servers, event.server, "server", now);
  if (!server) return server.error();
  s.happens(now);
  std::vector<Lost> lost = s.end_all_on(*server);
  s.take_out(*server);
  return lost;
}

// What the events of users, jobs and tasks change.

Result<UserId> Engine::apply(const UserAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = s.check_time(now)) return *std::move(bad);
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  const std::uint32_t user = s.ledger.add_user({.name = event.name, .weight = *weight});
  if (s.context.usage) s.context.usage->begin(user, now);
  return s.ledger.users.id(user);
}

Check Engine::apply(const UserReweighted& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.ledger.users, event.user, "user", now);
  if (!user) return user.error();
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  s.ledger.users[*user].weight = *weight;
  s.ready.rekey(s.ledger.users[*user].queues);
  s.population_changed();
  return {};
}

Check Engine::apply(const UserRemoved& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.ledger.users, event.user, "user", now);
  if (!user) return user.error();
  if (!s.ledger.users[*user].queues.empty())
    return Error{.message = "the user has jobs; cancel them first", .key = "user"};
  s.happens(now);
  s.ledger.users.remove(*user);
  return {};
}

Result<JobId> Engine::apply(const JobSubmitted& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.ledger.users, event.user, "user", now);
  if (!user) return user.error();
  if (Check bad = s.check_job(event)) return *std::move(bad);
  const std::uint32_t task_class = s.ledger.task_classes.hold(event);
  if (Check bad = s.check_possible(event, task_class)) {
    s.ledger.task_classes.release(task_class);
    return *std::move(bad);
  }
  s.happens(now);
  if (s.discipline_choice.discipline->monopolised) s.count_alone(task_class);

  std::uint32_t queue = s.ledger.find_queue(*user, task_class);
  if (queue == kNone) {
    queue = s.ledger.add_queue(*user, task_class);
    s.population_changed();
  } else {
    s.ledger.task_classes.release(task_class);  // a queue holds its task class once
  }
  const std::uint32_t job =
      s.ledger.jobs.add({.queue = queue, .waiting = event.tasks, .sequence = s.ledger.jobs_before++});
  ++s.ledger.queues[queue].jobs;
  s.ledger.enqueue(job);
  if (!s.ready.holds(queue)) s.wait(queue);
  return s.ledger.jobs.id(job);
}

Result<std::vector<Lost>> Engine::apply(const JobCancelled& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> job = s.subject(s.ledger.jobs, event.job, "job", now);
  if (!job) return job.error();
  s.happens(now);
  JobRow& row = s.ledger.jobs[*job];
  const std::uint32_t queue = row.queue;
  if (row.waiting > 0) {
    row.waiting = 0;
    s.ledger.dequeue(*job);
    if (s.ledger.queues[queue].first_job == kNone) {
      s.ready.leave(queue);
      if (s.reservations) s.end_reservation(s.reservations->of_queue(queue));
    } else {
      s.ready.rekey(std::span(&queue, 1));
    }
  }
  std::vector<Lost> stopped;
  while (row.first_task != kNone) {
    stopped.push_back({.task = s.ledger.tasks.id(row.first_task), .job = event.job});
    s.end(row.first_task);
  }
  s.drop_if_over(*job);
  return stopped;
}

Check Engine::apply(const TaskFinished& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> task = s.subject(s.ledger.tasks, event.task, "task", now);
  if (!task) return task.error();
  s.happens(now);
  const std::uint32_t job = s.ledger.tasks[*task].job;
  s.end(*task);
  s.drop_if_over(job);
  return {};
}

Check Engine::apply(const TaskFailed& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> task = s.subject(s.ledger.tasks, event.task, "task", now);
  if (!task) return task.error();
  s.happens(now);
  s.end_and_wait_again(*task);
  return {};
}

}  // namespace mirab::scheduling
