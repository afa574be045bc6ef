// Who has what on which server, and the classes of servers with equal capacities.
#include "scheduling/ledger/ledger.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

namespace mirab::scheduling {

bool fits_somewhere(const Ledger& ledger, TaskClassIndex task_class, const OpenServers& open) {
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const DemandAlternative& alternative) {
    return open.any_with_room({.demand = alternative.demand,
                               .among = ledger.task_classes.eligibility.servers(alternative.servers)});
  });
}

ServerIndex Ledger::add_server(const Eligibility::Description& description, const Amounts& capacity) {
  const ServerIndex server = server_pool.add(capacity);
  servers.add_at(server, {.server_class = server_classes.hold(server, capacity)});
  task_classes.eligibility.server_added(server, description);
  return server;
}

void Ledger::resize_server(ServerIndex server, const Amounts& capacity) {
  if (adopts) {
    server_pool.resize_below_use(server, capacity);
  } else {
    server_pool.resize(server, capacity);
  }
  server_classes.release(server, servers[server].server_class);
  servers[server].server_class = server_classes.hold(server, capacity);
}

void Ledger::remove_server(ServerIndex server) {
  server_classes.release(server, servers[server].server_class);
  task_classes.eligibility.server_removed(server);
  server_pool.remove(server);
  servers.remove(server);
}

Ledger::Ledger(std::size_t resources)
    : server_pool(resources), resources_(resources), used_(resources), used_by_all_(resources, 0) {
  groups.add({.used = Amounts(resources, 0), .promised = Amounts(resources, 0), .charged = {}});
}

UserIndex Ledger::add_user(UserRow row) {
  row.order = users_before++;
  const GroupIndex group = row.group;
  const UserIndex user = users.add(std::move(row));
  used_.resize(users.index_count());
  seen_.resize(users.index_count());
  seen_[user] = {};
  enter_group(user, group);
  if (!users[user].quota.reserved.empty()) charge_all();
  return user;
}

void Ledger::set_user_numbers(Slots<UserRow, UserId>::Numbers numbers) {
  users.set_numbers(std::move(numbers));
  used_.resize(users.index_count());  // although perhaps no row is put back
  seen_.resize(users.index_count());
}

void Ledger::put_user_back(UserIndex user, UserRow row) {
  const GroupIndex group = row.group;
  users.put_back(user, std::move(row));
  enter_group(user, group);
}

void Ledger::remove_user(UserIndex user) {
  MIRAB_ASSERT(users[user].queues.empty(), "a user with jobs goes");
  const bool had_reserve = !users[user].quota.reserved.empty();
  leave_group(user);
  users.remove(user);
  if (had_reserve) charge_all();
}

QueueIndex find_queue(const Ledger& ledger, UserIndex user, TaskClassIndex task_class) {
  const std::vector<QueueIndex>& of_user = ledger.users[user].queues;
  const auto found = std::find_if(of_user.begin(), of_user.end(), [&](QueueIndex queue) {
    return ledger.queues[queue].task_class == task_class;
  });
  return found == of_user.end() ? kNone : *found;
}

QueueIndex Ledger::add_queue(UserIndex user, TaskClassIndex task_class) {
  QueueIndex queue = queues.end_index();
  if (vacant_queues_.empty()) {
    queues.push_back({});
  } else {
    queue = vacant_queues_.back();
    vacant_queues_.pop_back();
  }
  queues[queue] = QueueRow{.user = user, .task_class = task_class};
  taken_.cover(queue);
  taken_[queue].assign(task_classes.varies(task_class) ? resources_ : 0, 0);
  users[user].queues.push_back(queue);
  return queue;
}

void Ledger::remove_queue(QueueIndex queue) {
  QueueRow& row = queues[queue];
  MIRAB_ASSERT(row.jobs == 0 && row.running == 0 && row.first_job == kNone, "a queue with jobs goes");
  std::erase(users[row.user].queues, queue);
  row = {};
  vacant_queues_.push_back(queue);
  by_rank_.erase(queue);
}

/// From now on the waiting jobs of the queue are found by their order.
void Ledger::index_by_rank(QueueIndex queue) {
  const auto [index, is_new] = by_rank_.try_emplace(queue);
  if (!is_new) return;
  for (JobIndex job = queues[queue].first_job; job != kNone; job = jobs[job].next)
    index->second.emplace(jobs[job].order(), job);
}

/// The job of its queue after which it has to wait; kNone: it is the first.
JobIndex Ledger::before_in_queue(JobIndex job) {
  const JobRow& row = jobs[job];
  const JobOrder order = row.order();
  if (row.rank != Rank{}) index_by_rank(row.queue);
  if (const auto index = by_rank_.find(row.queue); index != by_rank_.end()) {
    const auto place = index->second.emplace(order, job).first;
    return place == index->second.begin() ? JobIndex(kNone) : std::prev(place)->second;
  }
  const QueueRow& queue = queues[row.queue];
  // Mostly the newest comes last, or the oldest first.
  if (queue.first_job != kNone && order < jobs[queue.first_job].order()) return kNone;
  JobIndex before = queue.last_job;
  while (before != kNone && order < jobs[before].order()) before = jobs[before].previous;
  return before;
}

void Ledger::enqueue(JobIndex job) {
  JobRow& row = jobs[job];
  QueueRow& queue = queues[row.queue];
  const JobIndex before = before_in_queue(job);
  const JobIndex after = before == kNone ? queue.first_job : jobs[before].next;
  row.previous = before;
  row.next = after;
  (before == kNone ? queue.first_job : jobs[before].next) = job;
  (after == kNone ? queue.last_job : jobs[after].previous) = job;
}

void Ledger::dequeue(JobIndex job) {
  JobRow& row = jobs[job];
  QueueRow& queue = queues[row.queue];
  (row.previous == kNone ? queue.first_job : jobs[row.previous].next) = row.next;
  (row.next == kNone ? queue.last_job : jobs[row.next].previous) = row.previous;
  row.next = row.previous = kNone;
  if (const auto index = by_rank_.find(row.queue); index != by_rank_.end()) index->second.erase(row.order());
}

void Ledger::add_use(QueueIndex queue, std::span<const std::int64_t> demand) {
  const UserIndex user = queues[queue].user;
  for (std::size_t r = 0; r < taken_[queue].size(); ++r) taken_[queue][r] += demand[r];
  if (has_reserves()) charge_use(user, demand, 1);
  for (std::size_t r = 0; r < resources_; ++r) {
    used_[user][r] += demand[r];
    used_by_all_[r] += demand[r];
  }
  add_use_of_groups(users[user].group, demand, 1, 1);
}

void Ledger::remove_use(QueueIndex queue, std::span<const std::int64_t> demand) {
  const UserIndex user = queues[queue].user;
  for (std::size_t r = 0; r < taken_[queue].size(); ++r) taken_[queue][r] -= demand[r];
  if (has_reserves()) charge_use(user, demand, -1);
  for (std::size_t r = 0; r < resources_; ++r) {
    std::int64_t& used = used_[user][r];
    used -= demand[r];
    used_by_all_[r] -= demand[r];
    MIRAB_ASSERT(used >= 0, "a user gives back more than it used");
  }
  add_use_of_groups(users[user].group, demand, 1, -1);
}

void Ledger::set_role(TaskIndex task, std::uint32_t role) {
  if (role == 0) return;
  role_of_.cover(task);
  role_of_[task] = role;
}

TaskIndex Ledger::start(JobIndex job, ServerIndex server, Time now, std::uint32_t role) {
  const TaskIndex task = tasks.add({.job = job, .server = server, .started = now});
  set_role(task, role);
  queues[jobs[job].queue].since = now;
  run(task, Room::checked);
  return task;
}

void Ledger::start_again(TaskIndex task, JobIndex job, ServerIndex server, Time now, std::uint32_t role) {
  tasks.put_back(task, {.job = job, .server = server, .started = now});
  set_role(task, role);
  run(task, adopts ? Room::any : Room::checked);
}

bool Ledger::may_count(JobIndex job, ServerIndex server, std::uint32_t role) const {
  const std::span<const std::int64_t> demand = this->demand(queues[jobs[job].queue], server, role);
  for (std::size_t r = 0; r < resources_; ++r) {
    const std::int64_t capacity = server_pool.capacity(server)[r];
    const fairness::Wide taken = fairness::Wide{server_pool.taken(server)[r]} + demand[r];
    const fairness::Wide others = fairness::Wide{server_pool.pool()[r]} + server_pool.excess()[r] -
                                  std::max(capacity, server_pool.taken(server)[r]);
    if (others + std::max<fairness::Wide>(capacity, taken) > INT64_MAX) return false;
  }
  return true;
}

TaskIndex Ledger::adopt(JobIndex job, ServerIndex server, Time since, Time now, std::uint32_t role) {
  adopts = true;
  const TaskIndex task = tasks.add({.job = job, .server = server, .started = since});
  set_role(task, role);
  queues[jobs[job].queue].since = now;
  run(task, Room::any);
  return task;
}

/// The row of the task is new: everything else follows.
void Ledger::run(TaskIndex task, Room room) {
  TaskRow& started = tasks[task];
  const JobIndex job = started.job;
  JobRow& row = jobs[job];
  QueueRow& queue = queues[row.queue];
  MIRAB_ASSERT(row.waiting > 0, "a task starts that does not wait");
  const std::uint32_t role = role_of(task);
  const std::span<const std::int64_t> demand = this->demand(queue, started.server, role);
  if (has_roles() && task_classes.has_roles(queue.task_class)) --waiting_by_role_.at(job)[role];
  if (room == Room::checked) {
    server_pool.take(started.server, demand);
  } else {
    server_pool.adopt(started.server, demand);
  }
  add_use(row.queue, demand);

  ServerRow& there = servers[started.server];
  started.next_of_job = row.first_task;
  started.next_on_server = there.first_task;
  if (row.first_task != kNone) tasks[row.first_task].previous_of_job = task;
  if (there.first_task != kNone) tasks[there.first_task].previous_on_server = task;
  row.first_task = there.first_task = task;

  ++row.running, ++queue.running, ++users[queue.user].running;
  if (--row.waiting == 0) dequeue(job);
}

void Ledger::end(TaskIndex task) {
  const TaskRow row = tasks[task];
  JobRow& job = jobs[row.job];
  QueueRow& queue = queues[job.queue];
  ServerRow& server = servers[row.server];
  const std::span<const std::int64_t> demand = this->demand(queue, row.server, role_of(task));
  server_pool.give(row.server, demand);
  remove_use(job.queue, demand);

  (row.previous_of_job == kNone ? job.first_task : tasks[row.previous_of_job].next_of_job) = row.next_of_job;
  if (row.next_of_job != kNone) tasks[row.next_of_job].previous_of_job = row.previous_of_job;
  (row.previous_on_server == kNone ? server.first_task : tasks[row.previous_on_server].next_on_server) =
      row.next_on_server;
  if (row.next_on_server != kNone) tasks[row.next_on_server].previous_on_server = row.previous_on_server;

  --job.running, --queue.running, --users[queue.user].running;
  if (role_of_.holds(task)) role_of_[task] = 0;
  tasks.remove(task);
}

void Ledger::set_waiting_by_role(JobIndex job, std::vector<std::int64_t> waiting) {
  waiting_by_role_[job] = std::move(waiting);
}

void Ledger::wait_again(JobIndex job, std::uint32_t role) {
  if (const auto of_job = waiting_by_role_.find(job); of_job != waiting_by_role_.end())
    ++of_job->second[role];
  if (jobs[job].waiting++ == 0) enqueue(job);
}

void Ledger::forget_waiting(JobIndex job) {
  jobs[job].waiting = 0;
  if (const auto of_job = waiting_by_role_.find(job); of_job != waiting_by_role_.end())
    std::fill(of_job->second.begin(), of_job->second.end(), 0);
  dequeue(job);
}

void Ledger::remove_job(JobIndex job) {
  waiting_by_role_.erase(job);
  jobs.remove(job);
}

namespace {

/// What follows from the servers: their classes, the pool, and which of them selections admit.
std::string broken_by_servers(const Ledger& ledger) {
  const ServerClasses& server_classes = ledger.server_classes;
  std::vector<std::int64_t> pool(ledger.resource_count(), 0);
  std::vector<std::int64_t> excess(ledger.resource_count(), 0);
  IndexedVector<ServerClassIndex, std::int64_t> counts(server_classes.indices().size());
  for (const ServerIndex server : ledger.servers.present()) {
    const ServerClassIndex server_class = ledger.servers[server].server_class;
    const std::span<const std::int64_t> capacity = ledger.server_pool.capacity(server);
    for (std::size_t r = 0; r < pool.size(); ++r) {
      pool[r] += capacity[r];
      excess[r] += std::max<std::int64_t>(0, ledger.server_pool.taken(server)[r] - capacity[r]);
    }
    if (!server_classes.indices().holds(server_class) || !server_classes.set(server_class).contains(server) ||
        !std::equal(capacity.begin(), capacity.end(), server_classes.capacities()[server_class].begin()))
      return fmt::format("server {} is not of its server class", server.number());
    ++counts[server_class];
  }
  for (const ServerClassIndex server_class : server_classes.indices()) {
    std::int64_t listed = 0;
    for (const std::uint64_t word : server_classes.set(server_class).words()) listed += std::popcount(word);
    if (counts[server_class] != server_classes.servers(server_class) || listed != counts[server_class])
      return fmt::format("server class {} has other servers than it counts", server_class.number());
  }
  if (!std::equal(pool.begin(), pool.end(), ledger.server_pool.pool().begin()))
    return "the pool is not the sum of the servers";
  if (!std::equal(excess.begin(), excess.end(), ledger.server_pool.excess().begin()))
    return "what is taken beyond capacities is not the sum of the servers";
  if (!ledger.task_classes.eligibility.holds_what_is_admitted())
    return "a selection has other servers than it admits";
  return {};
}

/// What follows from the queues: whose they are, and how many hold each task class.
std::string broken_by_queues(const Ledger& ledger) {
  IndexedVector<TaskClassIndex, std::uint32_t> holders(ledger.task_classes.index_count());
  IndexedVector<QueueIndex, std::uint32_t> listed(ledger.queues.size());
  for (const UserIndex user : ledger.users.present()) {
    for (const QueueIndex queue : ledger.users[user].queues) {
      if (ledger.queues[queue].user != user || listed[queue]++ > 0)
        return fmt::format("user {} lists queue {}, which is not its own", user.number(), queue.number());
    }
  }
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (ledger.queues[queue].user == kNone) continue;
    if (listed[queue] == 0) return fmt::format("queue {} is not with its user", queue.number());
    ++holders[ledger.queues[queue].task_class];
  }
  for (const TaskClassIndex task_class : ledger.task_classes.indices()) {
    if (holders[task_class] != ledger.task_classes.holders(task_class))
      return fmt::format("task class {} has other queues than it counts", task_class.number());
  }
  return {};
}

/// What waits of each role, with what runs, is at most what the role has; together it is what waits of the
/// job.
std::string broken_roles(const Ledger& ledger, JobIndex job) {
  const std::span<const std::int64_t> roles = ledger.task_classes.roles(ledger.task_class_of(job));
  const std::span<const std::int64_t> waiting = ledger.waiting_by_role(job);
  if (roles.size() != waiting.size()) return fmt::format("job {} has other roles", job.number());
  if (roles.empty()) return {};
  std::vector<std::int64_t> known(waiting.begin(), waiting.end());
  std::int64_t sum = 0;
  for (const std::int64_t tasks : waiting) sum += tasks;
  ledger.for_each_task_of(job, [&](TaskIndex task) { ++known[ledger.role_of(task)]; });
  bool holds = sum == ledger.jobs[job].waiting;
  for (std::size_t role = 0; role < roles.size(); ++role)
    holds = holds && waiting[role] >= 0 && known[role] <= roles[role];
  return holds ? std::string() : fmt::format("the roles of job {} do not add up", job.number());
}

}  // namespace

std::string broken_invariant(const Ledger& ledger) {
  if (std::string broken = broken_by_servers(ledger); !broken.empty()) return broken;
  if (std::string broken = broken_by_queues(ledger); !broken.empty()) return broken;
  const ServerPool& server_pool = ledger.server_pool;
  const auto& users = ledger.users;
  const auto& queues = ledger.queues;
  const auto& jobs = ledger.jobs;
  const auto& tasks = ledger.tasks;
  const auto& servers = ledger.servers;
  const std::size_t resources = ledger.resource_count();
  IndexedAmounts<UserIndex> used(resources);
  used.resize(users.index_count());
  std::vector<std::int64_t> by_all(resources, 0);
  IndexedVector<QueueIndex, Amounts> taken;
  for (const QueueIndex queue : queues.indices()) taken.push_back(Amounts(ledger.taken(queue).size(), 0));
  IndexedVector<JobIndex, std::int64_t> running_of_job(jobs.index_count());
  IndexedVector<QueueIndex, std::int64_t> running_of_queue(queues.size());
  IndexedVector<UserIndex, std::int64_t> running_of_user(users.index_count());
  std::size_t on_servers = 0;
  for (const ServerIndex server : servers.present()) {
    std::vector<std::int64_t> taken_there(resources, 0);
    TaskIndex previous = kNone;
    for (TaskIndex t = servers[server].first_task; t != kNone; t = tasks[t].next_on_server) {
      if (!tasks.holds(t) || tasks[t].server != server || tasks[t].previous_on_server != previous)
        return fmt::format("the tasks of server {} are not in order", server.number());
      previous = t;
      ++on_servers;
      const QueueIndex queue = jobs[tasks[t].job].queue;
      const UserIndex user = queues[queue].user;
      const std::uint32_t role = ledger.role_of(t);
      if (role > 0 && role >= ledger.task_classes.roles(queues[queue].task_class).size())
        return fmt::format("task {} has a role that its job has not", t.number());
      const std::span<const std::int64_t> demand = ledger.demand(t);
      for (std::size_t r = 0; r < resources; ++r) {
        taken_there[r] += demand[r];
        used[user][r] += demand[r];
        by_all[r] += demand[r];
      }
      for (std::size_t r = 0; r < taken[queue].size(); ++r) taken[queue][r] += demand[r];
      ++running_of_job[tasks[t].job], ++running_of_queue[queue], ++running_of_user[user];
    }
    for (std::size_t r = 0; r < resources; ++r) {
      const fairness::Wide left = fairness::Wide{server_pool.capacity(server)[r]} - taken_there[r];
      const fairness::Wide free = std::max<fairness::Wide>(0, left - server_pool.held(server)[r]);
      if (server_pool.taken(server)[r] != taken_there[r] || server_pool.free(server)[r] != free)
        return fmt::format("what runs, what is held and what is free do not make up server {}",
                           server.number());
      if (left < 0 && !ledger.adopts) return fmt::format("server {} is over its capacity", server.number());
    }
  }
  if (on_servers != tasks.size()) return "a task is on no server";
  const auto equal = [](std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  const bool is_used =
      std::all_of(users.indices().begin(), users.indices().end(),
                  [&](UserIndex user) { return equal(std::as_const(used)[user], ledger.used(user)); }) &&
      std::all_of(queues.indices().begin(), queues.indices().end(),
                  [&](QueueIndex queue) { return equal(taken[queue], ledger.taken(queue)); });
  if (!is_used) return "a user's use is not that of its tasks";
  if (!equal(by_all, ledger.used())) return "the use of all users is not the sum of theirs";
  for (const JobIndex job : jobs.present()) {
    std::int64_t listed = 0;
    for (TaskIndex t = jobs[job].first_task; t != kNone; t = tasks[t].next_of_job) {
      if (tasks[t].job != job) return fmt::format("job {} lists a task of another", job.number());
      ++listed;
    }
    if (listed != jobs[job].running || listed != running_of_job[job])
      return fmt::format("job {} does not run what it counts", job.number());
    if (std::string broken = broken_roles(ledger, job); !broken.empty()) return broken;
  }
  for (const QueueIndex queue : queues.indices()) {
    if (queues[queue].user == kNone) continue;
    if (queues[queue].running != running_of_queue[queue])
      return fmt::format("queue {} does not run what it counts", queue.number());
    for (JobIndex job = queues[queue].first_job; job != kNone; job = jobs[job].next) {
      if (jobs[job].waiting <= 0 || jobs[job].queue != queue)
        return fmt::format("queue {} lists job {}, which does not wait there", queue.number(), job.number());
      if (jobs[job].next != kNone && !(jobs[job].order() < jobs[jobs[job].next].order()))
        return fmt::format("the jobs of queue {} are not in order", queue.number());
    }
  }
  for (const UserIndex user : users.indices()) {
    if (users.holds(user) && users[user].running != running_of_user[user])
      return fmt::format("user {} does not run what it counts", user.number());
  }
  return broken_group(ledger);
}

ServerClassIndex ServerClasses::next_index() {
  if (!vacant_.empty()) {
    const ServerClassIndex lowest = vacant_.top();
    vacant_.pop();
    return lowest;
  }
  counts_.push_back(0);
  sets_.push_back({});
  return capacities_.push_back({});
}

ServerClassIndex ServerClasses::hold(ServerIndex server, std::span<const std::int64_t> capacity) {
  const auto [known, is_new] = known_.emplace(Amounts(capacity.begin(), capacity.end()), kNone);
  if (is_new) {
    known->second = next_index();
    capacities_[known->second] = known->first;
  }
  const ServerClassIndex server_class = known->second;
  ++counts_[server_class];
  sets_[server_class].insert(server);
  ++changes_;
  return server_class;
}

void ServerClasses::release(ServerIndex server, ServerClassIndex server_class) {
  if (--counts_[server_class] == 0) {
    known_.erase(capacities_[server_class]);
    vacant_.push(server_class);
  }
  sets_[server_class].erase(server);
  ++changes_;
}

bool ServerClasses::set_capacities(const IndexedVector<ServerClassIndex, std::optional<Amounts>>& capacities,
                                   std::size_t resources) {
  counts_.resize(capacities.size());
  sets_.resize(capacities.size());
  for (const ServerClassIndex server_class : capacities.indices()) {
    capacities_.push_back(capacities[server_class].value_or(Amounts(resources, 0)));
    if (!capacities[server_class]) vacant_.push(server_class);
    if (capacities[server_class] && !known_.emplace(*capacities[server_class], server_class).second)
      return false;
  }
  return true;
}

ServerSet ServerClasses::admitted(ServerClassIndex server_class, SelectionIndex selection,
                                  const Eligibility& eligibility) const {
  const ServerSet* const admitted = eligibility.servers(selection);
  if (admitted == nullptr) return sets_[server_class];
  ServerSet servers;
  for (std::size_t word = 0; word < sets_[server_class].words().size(); ++word) {
    for (std::uint64_t both = sets_[server_class].word(word) & admitted->word(word); both != 0;
         both &= both - 1)
      servers.insert(ServerSet::first_of(word, both));
  }
  return servers;
}

const ServerSet* AdmittedServers::of(const ServerClasses& server_classes, ServerClassIndex server_class,
                                     SelectionIndex selection, const Eligibility& eligibility) {
  if (eligibility.servers(selection) == nullptr) return &server_classes.set(server_class);
  if (server_classes.changes() != changes_ || eligibility.changes() != admitted_) known_.clear();
  changes_ = server_classes.changes();
  admitted_ = eligibility.changes();
  const std::uint64_t sequence = eligibility.sequence(selection);
  Known& known = known_[{server_class, selection}];
  if (known.sequence != sequence)
    known = {.sequence = sequence, .servers = server_classes.admitted(server_class, selection, eligibility)};
  return &known.servers;
}

IndexedVector<UserIndex, std::int64_t> lowest_running_priorities(const Ledger& ledger) {
  IndexedVector<UserIndex, std::int64_t> lowest(ledger.users.index_count(), INT64_MAX);
  for (const JobIndex job : ledger.jobs.present()) {
    const JobRow& row = ledger.jobs[job];
    if (row.running == 0 || !row.may_be_preempted) continue;
    std::int64_t& of_user = lowest[ledger.queues[row.queue].user];
    of_user = std::min(of_user, row.rank.priority);
  }
  return lowest;
}

}  // namespace mirab::scheduling
