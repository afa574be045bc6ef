// What has to be kept of an engine, and what has not:
//
//  - Identifiers: how often every number was given, and the vacant numbers in the order in which they will be
//    given. Vacant servers are given lowest first, so for them no order is kept.
//  - Server classes with their numbers, since these break ties; the lowest vacant one is given first.
//  - task classes with their numbers, since the mix of wishes breaks ties by them.
//  - The tasks in an order in which they may have started. Tasks are listed newest first by jobs and by
//    servers, so that starting them once more in this order makes the same lists.
//  - Which tasks mrfs does not count in Ψ, which depends on what ran there when they started.
//  - What is parked, and where something was freed since: with ties at random, one who fits nowhere and is
//    not parked costs a draw before that is noticed.
//  - The arrivals, the rounds of the lines, the last server used.
//  - What others hold of servers, the sets of servers, and whether tasks run that no decision put there.
//  - With reservations, who is kept what since when, which tasks started so, since when queues wait for a
//  task, and when it was last
//    looked who is due; with preemption, the latest times of it, and until when it is not to be looked for.
//
//  - Of jobs with roles, how many tasks of each wait, and of which role the running tasks are, where that is
//    not the first.
//  - The groups, each after its parent, in the order in which their parents list them.
//  - The kinds of tasks that each user, or a user below each group, ever had.
//
// Not kept, because it follows from the rest: what is free, used and running, guaranteed and charged; Ψ, of
// the tasks that count; keys, which are functions of the state, and the order of the ready queue, which is
// strict, so that no tournament's task class matters; numbers of queues, of selections and of descriptions of
// servers; prices and tasks alone, which were computed from what is here since it last changed, or are stale,
// which is kept, and computed before they are used again. While keys are stale and there are several
// tournaments nothing is kept parked: bringing the keys up to date brings all of it back.
#include <algorithm>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engine_state.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::scheduling {

/// Found by the JSON library.
template <class Tag>
void to_json(Json& json, Index<Tag> index) {
  json = index.number();
}

namespace {

template <class Row, class Id>
Json numbers_of(const Slots<Row, Id>& slots) {
  const auto numbers = slots.numbers();
  return {{"generations", numbers.generations}, {"vacant", numbers.vacant}};
}

Json rounds_of(const Rounds& rounds) { return {{"next", rounds.next()}, {"present", rounds.present()}}; }

Json server_classes_of(const ServerClasses& server_classes) {
  Json capacities = Json::array();
  for (const ServerClassIndex server_class : server_classes.indices())
    capacities.push_back(
        server_classes.servers(server_class) > 0 ? Json(server_classes.capacities()[server_class]) : Json());
  return capacities;
}

Json servers_of(const Ledger& ledger) {
  Json present = Json::array();
  for (const ServerIndex server : ledger.servers.present()) {
    const ServerRow& row = ledger.servers[server];
    const auto& [name, labels] = ledger.task_classes.eligibility.description_of(server);
    present.push_back({server, row.server_class, name, scheduling::json_of(labels), row.drained});
  }
  return {{"generations", ledger.servers.numbers().generations}, {"present", std::move(present)}};
}

Json task_classes_of(const TaskClasses& task_classes) {
  Json wishes = Json::array();
  for (const TaskClassIndex task_class : task_classes.indices()) {
    Json& wish = wishes.emplace_back();
    if (task_classes.holders(task_class) > 0) add_wish(wish, task_classes.job_of(task_class));
  }
  return {{"wishes", std::move(wishes)}, {"vacant", task_classes.vacant()}};
}

/// The jobs of each queue, oldest first.
IndexedVector<QueueIndex, std::vector<JobIndex>> jobs_by_queue(const Ledger& ledger) {
  IndexedVector<QueueIndex, std::vector<JobIndex>> jobs(ledger.queues.size());
  for (const JobIndex job : ledger.jobs.present()) {
    jobs[ledger.jobs[job].queue].push_back(job);
  }
  for (std::vector<JobIndex>& of_queue : jobs) {
    std::sort(of_queue.begin(), of_queue.end(),
              [&](JobIndex a, JobIndex b) { return ledger.jobs[a].sequence < ledger.jobs[b].sequence; });
  }
  return jobs;
}

/// What waits of it, of each role where it has some. With its rank, and whether it may be preempted, where
/// these are not as for most jobs.
Json job_of(const Ledger& ledger, JobIndex job) {
  const JobRow& row = ledger.jobs[job];
  const std::span<const std::int64_t> by_role = ledger.waiting_by_role(job);
  Json json = {job, by_role.empty() ? Json(row.waiting) : Json(Amounts(by_role.begin(), by_role.end())),
               row.sequence};
  if (row.rank == Rank() && row.may_be_preempted) return json;
  json.push_back({row.rank.priority, row.rank.time.time_since_epoch().count(), row.rank.tie});
  json.push_back(row.may_be_preempted);
  return json;
}

/// What others hold, of the servers where they hold something.
Json held_of(const Ledger& ledger) {
  Json held = Json::array();
  for (const ServerIndex server : ledger.servers.present()) {
    const std::span<const std::int64_t> amounts = ledger.server_pool.held(server);
    if (std::any_of(amounts.begin(), amounts.end(), [](std::int64_t units) { return units > 0; }))
      held.push_back({server, Amounts(amounts.begin(), amounts.end())});
  }
  return held;
}

/// The servers of each set that has some.
Json sets_of(const Ledger& ledger) {
  Json sets = Json::object();
  for (const auto& [name, set] : ledger.task_classes.eligibility.sets()) {
    for (const ServerIndex server : ledger.servers.present()) {
      if (set.servers.contains(server)) sets[name].push_back(server);
    }
  }
  return sets;
}

Json json_of(const NodeQuota& quota) {
  const auto amounts = [](const Amounts& of) { return of.empty() ? Json() : Json(of); };
  return {quota.guarantee ? Json(*quota.guarantee) : Json(), amounts(quota.limit), amounts(quota.reserved)};
}

/// Every group after its parent, but for the cluster.
Json groups_of(const Ledger& ledger) {
  Json groups = numbers_of(ledger.groups);
  Json& present = groups["present"] = Json::array();
  std::vector<GroupIndex> order = {kRoot};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const GroupIndex group : ledger.groups[order[i]].groups) {
      const GroupRow& row = ledger.groups[group];
      present.push_back(
          {group, row.name, row.parent, row.weight.numerator, row.weight.denominator, json_of(row.quota)});
      order.push_back(group);
    }
  }
  return groups;
}

/// Of users and groups with tasks, now or before.
Json seen_by(const Ledger& ledger) {
  Json users = Json::array(), groups = Json::array();
  const auto add = [&](Json& json, auto index, TreeNode node) {
    const std::vector<Amounts>& kinds = ledger.seen(node).kinds();
    if (!kinds.empty()) json.push_back({index, kinds});
  };
  for (const UserIndex user : ledger.users.present()) add(users, user, {.user = user});
  for (const GroupIndex group : ledger.groups.present()) {
    if (group != kRoot) add(groups, group, {.group = group});
  }
  return {{"users", std::move(users)}, {"groups", std::move(groups)}};
}

Json users_of(const Ledger& ledger) {
  const IndexedVector<QueueIndex, std::vector<JobIndex>> jobs = jobs_by_queue(ledger);
  Json users = numbers_of(ledger.users);
  users["before"] = ledger.users_before;
  Json& present = users["present"] = Json::array();
  for (const UserIndex user : ledger.users.present()) {
    const UserRow& row = ledger.users[user];
    Json queues = Json::array();
    for (const QueueIndex queue : row.queues) {
      Json of_queue = Json::array();
      for (const JobIndex job : jobs[queue]) of_queue.push_back(job_of(ledger, job));
      queues.push_back({ledger.queues[queue].task_class, ledger.queues[queue].arrival, std::move(of_queue)});
    }
    present.push_back({user, row.name, row.weight.numerator, row.weight.denominator, row.order,
                       std::move(queues), row.group, json_of(row.quota), row.tier});
  }
  return users;
}

/// All tasks, each after those that it stands before in the lists of its job and of its server: in an order
/// in which they may have started, the same for equal lists. O(tasks).
std::vector<TaskIndex> in_order_of_start(const Ledger& ledger) {
  const auto& tasks = ledger.tasks;
  std::vector<TaskIndex> order;
  IndexedVector<TaskIndex, std::uint8_t> older(
      tasks.index_count());  // lists in which an older one is still to come
  for (const TaskIndex task : tasks.present()) {
    if (tasks[task].next_of_job != kNone) ++older[task];
    if (tasks[task].next_on_server != kNone) ++older[task];
    if (older[task] == 0) order.push_back(task);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const TaskIndex newer : {tasks[order[i]].previous_of_job, tasks[order[i]].previous_on_server}) {
      if (newer != kNone && --older[newer] == 0) order.push_back(newer);
    }
  }
  MIRAB_ASSERT(order.size() == tasks.size(), "the lists of tasks are not in one order");
  return order;
}

Json tasks_of(const Ledger& ledger) {
  Json tasks = numbers_of(ledger.tasks);
  for (const char* const column : {"number", "job", "server", "started"}) tasks[column] = Json::array();
  for (const TaskIndex task : in_order_of_start(ledger)) {
    const TaskRow& row = ledger.tasks[task];
    tasks["number"].push_back(task);
    tasks["job"].push_back(row.job);
    tasks["server"].push_back(row.server);
    tasks["started"].push_back(row.started.time_since_epoch().count());
    if (const std::uint32_t role = ledger.role_of(task); role > 0) tasks["roles"].push_back({task, role});
  }
  return tasks;
}

Json freed_of(const ReleasedServers& released) {
  std::vector<ServerIndex> servers;
  for (std::size_t i = 0; i < released.size(); ++i) servers.push_back(released[i]);
  std::sort(servers.begin(), servers.end());
  return servers;
}

Json usage_of(const ShareContext& context) {
  if (!context.usage) return {};
  Json users = Json::array();
  for (const UserIndex user : context.ledger.users.present()) {
    const DecayedUsage::Row& row = context.usage->row(user);
    users.push_back({row.usage, row.key, row.since.time_since_epoch().count()});
  }
  const std::optional<Time> refreshed = context.usage->refreshed();
  return {{"refreshed", refreshed ? Json(refreshed->time_since_epoch().count()) : Json()},
          {"users", std::move(users)}};
}

Json count_of(Time time) { return time.time_since_epoch().count(); }

Json reservations_of(const std::optional<ReservationPolicy>& policy, const Ledger& ledger) {
  if (!policy) return {};
  const ReservationPolicy::Memory& memory = policy->memory();
  Json kept = Json::array();
  for (const Reservations::Kept& each : memory.present.kept) {
    const QueueRow& queue = ledger.queues[each.queue];
    kept.push_back({each.server, queue.user, queue.task_class, count_of(each.since)});
  }
  Json waited = Json::array();
  for (const UserIndex user : ledger.users.present()) {
    Json& of_user = waited.emplace_back(Json::array());
    for (const QueueIndex queue : ledger.users[user].queues)
      of_user.push_back(count_of(ledger.queues[queue].since));
  }
  return {{"looked", memory.searched ? count_of(*memory.searched) : Json()},
          {"kept", std::move(kept)},
          {"met", memory.met},
          {"since", std::move(waited)}};
}

Json preemption_of(const std::optional<PreemptionPolicy>& preemption) {
  if (!preemption) return {};
  const PreemptionPolicy::Memory memory = preemption->memory();
  Json ended = Json::array();
  for (const auto& [when, tasks] : memory.ended) ended.push_back({count_of(when), tasks});
  Json json = {{"ended", std::move(ended)}, {"again", memory.is_futile ? count_of(memory.again) : Json()}};
  if (!memory.started.empty()) json["started"] = memory.started;
  return json;
}

Json parked_of(const ReadyQueue& ready) {
  Json tournaments = Json::array();
  ready.for_each_tournament([&](TournamentId tournament) {
    std::vector<TaskClassIndex> task_classes;
    const Bracket& bracket = *ready.bracket(tournament);
    for (const UnschedulableClasses* const parked : {&bracket.parked(), &bracket.parked_constrained()}) {
      for (const UnschedulableClasses::Place at : parked->places())
        task_classes.push_back(parked->task_class(at));
    }
    std::sort(task_classes.begin(), task_classes.end());
    if (!task_classes.empty()) tournaments.push_back({number_of(tournament), task_classes});
  });
  return tournaments;
}

}  // namespace

std::string snapshot(const Engine& engine) {
  const Engine::State& state = *engine.state_;
  const std::optional<DominanceBalance>& balance = state.placement.balance();
  const bool brings_back = state.shares.are_stale && state.shares.tournaments.follow_capacities();
  const Json whole = {{"mirab", "engine"},
                      {"version", kSnapshotVersion},
                      {"decision_version", kDecisionVersion},
                      {"options", json_of(state.options)},
                      {"now", state.now.time_since_epoch().count()},
                      {"jobs_before", state.ledger.jobs_before},
                      {"waits_before", state.ledger.waits_before},
                      {"last_used", state.placement.last_used()},
                      {"stale", state.shares.are_stale},
                      {"rounds", rounds_of(state.shares.context.rounds)},
                      {"kinds", server_classes_of(state.ledger.server_classes)},
                      {"servers", servers_of(state.ledger)},
                      {"sets", sets_of(state.ledger)},
                      {"held", held_of(state.ledger)},
                      {"adopts", state.ledger.adopts},
                      {"shapes", task_classes_of(state.ledger.task_classes)},
                      {"groups", groups_of(state.ledger)},
                      {"users", users_of(state.ledger)},
                      {"seen", seen_by(state.ledger)},
                      {"jobs", numbers_of(state.ledger.jobs)},
                      {"tasks", tasks_of(state.ledger)},
                      {"not_counted", balance ? Json(balance->not_counted()) : Json()},
                      {"usage", usage_of(state.shares.context)},
                      {"reservations", reservations_of(state.reservations, state.ledger)},
                      {"preemption", preemption_of(state.preemption)},
                      {"freed", freed_of(state.dispatcher.released())},
                      {"aside", brings_back ? Json::array() : parked_of(state.dispatcher.ready())}};
  std::string bytes;
  Json::to_cbor(whole, bytes);
  return bytes;
}

}  // namespace mirab::scheduling
