// What has to be kept of an engine, and what has not:
//
//  - Identifiers: how often every number was given, and the vacant numbers in the order in which they will be
//    given. Vacant servers are given lowest first, so for them no order is kept.
//  - Kinds of servers with their numbers, since these break ties; the lowest vacant one is given first.
//  - task classes with their numbers, since the mix of wishes breaks ties by them.
//  - The tasks in an order in which they may have started. Tasks are listed newest first by jobs and by
//    servers, so that starting them once more in this order makes the same lists.
//  - Which tasks mrfs does not count in Ψ, which depends on what ran there when they started.
//  - What is set aside, and where something was freed since: with ties at random, one who fits nowhere and is
//    not aside costs a draw before that is noticed.
//  - The arrivals, the rounds of the lines, the last server used.
//  - With reservations, who is kept what since when, which tasks started so, since when queues wait for a
//  task, and when it was last
//    looked who is due; with preemption, the latest times of it, and until when it is not to be looked for.
//
// Not kept, because it follows from the rest: what is free, used and running; Ψ, of the tasks that count;
// keys, which are functions of the state, and the order of the race, which is strict, so that no tournament's
// shape matters; numbers of queues, of selections and of descriptions of servers; prices and tasks alone,
// which were computed from what is here since it last changed, or are stale, which is kept, and computed
// before they are used again. While keys are stale and there are several lanes nothing is kept aside:
// bringing the keys up to date brings all of it back.
#include <algorithm>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engine_state.hpp"
#include "scheduling/persistence/engine_json.hpp"

namespace mirab::scheduling {
namespace {

template <class Row, class Id>
Json numbers_of(const Slots<Row, Id>& slots) {
  const auto numbers = slots.numbers();
  return {{"generations", numbers.generations}, {"vacant", numbers.vacant}};
}

Json rounds_of(const Rounds& rounds) { return {{"next", rounds.next()}, {"present", rounds.present()}}; }

Json kinds_of(const Kinds& kinds) {
  Json capacities = Json::array();
  for (std::uint32_t kind = 0; kind < kinds.capacities().size(); ++kind)
    capacities.push_back(kinds.servers(kind) > 0 ? Json(kinds.capacities()[kind]) : Json());
  return capacities;
}

Json servers_of(const Accounts& accounts) {
  Json present = Json::array();
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (!accounts.servers.holds(server)) continue;
    const ServerRow& row = accounts.servers[server];
    const auto& [name, labels] = accounts.shapes.eligibility.description_of(server);
    present.push_back({server, row.kind, name, scheduling::json_of(labels), row.drained});
  }
  return {{"generations", accounts.servers.numbers().generations}, {"present", std::move(present)}};
}

Json shapes_of(const TaskClasses& shapes) {
  Json wishes = Json::array();
  for (std::uint32_t shape = 0; shape < shapes.end(); ++shape) {
    Json& wish = wishes.emplace_back();
    if (shapes.holders(shape) > 0) add_wish(wish, shapes.job_of(shape));
  }
  return {{"wishes", std::move(wishes)},
          {"vacant", std::vector(shapes.vacant().begin(), shapes.vacant().end())}};
}

/// The jobs of each queue, oldest first.
std::vector<std::vector<std::uint32_t>> jobs_by_queue(const Accounts& accounts) {
  std::vector<std::vector<std::uint32_t>> jobs(accounts.queues.size());
  for (std::uint32_t job = 0; job < accounts.jobs.end(); ++job) {
    if (accounts.jobs.holds(job)) jobs[accounts.jobs[job].queue].push_back(job);
  }
  for (std::vector<std::uint32_t>& of_queue : jobs) {
    std::sort(of_queue.begin(), of_queue.end(), [&](std::uint32_t a, std::uint32_t b) {
      return accounts.jobs[a].sequence < accounts.jobs[b].sequence;
    });
  }
  return jobs;
}

Json users_of(const Accounts& accounts) {
  const std::vector<std::vector<std::uint32_t>> jobs = jobs_by_queue(accounts);
  Json users = numbers_of(accounts.users);
  users["before"] = accounts.users_before;
  Json& present = users["present"] = Json::array();
  for (std::uint32_t user = 0; user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    const UserRow& row = accounts.users[user];
    Json queues = Json::array();
    for (const std::uint32_t queue : row.queues) {
      Json of_queue = Json::array();
      for (const std::uint32_t job : jobs[queue])
        of_queue.push_back({job, accounts.jobs[job].waiting, accounts.jobs[job].sequence});
      queues.push_back({accounts.queues[queue].shape, accounts.queues[queue].arrival, std::move(of_queue)});
    }
    present.push_back(
        {user, row.name, row.weight.numerator, row.weight.denominator, row.order, std::move(queues)});
  }
  return users;
}

/// All tasks, each after those that it stands before in the lists of its job and of its server: in an order
/// in which they may have started, the same for equal lists. O(tasks).
std::vector<std::uint32_t> in_order_of_start(const Accounts& accounts) {
  const auto& tasks = accounts.tasks;
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> older(tasks.end(), 0);  // lists in which an older one is still to come
  for (std::uint32_t task = 0; task < tasks.end(); ++task) {
    if (!tasks.holds(task)) continue;
    if (tasks[task].next_of_job != kNone) ++older[task];
    if (tasks[task].next_on_server != kNone) ++older[task];
    if (older[task] == 0) order.push_back(task);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t newer : {tasks[order[i]].previous_of_job, tasks[order[i]].previous_on_server}) {
      if (newer != kNone && --older[newer] == 0) order.push_back(newer);
    }
  }
  MIRAB_ASSERT(order.size() == tasks.size(), "the lists of tasks are not in one order");
  return order;
}

Json tasks_of(const Accounts& accounts) {
  Json tasks = numbers_of(accounts.tasks);
  for (const char* const column : {"number", "job", "server", "started"}) tasks[column] = Json::array();
  for (const std::uint32_t task : in_order_of_start(accounts)) {
    const TaskRow& row = accounts.tasks[task];
    tasks["number"].push_back(task);
    tasks["job"].push_back(row.job);
    tasks["server"].push_back(row.server);
    tasks["started"].push_back(row.started.time_since_epoch().count());
  }
  return tasks;
}

Json freed_of(const ReleasedServers& freed) {
  std::vector<std::uint32_t> servers;
  for (std::size_t i = 0; i < freed.size(); ++i) servers.push_back(freed[i]);
  std::sort(servers.begin(), servers.end());
  return servers;
}

Json usage_of(const Standing& standing) {
  if (!standing.usage) return {};
  Json users = Json::array();
  for (std::uint32_t user = 0; user < standing.accounts.users.end(); ++user) {
    if (!standing.accounts.users.holds(user)) continue;
    const DecayedUsage::Row& row = standing.usage->row(user);
    users.push_back({row.usage, row.key, row.since.time_since_epoch().count()});
  }
  const std::optional<Time> refreshed = standing.usage->refreshed();
  return {{"refreshed", refreshed ? Json(refreshed->time_since_epoch().count()) : Json()},
          {"users", std::move(users)}};
}

Json count_of(Time time) { return time.time_since_epoch().count(); }

Json reservations_of(const std::optional<Reservations>& reservations, const Accounts& accounts) {
  if (!reservations) return {};
  Json kept = Json::array();
  for (const Reservations::Kept& each : reservations->kept) {
    const QueueRow& queue = accounts.queues[each.queue];
    kept.push_back({each.server, queue.user, queue.shape, count_of(each.since)});
  }
  Json waited = Json::array();
  for (std::uint32_t user = 0; user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    Json& of_user = waited.emplace_back(Json::array());
    for (const std::uint32_t queue : accounts.users[user].queues)
      of_user.push_back(count_of(accounts.queues[queue].since));
  }
  return {{"looked", reservations->looked ? count_of(*reservations->looked) : Json()},
          {"kept", std::move(kept)},
          {"met", reservations->met},
          {"since", std::move(waited)}};
}

Json preemption_of(const std::optional<Preemption>& preemption) {
  if (!preemption) return {};
  const Preemption::Memory memory = preemption->memory();
  Json ended = Json::array();
  for (const auto& [when, tasks] : memory.ended) ended.push_back({count_of(when), tasks});
  return {{"ended", std::move(ended)}, {"again", memory.is_futile ? count_of(memory.again) : Json()}};
}

Json parked_of(const ReadyQueue& race) {
  Json lanes = Json::array();
  for (std::uint32_t lane = 0; lane < race.lane_count(); ++lane) {
    const std::vector<std::uint32_t> shapes = race.aside(lane);
    if (!shapes.empty()) lanes.push_back({lane, shapes});
  }
  return lanes;
}

}  // namespace

std::string snapshot(const Engine& engine) {
  const Engine::State& state = *engine.state_;
  const bool brings_back = state.keys_are_stale && state.whom.discipline->lanes != Lanes::one;
  const Json whole = {{"mirab", "engine"},
                      {"version", kSnapshotVersion},
                      {"options", json_of(state.options)},
                      {"now", state.now.time_since_epoch().count()},
                      {"jobs_before", state.jobs_before},
                      {"waits_before", state.waits_before},
                      {"last_used", state.last_used},
                      {"stale", state.keys_are_stale},
                      {"rounds", rounds_of(state.standing.rounds)},
                      {"kinds", kinds_of(state.kinds)},
                      {"servers", servers_of(state.accounts)},
                      {"shapes", shapes_of(state.accounts.shapes)},
                      {"users", users_of(state.accounts)},
                      {"jobs", numbers_of(state.accounts.jobs)},
                      {"tasks", tasks_of(state.accounts)},
                      {"not_counted", state.balance ? Json(state.balance->not_counted()) : Json()},
                      {"usage", usage_of(state.standing)},
                      {"reservations", reservations_of(state.reservations, state.accounts)},
                      {"preemption", preemption_of(state.preemption)},
                      {"freed", freed_of(state.freed)},
                      {"aside", brings_back ? Json::array() : parked_of(state.race)}};
  std::string bytes;
  Json::to_cbor(whole, bytes);
  return bytes;
}

}  // namespace mirab::scheduling
