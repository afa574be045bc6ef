// An engine from a snapshot: first the check of the bytes, then the ledger, then the rest of the state.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/engine_state.hpp"
#include "scheduling/event_checks.hpp"
#include "scheduling/persistence/cbor.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::scheduling {

// The ledger of a snapshot: servers come, users and jobs, and then every task starts once more, in the
// order in which it may have started. Each step is checked before it is made.

namespace {

constexpr std::uint32_t kMaxGenerations = INT32_MAX;  // then a number is used up

template <class I>
I index_in(const JsonReader& json) {
  return I(json.integer<std::uint32_t>(0, kMaxNumber));
}
template <class I>
std::vector<I> indices_in(const JsonReader& json) {
  std::vector<I> indices;
  for (const std::uint32_t number : json.integers<std::uint32_t>(0, kMaxNumber)) indices.emplace_back(number);
  return indices;
}

template <class Row, class Id>
typename Slots<Row, Id>::Numbers numbers_of(const JsonReader& json) {
  typename Slots<Row, Id>::Numbers numbers;
  numbers.generations = json["generations"].integers<std::uint32_t>(0, kMaxGenerations);
  if (const auto vacant = json.find("vacant")) numbers.vacant = indices_in<Index<Id>>(*vacant);
  return numbers;
}

/// Every number that holds no row is vacant once, unless it is used up; none that holds one is.
template <class Row, class Id>
bool is_consistent(const Slots<Row, Id>& slots) {
  const auto numbers = slots.numbers();
  IndexedVector<Index<Id>, bool> is_vacant(slots.index_count(), false);
  for (const Index<Id> index : numbers.vacant) {
    if (!is_vacant.holds(index) || is_vacant[index] || slots.holds(index)) return false;
    is_vacant[index] = true;
  }
  for (const Index<Id> index : slots.indices()) {
    const std::uint32_t generation = numbers.generations[index.number()];
    if (slots.holds(index) && generation == kMaxGenerations) return false;
    if (!slots.holds(index) && is_vacant[index] == (generation == kMaxGenerations)) return false;
    if (is_vacant[index] && generation == 0) return false;
  }
  return true;
}

template <class Row, class Id>
bool is_free(const Slots<Row, Id>& slots, Index<Id> index) {
  return index.number() < slots.index_count() && !slots.holds(index);
}

/// Reads the index of a row that is to be put into its place.
template <class Row, class Id>
Index<Id> free_index(const JsonReader& json, const Slots<Row, Id>& slots) {
  const auto index = index_in<Index<Id>>(json);
  if (!json.failed() && !is_free(slots, index)) json.refuse("a number without a generation, or given twice");
  return index;
}

void refuse_if(const JsonReader& json, Check bad) {
  if (bad) json.refuse(bad->message);
}

using Names = std::span<const std::string>;  // of the resources

using ClassCapacities = IndexedVector<ServerClassIndex, std::optional<Amounts>>;

ClassCapacities read_server_classes(const JsonReader& json, Names resources, ServerClasses& server_classes) {
  ClassCapacities capacities;
  json.for_each([&](const JsonReader& item) {
    std::optional<Amounts>& capacity = capacities[capacities.push_back({})];
    if (item.is_null()) return;
    capacity = amounts_of(item);
    if (!json.failed()) refuse_if(item, check_amounts(*capacity, {}, resources));
  });
  if (!json.failed() && !server_classes.set_capacities(capacities, resources.size()))
    json.refuse("duplicate kind of server");
  return capacities;
}

void read_servers(const JsonReader& json, const ClassCapacities& of_classes, Names resources,
                  Ledger& ledger) {
  ledger.servers.set_numbers(numbers_of<ServerRow, ServerId>(json));
  IndexedVector<ServerIndex, std::optional<Amounts>> capacities(ledger.servers.index_count());
  json["present"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(5);
    if (json.failed()) return;
    const ServerIndex server = free_index(parts[0], ledger.servers);
    const auto server_class = index_in<ServerClassIndex>(parts[1]);
    const Eligibility::Description description{.name = parts[2].text(), .labels = texts_of(parts[3])};
    const bool drained = parts[4].truth();
    if (json.failed()) return;
    if (!of_classes.holds(server_class) || !of_classes[server_class])
      return parts[1].refuse("there is no such kind");
    const Amounts& capacity = *of_classes[server_class];
    capacities[server] = capacity;
    ledger.server_classes.hold(server, capacity);
    ledger.task_classes.eligibility.server_added(server, description);
    ledger.servers.add_at(server, {.server_class = server_class, .drained = drained});
  });
  if (json.failed()) return;
  for (const ServerClassIndex server_class : of_classes.indices()) {
    if (of_classes[server_class] && ledger.server_classes.servers(server_class) == 0)
      json.refuse("a kind without servers");
  }
  // Numbers of the pool come in order; those of vacant servers are given and returned.
  const Amounts nothing(ledger.resource_count(), 0);
  for (const std::optional<Amounts>& capacity : capacities) {
    if (json.failed()) return;
    refuse_if(json, check_pool(capacity.value_or(nothing), {}, ledger.server_pool.pool(), resources));
    if (!json.failed()) ledger.server_pool.add(capacity.value_or(nothing));
  }
  for (const ServerIndex server : ledger.server_pool.indices()) {
    if (!capacities[server]) ledger.server_pool.remove(server);
  }
}

void read_sets(const JsonReader& json, Ledger& ledger) {
  for (const auto& [name, set] : json.members()) {
    const auto servers = indices_in<ServerIndex>(set);
    if (!json.failed() && servers.empty()) set.refuse("a set without servers");
    for (const ServerIndex server : servers) {
      if (json.failed()) return;
      if (!ledger.servers.holds(server)) return set.refuse("there is no such server");
      ledger.task_classes.eligibility.enter_set(name, server);
    }
  }
}

void read_held(const JsonReader& json, Names resources, Ledger& ledger) {
  json.for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    const auto server = index_in<ServerIndex>(parts[0]);
    const Amounts amounts = amounts_of(parts[1]);
    if (json.failed()) return;
    refuse_if(parts[1], check_amounts(amounts, {}, resources));
    if (!ledger.servers.holds(server)) parts[0].refuse("there is no such server");
    if (!json.failed()) ledger.server_pool.hold(server, amounts);
  });
}

void read_task_classes(const JsonReader& json, Names resources, TaskClasses& task_classes) {
  json["wishes"].for_each([&](const JsonReader& item) {
    if (item.is_null()) return task_classes.add_vacant();
    JobSubmitted wish{.user = {}, .demand = {}, .tasks = INT64_MAX};  // of however many tasks
    read_wish(item, wish);
    if (!wish.roles.empty()) wish.tasks = 1;  // the roles say it
    if (!json.failed()) refuse_if(item, check_job(wish, resources));
    if (json.failed()) return;
    const std::size_t expected = task_classes.index_count();
    if (task_classes.hold(wish).number() != expected) item.refuse("duplicate wish");
  });
  const auto vacant = indices_in<TaskClassIndex>(json["vacant"]);
  IndexedVector<TaskClassIndex, bool> is_vacant(task_classes.index_count(), false);
  for (const TaskClassIndex task_class : vacant) {
    if (!is_vacant.holds(task_class) || task_classes.holds(task_class) || is_vacant[task_class])
      return json.refuse("an invalid or duplicate vacant number");
    is_vacant[task_class] = true;
  }
  for (const TaskClassIndex task_class : task_classes.indices()) {
    if (!task_classes.holds(task_class) && !is_vacant[task_class])
      return json.refuse("a number without a wish is not vacant");
  }
  task_classes.set_vacant(vacant);
}

/// The rank of a job, and whether it may be preempted.
std::pair<Rank, bool> read_marks(const JsonReader& rank, const JsonReader& may_be_preempted) {
  const std::vector<std::int64_t> parts = rank.integers<std::int64_t>(INT64_MIN, INT64_MAX);
  if (!rank.failed() && parts.size() != 3) rank.refuse("a rank has 3 numbers");
  if (rank.failed()) return {};
  return {{.priority = parts[0], .time = Time(Duration(parts[1])), .tie = parts[2]},
          may_be_preempted.truth()};
}

/// How many tasks of each role wait; none without roles.
std::vector<std::int64_t> waiting_by_role(const JsonReader& json, std::span<const std::int64_t> roles) {
  if (roles.empty()) return {};
  std::vector<std::int64_t> waiting = json.integers<std::int64_t>(0, kMaxGang);
  if (!json.failed() && waiting.size() != roles.size())
    json.refuse("a number for each role is expected here");
  return waiting;
}

void read_queue(const JsonReader& json, UserIndex user, Ledger& ledger) {
  const std::vector<JsonReader> parts = json.items(3);
  if (json.failed()) return;
  const auto task_class = index_in<TaskClassIndex>(parts[0]);
  const auto arrival = parts[1].integer<std::uint64_t>(0, UINT64_MAX);
  if (json.failed()) return;
  if (!ledger.task_classes.holds(task_class)) return parts[0].refuse("there is no such wish");
  if (arrival >= ledger.waits_before) return parts[1].refuse("an arrival after the latest");
  if (find_queue(ledger, user, task_class) != kNone)
    return parts[0].refuse("a wish has two queues of one user");
  if (ledger.task_classes.terms(task_class) != nullptr && ledger.task_classes.holders(task_class) > 1)
    return parts[0].refuse("a wish with terms has two queues");
  const QueueIndex queue = ledger.add_queue(user, task_class);
  ledger.task_classes.retain(task_class);
  ledger.queues[queue].arrival = arrival;
  std::optional<std::uint64_t> latest;
  parts[2].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> of_job = item.items();
    if (!json.failed() && of_job.size() != 3 && of_job.size() != 5)
      item.refuse("a job of 3 or 5 items is expected here");
    if (json.failed()) return;
    const JobIndex job = free_index(of_job[0], ledger.jobs);
    const std::vector<std::int64_t> by_role =
        waiting_by_role(of_job[1], ledger.task_classes.roles(task_class));
    if (json.failed()) return;
    const std::int64_t waiting = by_role.empty()
                                     ? of_job[1].integer<std::int64_t>(0, INT64_MAX)
                                     : std::accumulate(by_role.begin(), by_role.end(), std::int64_t{0});
    const auto sequence = of_job[2].integer<std::uint64_t>(0, UINT64_MAX);
    if (json.failed()) return;
    if (sequence >= ledger.jobs_before || (latest && sequence <= *latest))
      return of_job[2].refuse("a job after the latest, or not in order");
    latest = sequence;
    const auto [rank, may_be_preempted] =
        of_job.size() == 5 ? read_marks(of_job[3], of_job[4]) : std::pair(Rank(), true);
    if (json.failed()) return;
    ledger.jobs.put_back(job, {.queue = queue,
                               .waiting = waiting,
                               .sequence = sequence,
                               .rank = rank,
                               .may_be_preempted = may_be_preempted});
    if (!by_role.empty()) ledger.set_waiting_by_role(job, by_role);
    if (rank.priority != 0) ledger.has_priorities = true;
    ++ledger.queues[queue].jobs;
  });
  if (!json.failed() && !latest) parts[2].refuse("a queue without jobs");
}

/// Of a group or user, whose members are promised nothing as yet: that is checked when all are there.
NodeQuota read_quota(const JsonReader& json, Names resources) {
  NodeQuota quota;
  const std::vector<JsonReader> parts = json.items(3);
  if (json.failed()) return quota;
  const auto read = [&](const JsonReader& part) {
    Amounts amounts = amounts_of(part);
    if (!json.failed()) refuse_if(part, check_amounts(amounts, {}, resources));
    return amounts;
  };
  if (!parts[0].is_null()) quota.guarantee = read(parts[0]);
  if (!parts[1].is_null()) quota.limit = read(parts[1]);
  if (!parts[2].is_null()) quota.reserved = read(parts[2]);
  return quota;
}

Weight read_weight(const JsonReader& numerator, const JsonReader& denominator) {
  const Weight weight{.numerator = numerator.integer<std::uint64_t>(0, UINT64_MAX),
                      .denominator = denominator.integer<std::uint64_t>(1, UINT64_MAX)};
  if (!numerator.failed() && std::gcd(weight.numerator, weight.denominator) != 1)
    numerator.refuse("a weight that is not in lowest terms");
  return weight;
}

/// The sums of what members are guaranteed stay countable: no more was ever promised than the cluster had.
bool is_countable(const Ledger& ledger, GroupIndex parent, const NodeQuota& quota) {
  for (std::size_t r = 0; quota.guarantee && r < quota.guarantee->size(); ++r) {
    for (GroupIndex group = parent; group != kNone; group = ledger.groups[group].parent) {
      if ((*quota.guarantee)[r] > INT64_MAX - ledger.groups[group].promised[r]) return false;
    }
  }
  return true;
}

void read_groups(const JsonReader& json, Names resources, Ledger& ledger) {
  const auto numbers = numbers_of<GroupRow, GroupId>(json);
  if (json.failed()) return;
  if (numbers.generations.empty() || numbers.generations.front() != 0)
    return json.refuse("the cluster itself is missing");
  GroupRow root = std::move(ledger.groups[kRoot]);
  ledger.groups.remove(kRoot);
  ledger.groups.set_numbers(numbers);
  ledger.put_group_back(kRoot, std::move(root));
  json["present"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(6);
    if (json.failed()) return;
    const GroupIndex group = free_index(parts[0], ledger.groups);
    const auto parent = index_in<GroupIndex>(parts[2]);
    GroupRow row{.name = parts[1].text(),
                 .parent = parent,
                 .weight = read_weight(parts[3], parts[4]),
                 .quota = read_quota(parts[5], resources)};
    if (json.failed()) return;
    if (!ledger.groups.holds(parent)) return parts[2].refuse("a group before the one around it");
    if (depth_of(ledger, parent) + 1 > kMostDepth) return parts[2].refuse("groups nested too deep");
    if (!is_countable(ledger, parent, row.quota)) return parts[5].refuse("guarantees that cannot be counted");
    ledger.put_group_back(group, std::move(row));
  });
}

/// What no event leaves: a guarantee below its members', a reserve above it, a limit below it.
void check_quotas(const JsonReader& json, Names resources, const Ledger& ledger) {
  const Amounts nothing(resources.size(), 0);
  for (const GroupIndex group : ledger.groups.present())
    refuse_if(json, check_quota(ledger.groups[group].quota, ledger.groups[group].promised, resources));
  for (const UserIndex user : ledger.users.present())
    refuse_if(json, check_quota(ledger.users[user].quota, nothing, resources));
}

void read_users(const JsonReader& json, Names resources, Ledger& ledger) {
  ledger.set_user_numbers(numbers_of<UserRow, UserId>(json));
  ledger.users_before = json["before"].integer<std::uint64_t>(0, UINT64_MAX);
  std::set<std::uint64_t> orders;
  json["present"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(9);
    if (json.failed()) return;
    const UserIndex user = free_index(parts[0], ledger.users);
    UserRow row{.name = parts[1].text(),
                .weight = read_weight(parts[2], parts[3]),
                .group = index_in<GroupIndex>(parts[6]),
                .quota = read_quota(parts[7], resources),
                .tier = parts[8].integer<std::int64_t>(0, INT64_MAX),
                .order = parts[4].integer<std::uint64_t>(0, UINT64_MAX)};
    if (json.failed()) return;
    if (!ledger.groups.holds(row.group)) return parts[6].refuse("there is no such group");
    if (!is_countable(ledger, row.group, row.quota))
      return parts[7].refuse("guarantees that cannot be counted");
    if (row.order >= ledger.users_before || !orders.insert(row.order).second)
      return parts[4].refuse("a user after the latest, or two at once");
    ledger.put_user_back(user, std::move(row));
    parts[5].for_each([&](const JsonReader& queue) { read_queue(queue, user, ledger); });
  });
}

/// The roles of the tasks of which they are not the first.
std::map<TaskIndex, std::uint32_t> roles_of_tasks(const JsonReader& json) {
  std::map<TaskIndex, std::uint32_t> roles;
  const auto found = json.find("roles");
  if (!found) return roles;
  found->for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    const auto task = index_in<TaskIndex>(parts[0]);
    const auto role = parts[1].integer<std::uint32_t>(1, kMaxNumber);
    if (!json.failed() && !roles.emplace(task, role).second) item.refuse("two roles of a task");
  });
  return roles;
}

bool has_room_for_role(const Ledger& ledger, TaskClassIndex task_class, ServerIndex server,
                       std::uint32_t role) {
  if (!ledger.task_classes.has_roles(task_class)) return ledger.has_room(task_class, server);
  const DemandAlternative& way = ledger.task_classes.alternatives(task_class)[role];
  return ledger.task_classes.eligibility.contains(way.servers, server) &&
         ledger.server_pool.has_room(server, way.demand);
}

void read_tasks(const JsonReader& json, Time now, Ledger& ledger) {
  ledger.tasks.set_numbers(numbers_of<TaskRow, TaskId>(json));
  const auto tasks = indices_in<TaskIndex>(json["number"]);
  const auto jobs = indices_in<JobIndex>(json["job"]);
  const auto servers = indices_in<ServerIndex>(json["server"]);
  const auto started = json["started"].integers<std::int64_t>(INT64_MIN, now.time_since_epoch().count());
  if (json.failed()) return;
  if (jobs.size() != tasks.size() || servers.size() != tasks.size() || started.size() != tasks.size())
    return json.refuse("columns of different lengths");
  const std::map<TaskIndex, std::uint32_t> of_tasks = roles_of_tasks(json);
  if (json.failed()) return;
  const auto role_of = [&](std::size_t i) {
    const auto known = of_tasks.find(tasks[i]);
    return known == of_tasks.end() ? 0 : known->second;
  };
  // At first all tasks wait; then those that run start.
  std::map<JobIndex, std::vector<std::int64_t>> by_role;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobIndex job = jobs[i];
    if (!ledger.jobs.holds(job) || ledger.jobs[job].waiting == INT64_MAX)
      return json["job"].refuse(fmt::format("there is no job {}, or it has too many tasks", job.number()));
    ++ledger.jobs[job].waiting;
    const std::span<const std::int64_t> waiting = ledger.waiting_by_role(job);
    if (waiting.empty() ? role_of(i) > 0 : role_of(i) >= waiting.size())
      return json["roles"].refuse(fmt::format("job {} has no such role", job.number()));
    if (waiting.empty()) continue;
    const auto [more, is_new] = by_role.try_emplace(job);
    if (is_new) more->second.assign(waiting.begin(), waiting.end());
    ++more->second[role_of(i)];
  }
  for (auto& [job, waiting] : by_role) ledger.set_waiting_by_role(job, std::move(waiting));
  for (const JobIndex job : ledger.jobs.present()) {
    if (ledger.jobs[job].waiting == 0)
      return json["job"].refuse(fmt::format("job {} has no tasks", job.number()));
    ledger.enqueue(job);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!is_free(ledger.tasks, tasks[i]))
      return json["number"].refuse("a number without a generation, or given twice");
    const bool may_run =
        ledger.adopts ? ledger.servers.holds(servers[i]) && ledger.may_count(jobs[i], servers[i], role_of(i))
                      : has_room_for_role(ledger, ledger.task_class_of(jobs[i]), servers[i], role_of(i));
    if (!may_run)
      return json["server"].refuse(
          fmt::format("server {} has no room for task {}", servers[i].number(), tasks[i].number()));
    ledger.start_again(tasks[i], jobs[i], servers[i], Time(Duration(started[i])), role_of(i));
  }
}

/// The kinds of tasks that users had, and those below groups, each [number, demands].
void read_seen_kinds(const JsonReader& seen, Names resources, Ledger& ledger) {
  const auto read = [&]<class I>(const char* member, const auto& holds, const auto& node_of, I /*of*/) {
    seen[member].for_each([&](const JsonReader& item) {
      const std::vector<JsonReader> parts = item.items(2);
      if (seen.failed()) return;
      const I index = index_in<I>(parts[0]);
      if (seen.failed()) return;
      if (!holds(index)) return parts[0].refuse("there is no such user or group");
      std::vector<Amounts> kinds;
      parts[1].for_each([&](const JsonReader& kind) {
        Amounts amounts = amounts_of(kind);
        if (!seen.failed()) refuse_if(kind, check_amounts(amounts, {}, resources));
        if (seen.failed()) return;
        if (kinds.size() > DemandsSeen::kMost) return kind.refuse("more kinds of tasks than are kept");
        if (kinds.size() < DemandsSeen::kMost &&
            std::find(kinds.begin(), kinds.end(), amounts) != kinds.end())
          return kind.refuse("a kind of task that is given twice");
        kinds.push_back(std::move(amounts));
      });
      ledger.set_seen(node_of(index), DemandsSeen(std::move(kinds)));
    });
  };
  read(
      "users", [&](UserIndex user) { return ledger.users.holds(user); },
      [](UserIndex user) { return TreeNode{.user = user}; }, UserIndex());
  if (seen.failed()) return;
  read(
      "groups", [&](GroupIndex group) { return group != kRoot && ledger.groups.holds(group); },
      [](GroupIndex group) { return TreeNode{.group = group}; }, GroupIndex());
}

/// What waits and runs tells of the kinds, and up to decision version 8 a snapshot tells of no others: that
/// version kept the largest demand of each resource, which is no kind.
void see_what_there_is(Ledger& ledger) {
  for (const UserIndex user : ledger.users.present()) {
    for (const QueueIndex queue : ledger.users[user].queues)
      ledger.task_classes.for_each_demand(ledger.queues[queue].task_class,
                                          [&](const Amounts& demand) { ledger.note_demand(user, demand); });
  }
}

void read_seen(const JsonReader& json, Names resources, Ledger& ledger) {
  constexpr int kFirstWithKinds = 9;
  if (json["decision_version"].integer<int>(0, std::numeric_limits<int>::max()) < kFirstWithKinds) {
    see_what_there_is(ledger);
  } else {
    read_seen_kinds(json["seen"], resources, ledger);
  }
}

void read_ledger(const JsonReader& json, Names resources, Time now, Ledger& ledger) {
  ledger.jobs_before = json["jobs_before"].integer<std::uint64_t>(0, UINT64_MAX);
  ledger.waits_before = json["waits_before"].integer<std::uint64_t>(0, UINT64_MAX);
  const ClassCapacities of_classes = read_server_classes(json["kinds"], resources, ledger.server_classes);
  if (json.failed()) return;
  ledger.adopts = json["adopts"].truth();
  read_servers(json["servers"], of_classes, resources, ledger);
  if (json.failed()) return;
  read_sets(json["sets"], ledger);
  read_task_classes(json["shapes"], resources, ledger.task_classes);
  ledger.jobs.set_numbers(numbers_of<JobRow, JobId>(json["jobs"]));
  read_groups(json["groups"], resources, ledger);
  if (json.failed()) return;
  read_users(json["users"], resources, ledger);
  if (json.failed()) return;
  check_quotas(json["groups"], resources, ledger);
  if (json.failed()) return;
  ledger.charge_all();
  // Every wish was held once while the queues were put in place, and they hold it now.
  for (const TaskClassIndex task_class : ledger.task_classes.indices()) {
    if (ledger.task_classes.holders(task_class) == 1) return json["shapes"].refuse("an unused wish");
    if (ledger.task_classes.holders(task_class) > 1) ledger.task_classes.release(task_class);
  }
  read_tasks(json["tasks"], now, ledger);
  if (json.failed()) return;
  read_seen(json, resources, ledger);
  if (json.failed()) return;
  read_held(json["held"], resources, ledger);  // only now: tasks may run where others hold too much
  if (json.failed()) return;
  for (const ServerIndex server : ledger.servers.indices()) {
    if (ledger.servers[server].drained) ledger.server_pool.close(server);
  }
  if (!is_consistent(ledger.users) || !is_consistent(ledger.groups) || !is_consistent(ledger.jobs) ||
      !is_consistent(ledger.tasks))
    json.refuse("numbers that are neither taken nor vacant");
  const std::string broken = broken_constraint(ledger);
  if (!broken.empty()) json.refuse(broken);
}

// The state is built up as events build it. Each step is checked before it is made, so that bytes of a
// state that no engine can have lead to an error; at the end all invariants are checked once more.

void read_rounds(const JsonReader& json, ShareContext& context) {
  constexpr std::int64_t kMaxRounds = INT64_MAX / 2;
  const auto present = json["present"].integer<std::int64_t>(0, kMaxRounds);
  std::vector<std::int64_t> next = json["next"].integers<std::int64_t>(0, present + 1);
  if (next.size() != context.ledger.resource_count()) json.refuse("one number a resource is expected here");
  if (!json.failed()) context.rounds = Rounds(std::move(next), present);
}

void read_not_counted(const JsonReader& json, const Ledger& ledger, PlacementSearch& placement) {
  if (!placement.balance()) return;
  const auto tasks = indices_in<TaskIndex>(json);
  for (const TaskIndex task : tasks) {
    if (!ledger.tasks.holds(task)) return json.refuse(fmt::format("there is no task {}", task.number()));
  }
  placement.set_not_counted(tasks);
}

void read_usage(const JsonReader& json, Time now, Shares& shares) {
  ShareContext& context = shares.context;
  const Ledger& ledger = context.ledger;
  if (!context.usage) return;
  const std::int64_t latest = now.time_since_epoch().count();
  const JsonReader refreshed = json["refreshed"];
  if (!refreshed.is_null())
    context.usage->set_refreshed(Time(Duration(refreshed.integer<std::int64_t>(INT64_MIN, latest))));
  // Decisions give a user at most all of every resource, and so its usage is at most that.
  const std::vector<double>& scale = context.scale.rounded;
  const double max = ledger.adopts ? std::numeric_limits<double>::max()
                                   : std::accumulate(scale.begin(), scale.end(), 0.0) * (1 + 1e-9);
  const std::vector<JsonReader> rows = json["users"].items(ledger.users.size());
  std::size_t row = 0;
  for (const UserIndex user : ledger.users.present()) {
    if (json.failed()) return;
    const std::vector<JsonReader> parts = rows[row++].items(3);
    if (json.failed()) return;
    context.usage->set_row(user, {.usage = parts[0].number(0, max),
                                  .key = parts[1].number(0, max),
                                  .since = Time(Duration(parts[2].integer<std::int64_t>(INT64_MIN, latest))),
                                  .share = share_of(*shares.discipline, context, user)});
  }
}

void read_reservations(const JsonReader& json, Time now, Ledger& ledger, ReservationPolicy& policy) {
  ReservationPolicy::Memory memory;
  const std::int64_t latest = now.time_since_epoch().count();
  const auto time_of = [&](const JsonReader& time) {
    return Time(Duration(time.integer<std::int64_t>(INT64_MIN, latest)));
  };
  const JsonReader looked = json["looked"];
  if (!looked.is_null()) memory.searched = time_of(looked);
  const std::vector<JsonReader> of_users = json["since"].items(ledger.users.size());
  std::size_t row = 0;
  for (const UserIndex user : ledger.users.present()) {
    if (json.failed()) return;
    const std::vector<QueueIndex>& queues = ledger.users[user].queues;
    const std::vector<JsonReader> times = of_users[row++].items(queues.size());
    for (std::size_t at = 0; !json.failed() && at < queues.size(); ++at)
      ledger.queues[queues[at]].since = time_of(times[at]);
  }
  json["kept"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(4);
    if (json.failed()) return;
    const auto server = index_in<ServerIndex>(parts[0]);
    const auto user = index_in<UserIndex>(parts[1]);
    const auto task_class = index_in<TaskClassIndex>(parts[2]);
    const Time since = time_of(parts[3]);
    if (json.failed()) return;
    if (!ledger.server_pool.is_open(server)) return item.refuse("a server that cannot be kept");
    const QueueIndex queue = ledger.users.holds(user) ? find_queue(ledger, user, task_class) : kNone;
    if (queue == kNone) return item.refuse("a kept server without a queue");
    ledger.server_pool.close(server);
    memory.present.kept.push_back({.server = server, .queue = queue, .since = since});
  });
  for (const TaskIndex task : indices_in<TaskIndex>(json["met"])) {
    if (!ledger.tasks.holds(task))
      return json["met"].refuse(fmt::format("there is no task {}", task.number()));
    if (!memory.met.insert(task).second) return json["met"].refuse("duplicate task");
  }
  policy.set_memory(std::move(memory));
}

void read_preemption(const JsonReader& json, const Preempting& rule, Time now, const Ledger& ledger,
                     PreemptionPolicy& policy) {
  const std::int64_t latest = now.time_since_epoch().count();
  PreemptionPolicy::Memory memory;
  std::int64_t first = INT64_MIN;
  std::int64_t left = rule.tasks;
  json["ended"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    first = parts[0].integer<std::int64_t>(first, latest);
    const auto tasks = parts[1].integer<std::int64_t>(1, std::max<std::int64_t>(left, 1));
    if (left < tasks) return item.refuse("more tasks than may be preempted");
    left -= tasks;
    memory.ended.emplace_back(Time(Duration(first)), tasks);
  });
  const JsonReader again = json["again"];
  memory.is_futile = !again.is_null();
  if (memory.is_futile) memory.again = Time(Duration(again.integer<std::int64_t>(INT64_MIN, INT64_MAX)));
  if (const auto started = json.find("started")) {
    memory.started = indices_in<TaskIndex>(*started);
    for (const TaskIndex task : memory.started) {
      if (!json.failed() && !ledger.tasks.holds(task))
        return started->refuse(fmt::format("there is no task {}", task.number()));
    }
  }
  if (!json.failed()) policy.set_memory(std::move(memory));
}

/// Who waits, and the servers on which room was released since the latest search.
void read_order(const JsonReader& json, const Ledger& ledger, Dispatcher& dispatcher) {
  dispatcher.enter_all();
  for (const ServerIndex server : indices_in<ServerIndex>(json["freed"])) {
    if (!ledger.servers.holds(server)) return json["freed"].refuse("there is no such server");
    dispatcher.room_released(server);
  }
}

/// The task classes that were found to fit nowhere.
void read_parked(const JsonReader& json, const Ledger& ledger, const TournamentRules& tournaments,
                 Dispatcher& dispatcher) {
  const ReadyQueue& ready = dispatcher.ready();
  const ReleasedServers& released = dispatcher.released();
  const auto fits = [&](TaskClassIndex task_class, TournamentId tournament, QueueIndex first) {
    if (ledger.task_classes.terms(task_class) != nullptr)
      return batch_fits_in(ledger, tournaments, tournament, ledger.queues[first].first_job,
                           OpenServers(ledger.server_pool));
    for (const ServerIndex server : ledger.servers.indices()) {
      if (ledger.has_room(task_class, server) && tournaments.admits(tournament, task_class, server) &&
          !released.contains(server))
        return true;
    }
    return false;
  };
  json["aside"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    const TournamentId tournament = tournament_of(parts[0].integer<std::uint64_t>(0, UINT64_MAX));
    const Bracket* const bracket = ready.bracket(tournament);
    for (const TaskClassIndex task_class : indices_in<TaskClassIndex>(parts[1])) {
      if (json.failed()) return;
      if (bracket == nullptr || !bracket->waits(task_class) || bracket->is_parked(task_class) ||
          fits(task_class, tournament, bracket->first_of(task_class)))
        return parts[1].refuse("a wish that does not wait there, or has room, is aside");
      dispatcher.park(task_class, tournament);
    }
  });
}

/// Was it written by an engine that decided otherwise? Then the events that follow could bring other
/// decisions, and the parked task classes be others.
bool decided_otherwise(const JsonReader& json, EarlierDecisions earlier) {
  const int version = read_decision_version(json);
  if (json.failed() || version == kDecisionVersion) return false;
  if (earlier == EarlierDecisions::refused || version > kDecisionVersion)
    json.refuse(fmt::format("this snapshot was {}", other_decision_version(version)));
  return true;
}

}  // namespace

Result<Engine> restore(std::string_view bytes, EarlierDecisions earlier) {
  if (Check bad = check_cbor(bytes)) return *std::move(bad);
  const Json whole = Json::from_cbor(bytes, true, false);
  std::optional<Error> wrong;
  const JsonReader json(whole, wrong);
  if (json["mirab"].text() != "engine") json.refuse("this is no snapshot of an engine");
  // Form 4 is form 5 without roles.
  if (const JsonReader version = json["version"];
      version.integer<int>(0, std::numeric_limits<int>::max()) != 4)
    require_version(version, kSnapshotVersion);
  const bool forgets = decided_otherwise(json["decision_version"], earlier);
  EngineOptions options = options_of(json["options"]);
  if (wrong) return *std::move(wrong);
  Result<Engine> engine = Engine::from(std::move(options));
  if (!engine) return engine.error();
  Engine::State& state = *engine->state_;
  state.now = Time(Duration(json["now"].integer<std::int64_t>(INT64_MIN, INT64_MAX)));
  read_rounds(json["rounds"], state.shares.context);
  read_ledger(json, state.options.resources, state.now, state.ledger);
  if (!wrong) {
    const auto servers =
        static_cast<std::uint32_t>(std::max<std::size_t>(state.ledger.servers.index_count(), 1));
    state.placement.set_last_used(ServerIndex(json["last_used"].integer<std::uint32_t>(0, servers - 1)));
    if (state.ledger.has_tree()) {
      if (Check bad = state.check_tree()) json["groups"].refuse(bad->message);
    }
    read_not_counted(json["not_counted"], state.ledger, state.placement);
    read_usage(json["usage"], state.now, state.shares);
    if (state.reservations)
      read_reservations(json["reservations"], state.now, state.ledger, *state.reservations);
    if (state.preemption)
      read_preemption(json["preemption"], *state.options.preemption, state.now, state.ledger,
                      *state.preemption);
  }
  if (!wrong) {
    read_order(json, state.ledger, state.dispatcher);
    if (!forgets) read_parked(json, state.ledger, state.shares.tournaments, state.dispatcher);
    if (forgets && state.preemption) state.preemption->something_changed();
    state.shares.are_stale = json["stale"].truth();
  }
  if (!wrong) {
    const std::string broken = engine->broken_invariant();
    if (!broken.empty()) wrong = Error{.message = broken};
  }
  if (wrong) return *std::move(wrong);
  return engine;
}

}  // namespace mirab::scheduling
