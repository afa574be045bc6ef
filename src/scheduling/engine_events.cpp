// What each event changes: first the events of servers, then those of users, jobs and tasks. Everything is
// checked before anything changes.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/engine_state.hpp"
#include "scheduling/event_checks.hpp"
#include "scheduling/starvation/satisfaction.hpp"

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

namespace {

/// The quota of an event. Errors: amounts that are none.
template <class Event>
Result<NodeQuota> quota_of(const Event& event, std::span<const std::string> resources) {
  const auto check = [&](const std::optional<Amounts>& amounts, const char* key) {
    return amounts ? check_amounts(*amounts, key, resources) : Check{};
  };
  if (Check bad = check(event.guarantee, "guarantee")) return *std::move(bad);
  if (Check bad = check(event.limit, "limit")) return *std::move(bad);
  if (Check bad = check(event.reserved, "reserved")) return *std::move(bad);
  return NodeQuota{.guarantee = event.guarantee,
                   .limit = event.limit.value_or(Amounts{}),
                   .reserved = event.reserved.value_or(Amounts{})};
}

/// ĝ of a node with this quota, whose members are promised that much.
Amounts guarantee_of(const NodeQuota& quota, const Amounts& promised) {
  return quota.guarantee.value_or(promised);
}

Amounts amounts_of(std::span<const std::int64_t> amounts) { return {amounts.begin(), amounts.end()}; }

Error no_group(std::string_view key) {
  return {.message = "there is no such group, or no longer", .key = std::string(key)};
}

}  // namespace

Check Engine::State::check_tree() const {
  if (!dispatcher.choice().has_tree)
    return Error{
        .message = fmt::format("{} knows no groups, guarantees, limits, tiers and weights of 0; drf, "
                               "asset, round-robin, tsf and ps-dsf do",
                               options.discipline.text),
        .key = "discipline"};
  if (options.half_life)
    return Error{
        .message = "with a half-life there are no groups, guarantees, limits, tiers and weights of 0",
        .key = "half_life"};
  return {};
}

Result<UserId> Engine::apply(const UserAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = check_time(now, s.now)) return *std::move(bad);
  const std::optional<GroupIndex> group = s.ledger.groups.find(event.group);
  if (!group) return no_group("group");
  const Result<Weight> weight = weight_or_zero_from(event.weight);
  if (!weight) return weight.error();
  if (event.tier < 0)
    return Error{.message = fmt::format("must be at least 0, not {}", event.tier), .key = "tier"};
  Result<NodeQuota> quota = quota_of(event, s.options.resources);
  if (!quota) return quota.error();
  UserRow row{
      .name = event.name, .weight = *weight, .group = *group, .quota = *std::move(quota), .tier = event.tier};
  if (row.needs_tree()) {
    if (Check bad = s.check_tree()) return *std::move(bad);
    const Amounts nothing(s.options.resources.size(), 0);
    if (Check bad = check_quota(row.quota, nothing, s.options.resources)) return *std::move(bad);
    if (Check bad = check_promises(
            s.ledger, {.parent_after = *group, .guarantee_after = guarantee_of(row.quota, nothing)},
            "guarantee", s.options.resources))
      return *std::move(bad);
  }
  s.happens(now);
  const UserIndex user = s.ledger.add_user(std::move(row));
  s.shares.user_added(user, now);
  s.tree_changed();
  return s.ledger.users.id(user);
}

Check Engine::apply(const UserReweighted& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  const Result<Weight> weight = weight_or_zero_from(event.weight);
  if (!weight) return weight.error();
  if (weight->numerator == 0) {
    if (Check bad = s.check_tree()) return bad;
  }
  s.happens(now);
  s.ledger.change_user(*user, *weight, s.ledger.users[*user].quota);
  s.tree_changed();
  s.dispatcher.user_changed(*user);
  s.shares.population_changed();
  return {};
}

Check Engine::apply(const UserChanged& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  const Result<Weight> weight = weight_or_zero_from(event.weight);
  if (!weight) return weight.error();
  Result<NodeQuota> quota = quota_of(event, s.options.resources);
  if (!quota) return quota.error();
  if (quota->is_any() || weight->numerator == 0) {
    if (Check bad = s.check_tree()) return bad;
  }
  const Amounts nothing(s.options.resources.size(), 0);
  if (Check bad = check_quota(*quota, nothing, s.options.resources)) return bad;
  const GroupIndex group = s.ledger.users[*user].group;
  if (Check bad = check_promises(s.ledger,
                                 {.parent = group,
                                  .parent_after = group,
                                  .guarantee = amounts_of(s.ledger.guarantee({.user = *user})),
                                  .guarantee_after = guarantee_of(*quota, nothing)},
                                 "guarantee", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.change_user(*user, *weight, *std::move(quota));
  s.tree_changed();
  s.dispatcher.user_changed(*user);
  s.shares.population_changed();
  return {};
}

Check Engine::apply(const UserMoved& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  const std::optional<GroupIndex> group = s.ledger.groups.find(event.group);
  if (!group) return no_group("group");
  const Amounts guarantee = amounts_of(s.ledger.guarantee({.user = *user}));
  if (Check bad = check_promises(s.ledger,
                                 {.parent = s.ledger.users[*user].group,
                                  .parent_after = *group,
                                  .guarantee = guarantee,
                                  .guarantee_after = guarantee},
                                 "group", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.move_user(*user, *group);
  s.tree_changed();
  return {};
}

Check Engine::apply(const UserRemoved& event, Time now) {
  State& s = *state_;
  const Result<UserIndex> user = subject(s.ledger.users, event.user, "user", now, s.now);
  if (!user) return user.error();
  if (!s.ledger.users[*user].queues.empty())
    return Error{.message = "the user has jobs; cancel them first", .key = "user"};
  if (Check bad = check_promises(s.ledger,
                                 {.parent = s.ledger.users[*user].group,
                                  .guarantee = amounts_of(s.ledger.guarantee({.user = *user}))},
                                 "user", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.remove_user(*user);
  s.tree_changed();
  return {};
}

// The events of groups.

Result<GroupId> Engine::apply(const GroupAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = check_time(now, s.now)) return *std::move(bad);
  const std::optional<GroupIndex> parent = s.ledger.groups.find(event.parent);
  if (!parent) return no_group("parent");
  const Result<Weight> weight = weight_or_zero_from(event.weight);
  if (!weight) return weight.error();
  Result<NodeQuota> quota = quota_of(event, s.options.resources);
  if (!quota) return quota.error();
  if (Check bad = s.check_tree()) return *std::move(bad);
  if (depth_of(s.ledger, *parent) + 1 > kMostDepth)
    return Error{.message = fmt::format("groups are nested {} deep at the most", kMostDepth),
                 .key = "parent"};
  const Amounts nothing(s.options.resources.size(), 0);
  if (Check bad = check_quota(*quota, nothing, s.options.resources)) return *std::move(bad);
  if (Check bad = check_promises(s.ledger,
                                 {.parent_after = *parent, .guarantee_after = guarantee_of(*quota, nothing)},
                                 "guarantee", s.options.resources))
    return *std::move(bad);
  s.happens(now);
  const GroupIndex group = s.ledger.add_group(
      {.name = event.name, .parent = *parent, .weight = *weight, .quota = *std::move(quota)});
  s.tree_changed();
  return s.ledger.groups.id(group);
}

namespace {

/// The group that an event names, which is not the cluster.
Result<GroupIndex> some_group(const Ledger& ledger, GroupId id, Time time, Time last) {
  const Result<GroupIndex> group = subject(ledger.groups, id, "group", time, last);
  if (group && *group == kRoot)
    return Error{.message = "the cluster itself has no quota, and neither moves nor goes", .key = "group"};
  return group;
}

}  // namespace

Check Engine::apply(const GroupChanged& event, Time now) {
  State& s = *state_;
  const Result<GroupIndex> group = some_group(s.ledger, event.group, now, s.now);
  if (!group) return group.error();
  const Result<Weight> weight = weight_or_zero_from(event.weight);
  if (!weight) return weight.error();
  Result<NodeQuota> quota = quota_of(event, s.options.resources);
  if (!quota) return quota.error();
  const GroupRow& row = s.ledger.groups[*group];
  if (Check bad = check_quota(*quota, row.promised, s.options.resources)) return bad;
  if (Check bad = check_promises(s.ledger,
                                 {.parent = row.parent,
                                  .parent_after = row.parent,
                                  .guarantee = amounts_of(s.ledger.guarantee({.group = *group})),
                                  .guarantee_after = guarantee_of(*quota, row.promised)},
                                 "guarantee", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.change_group(*group, *weight, *std::move(quota));
  s.tree_changed();
  return {};
}

Check Engine::apply(const GroupMoved& event, Time now) {
  State& s = *state_;
  const Result<GroupIndex> group = some_group(s.ledger, event.group, now, s.now);
  if (!group) return group.error();
  const std::optional<GroupIndex> parent = s.ledger.groups.find(event.parent);
  if (!parent) return no_group("parent");
  for (GroupIndex up = *parent; up != kNone; up = s.ledger.groups[up].parent) {
    if (up == *group)
      return Error{.message = "a group cannot be a member of itself, or of a group below it",
                   .key = "parent"};
  }
  if (depth_of(s.ledger, *parent) + height_of(s.ledger, *group) > kMostDepth)
    return Error{.message = fmt::format("groups are nested {} deep at the most", kMostDepth),
                 .key = "parent"};
  const Amounts guarantee = amounts_of(s.ledger.guarantee({.group = *group}));
  if (Check bad = check_promises(s.ledger,
                                 {.parent = s.ledger.groups[*group].parent,
                                  .parent_after = *parent,
                                  .guarantee = guarantee,
                                  .guarantee_after = guarantee},
                                 "parent", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.move_group(*group, *parent);
  s.tree_changed();
  return {};
}

Check Engine::apply(const GroupRemoved& event, Time now) {
  State& s = *state_;
  const Result<GroupIndex> group = some_group(s.ledger, event.group, now, s.now);
  if (!group) return group.error();
  const GroupRow& row = s.ledger.groups[*group];
  if (!row.groups.empty() || !row.users.empty())
    return Error{.message = "the group has members; remove them or move them first", .key = "group"};
  if (Check bad = check_promises(
          s.ledger, {.parent = row.parent, .guarantee = amounts_of(s.ledger.guarantee({.group = *group}))},
          "group", s.options.resources))
    return bad;
  s.happens(now);
  s.ledger.remove_group(*group);
  s.tree_changed();
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
  s.job_comes(*user, now);
  s.shares.task_class_added(task_class);

  // A queue that exists holds the task class too: for a new one, as that of a job with terms is, none is
  // looked for.
  const bool is_new = s.ledger.task_classes.holders(task_class) == 1;
  QueueIndex queue = is_new ? kNone : find_queue(s.ledger, *user, task_class);
  if (queue == kNone) {
    if (s.preemption && brings_kind_of_task(s.ledger, *user, task_class)) s.preemption->something_changed();
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
  if (!event.roles.empty()) {
    std::vector<std::int64_t> waiting;
    for (const Role& role : event.roles) waiting.push_back(role.tasks);
    s.ledger.jobs[job].waiting = std::accumulate(waiting.begin(), waiting.end(), std::int64_t{0});
    s.ledger.set_waiting_by_role(job, std::move(waiting));
  }
  bool changes_others = false;
  s.ledger.task_classes.for_each_demand(task_class, [&](const Amounts& demand) {
    changes_others = s.ledger.note_demand(*user, demand) || changes_others;
  });
  if (event.rank && event.rank->priority != 0)
    changes_others = !std::exchange(s.ledger.has_priorities, true) || changes_others;
  if (s.preemption) {
    s.preemption->user_changed(*user);
    if (changes_others) s.preemption->something_changed();
  }
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
  s.happens_to_tasks(now);
  JobRow& row = s.ledger.jobs[*job];
  const QueueIndex queue = row.queue;
  if (row.waiting > 0) {
    s.ledger.forget_waiting(*job);
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
  s.happens_to_tasks(now);
  const JobIndex job = s.ledger.tasks[*task].job;
  s.end(*task);
  s.drop_if_over(job);
  return {};
}

Check Engine::apply(const TaskFailed& event, Time now) {
  State& s = *state_;
  const Result<TaskIndex> task = subject(s.ledger.tasks, event.task, "task", now, s.now);
  if (!task) return task.error();
  s.happens_to_tasks(now);
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
  const std::span<const std::int64_t> by_role = s.ledger.waiting_by_role(*job);
  const auto roles = static_cast<std::int64_t>(std::max<std::size_t>(by_role.size(), 1));
  if (event.role < 0 || event.role >= roles)
    return Error{.message = fmt::format("the job has {} roles, and none with the number {}", by_role.size(),
                                        event.role),
                 .key = "role"};
  const auto role = static_cast<std::uint32_t>(event.role);
  if (!by_role.empty() && by_role[role] == 0)
    return Error{.message = "all tasks of this role run", .key = "role"};
  if (event.since > now)
    return Error{
        .message = fmt::format("{} ns is after the event, at {} ns", event.since.time_since_epoch().count(),
                               now.time_since_epoch().count()),
        .key = "since"};
  if (!s.ledger.may_count(*job, *server, role))
    return Error{.message = "all tasks together would take more units than can be counted", .key = "server"};
  s.happens(now);
  return s.adopt(*job, *server, event.since, role);
}

}  // namespace mirab::scheduling
