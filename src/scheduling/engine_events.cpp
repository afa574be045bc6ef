// What each event changes: first the events of servers, then those of users, jobs and tasks. Everything is
// checked before anything changes.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/engine_state.hpp"
#include "scheduling/event_checks.hpp"

namespace mirab::scheduling {
namespace {

Amounts larger_of(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Amounts larger;
  for (std::size_t r = 0; r < a.size(); ++r) larger.push_back(std::max(a[r], b[r]));
  return larger;
}

/// The pool and what is taken beyond it, which are counted together. [m]
Amounts countable(const ServerPool& server_pool) {
  Amounts all(server_pool.pool().begin(), server_pool.pool().end());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] += server_pool.excess()[r];
  return all;
}

}  // namespace

Result<ServerId> Engine::apply(const ServerAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = check_time(now, s.now)) return *std::move(bad);
  if (Check bad = check_amounts(event.capacity, "capacity", s.options.resources)) return *std::move(bad);
  if (Check bad = check_pool(event.capacity, {}, countable(s.ledger.server_pool), s.options.resources))
    return *std::move(bad);
  s.happens(now);
  const ServerIndex server =
      s.ledger.add_server({.name = event.name, .labels = event.labels}, event.capacity);
  s.dispatcher.room_released(server);
  s.capacities_changed();
  return s.ledger.servers.id(server);
}

Check Engine::apply(const ServerChanged& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  if (Check bad = check_amounts(event.capacity, "capacity", s.options.resources)) return bad;
  const std::span<const std::int64_t> in_use = s.ledger.server_pool.taken(*server);
  if (Check bad = check_pool(larger_of(event.capacity, in_use),
                             larger_of(s.ledger.server_pool.capacity(*server), in_use),
                             countable(s.ledger.server_pool), s.options.resources))
    return bad;
  bool is_below_use = false;
  for (std::size_t r = 0; r < in_use.size(); ++r) {
    const std::int64_t taken = in_use[r];
    if (event.capacity[r] >= taken) continue;
    if (event.allow_below_use) {
      is_below_use = true;
      continue;
    }
    return Error{.message = fmt::format("the running tasks use {} units, more than the new capacity of {}",
                                        taken, event.capacity[r]),
                 .key = fmt::format("capacity.{}", s.options.resources[r])};
  }
  s.happens(now);
  if (is_below_use) s.ledger.adopts = true;
  s.placement.capacity_changes(*server);
  s.ledger.resize_server(*server, event.capacity);
  s.placement.capacity_changed(*server);
  s.dispatcher.room_released(*server);
  s.end_reservation_that_cannot_be_met(*server);
  s.capacities_changed();
  return {};
}

Check Engine::apply(const ServerDrained& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  s.happens(now);
  s.ledger.servers[*server].drained = true;
  s.ledger.server_pool.close(*server);
  if (s.reservations) s.end_reservation(s.reservations->present().on_server(*server));
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerReopened& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  s.happens(now);
  s.ledger.servers[*server].drained = false;
  if (!s.reservations || s.reservations->present().on_server(*server) == nullptr)
    s.ledger.server_pool.open(*server);
  s.dispatcher.room_released(*server);
  s.open_servers_changed();
  return {};
}

Check Engine::apply(const ServerRemoved& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  if (s.ledger.servers[*server].first_task != kNone)
    return Error{.message = "tasks run there; drain it first, or let it fail", .key = "server"};
  s.happens(now);
  s.remove_server(*server);
  return {};
}

Result<std::vector<Lost>> Engine::apply(const ServerFailed& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  s.happens(now);
  std::vector<Lost> lost;
  while (s.ledger.servers[*server].first_task != kNone)
    lost.push_back(s.end_and_wait_again(s.ledger.servers[*server].first_task));
  s.remove_server(*server);
  return lost;
}

// What the events of users, jobs and tasks change.

Result<UserId> Engine::apply(const UserAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = check_time(now, s.now)) return *std::move(bad);
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  const UserIndex user = s.ledger.add_user({.name = event.name, .weight = *weight});
  s.shares.user_added(user, now);
  return s.ledger.users.id(user);
}

Check Engine::apply(const UserReweighted& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  s.ledger.users[*user].weight = *weight;
  s.dispatcher.user_changed(*user);
  s.shares.population_changed();
  return {};
}

Check Engine::apply(const UserRemoved& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  if (!s.ledger.users[*user].queues.empty())
    return Error{.message = "the user has jobs; cancel them first", .key = "user"};
  s.happens(now);
  s.ledger.users.remove(*user);
  return {};
}

Result<JobId> Engine::apply(const JobSubmitted& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  if (Check bad = check_job(event, s.options.resources)) return *std::move(bad);
  const TaskClassIndex task_class = s.ledger.task_classes.hold(event);
  if (s.options.oversized == Oversized::refuse) {
    if (Check bad = check_possible(s.ledger, event, task_class)) {
      s.ledger.task_classes.release(task_class);
      return *std::move(bad);
    }
  }
  s.happens(now);
  s.shares.task_class_added(task_class);

  // A queue that exists holds the task class too: for a new one, as that of a job with terms is, none is
  // looked for.
  const bool is_new = s.ledger.task_classes.holders(task_class) == 1;
  QueueIndex queue = is_new ? kNone : find_queue(s.ledger, *user, task_class);
  if (queue == kNone) {
    queue = s.ledger.add_queue(*user, task_class);
    s.shares.population_changed();
  } else {
    s.ledger.task_classes.release(task_class);  // a queue holds its task class once
  }
  const JobIndex job = s.ledger.jobs.add({.queue = queue,
                                          .waiting = event.tasks,
                                          .sequence = s.ledger.jobs_before++,
                                          .rank = event.rank.value_or(Rank()),
                                          .may_be_preempted = event.may_be_preempted});
  ++s.ledger.queues[queue].jobs;
  s.ledger.enqueue(job);
  if (!s.dispatcher.waiting().holds(queue)) {
    s.wait(queue);
  } else if (s.ledger.queues[queue].first_job == job) {
    s.dispatcher.queue_changed(queue);  // it came before the others
  }
  return s.ledger.jobs.id(job);
}

Result<std::vector<Lost>> Engine::apply(const JobCancelled& event, Time now) {
  State& s = *state_;
  const Result<JobIndex> job = subject(s.ledger.jobs, event.job, "job", now, s.now);
  if (!job) return job.error();
  s.happens(now);
  JobRow& row = s.ledger.jobs[*job];
  const QueueIndex queue = row.queue;
  if (row.waiting > 0) {
    row.waiting = 0;
    s.ledger.dequeue(*job);
    if (s.ledger.queues[queue].first_job == kNone) {
      s.dispatcher.queue_left(queue);
      if (s.reservations) s.end_reservation(s.reservations->present().of_queue(queue));
    } else {
      s.dispatcher.queue_changed(queue);
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
  const Result<TaskIndex> task = subject(s.ledger.tasks, event.task, "task", now, s.now);
  if (!task) return task.error();
  s.happens(now);
  const JobIndex job = s.ledger.tasks[*task].job;
  s.end(*task);
  s.drop_if_over(job);
  return {};
}

Check Engine::apply(const TaskFailed& event, Time now) {
  State& s = *state_;
  const Result<TaskIndex> task = subject(s.ledger.tasks, event.task, "task", now, s.now);
  if (!task) return task.error();
  s.happens(now);
  s.end_and_wait_again(*task);
  return {};
}

// What is known of a cluster that others change too.

Check Engine::apply(const ServerHeld& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  if (Check bad = check_amounts(event.amounts, "amounts", s.options.resources)) return bad;
  s.happens(now);
  s.ledger.server_pool.hold(*server, event.amounts);
  s.dispatcher.hold_changed(*server);
  s.end_reservation_that_cannot_be_met(*server);
  return {};
}

Check Engine::apply(const ServerRelabelled& event, Time now) {
  State& s = *state_;
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  s.happens(now);
  if (s.ledger.servers[*server].first_task != kNone) s.ledger.adopts = true;
  s.ledger.task_classes.eligibility.server_relabelled(*server, event.labels);
  s.dispatcher.room_released(*server);
  s.end_reservation_that_cannot_be_met(*server);
  s.open_servers_changed();
  return {};
}

namespace {

/// The rows of the servers in a list of an event. Errors: one that is not there, by the key of the list.
Result<std::vector<ServerIndex>> rows_of(const std::vector<ServerId>& servers, const Ledger& ledger,
                                         std::string_view key) {
  std::vector<ServerIndex> rows;
  for (const ServerId server : servers) {
    const std::optional<ServerIndex> row = ledger.servers.find(server);
    if (!row)
      return Error{.message = fmt::format("there is no server {}, or no longer", std::uint64_t(server)),
                   .key = std::string(key)};
    rows.push_back(*row);
  }
  return rows;
}

}  // namespace

Check Engine::apply(const SetChanged& event, Time now) {
  State& s = *state_;
  if (Check bad = check_time(now, s.now)) return bad;
  const Result<std::vector<ServerIndex>> added = rows_of(event.add, s.ledger, "add");
  if (!added) return added.error();
  const Result<std::vector<ServerIndex>> removed = rows_of(event.remove, s.ledger, "remove");
  if (!removed) return removed.error();
  const std::set<ServerIndex> enter(added->begin(), added->end());
  if (std::any_of(removed->begin(), removed->end(), [&](ServerIndex each) { return enter.contains(each); }))
    return Error{.message = "a server is in `add` too", .key = "remove"};
  s.happens(now);
  Eligibility& eligibility = s.ledger.task_classes.eligibility;
  for (const ServerIndex server : *added) {
    eligibility.enter_set(event.set, server);
    s.dispatcher.room_released(server);
  }
  for (const ServerIndex server : *removed) {
    if (s.ledger.servers[server].first_task != kNone) s.ledger.adopts = true;
    eligibility.leave_set(event.set, server);
    s.end_reservation_that_cannot_be_met(server);
  }
  s.open_servers_changed();
  return {};
}

Result<TaskId> Engine::apply(const TaskAdopted& event, Time now) {
  State& s = *state_;
  const Result<JobIndex> job = subject(s.ledger.jobs, event.job, "job", now, s.now);
  if (!job) return job.error();
  const Result<ServerIndex> server = subject(s.ledger.servers, event.server, "server", now, s.now);
  if (!server) return server.error();
  if (s.ledger.jobs[*job].waiting == 0)
    return Error{.message = "all its tasks run; submit it with as many as there are", .key = "job"};
  if (event.since > now)
    return Error{
        .message = fmt::format("{} ns is after the event, at {} ns", event.since.time_since_epoch().count(),
                               now.time_since_epoch().count()),
        .key = "since"};
  if (!s.ledger.may_count(*job, *server))
    return Error{.message = "all tasks together would take more units than can be counted", .key = "server"};
  s.happens(now);
  return s.adopt(*job, *server, event.since);
}

}  // namespace mirab::scheduling
