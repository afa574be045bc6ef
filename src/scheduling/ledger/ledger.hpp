#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>

#include "fairness/exact_part.hpp"
#include "scheduling/ledger/groups.hpp"
#include "scheduling/ledger/server_pool.hpp"
#include "scheduling/ledger/slots.hpp"
#include "scheduling/ledger/task_classes.hpp"

namespace mirab::scheduling {

using fairness::Weight;
using fairness::weight_from;

/// φ in lowest terms, which may be 0. Errors: more digits than the comparison of shares holds.
Result<Weight> weight_or_zero_from(const Quantity& quantity);

struct UserRow {
  std::string name;
  Weight weight;
  GroupIndex group = kRoot;  ///< whose member it is
  NodeQuota quota = {};
  std::int64_t tier = 0;
  std::vector<QueueIndex> queues = {};  ///< with waiting or running tasks
  std::int64_t running = 0;             ///< X_n
  std::uint64_t order = 0;              ///< how many users came before
  std::uint32_t place = 0;              ///< among the users of its group

  /// Is it more than a user of a flat cluster: with a quota, a tier, or a weight of 0?
  bool needs_tree() const { return quota.is_any() || tier != 0 || weight.numerator == 0; }
};

/// The tasks of one user that look alike: they wait, in the order of their jobs, for the same thing.
struct QueueRow {
  UserIndex user = kNone;
  TaskClassIndex task_class = kNone;
  JobIndex first_job = kNone;  ///< of those with waiting tasks
  JobIndex last_job = kNone;
  std::uint64_t arrival = 0;  ///< when it last began to wait: events before that
  Time since = {};            ///< began to wait or got a task, the latest of these
  std::int64_t running = 0;   ///< x of this task class
  std::uint32_t jobs = 0;     ///< that wait or run
};

/// In which order the jobs of a user are served, of which equal keys wait for the same or not.
struct JobOrder {
  Rank rank;
  std::uint64_t sequence = 0;  ///< how many jobs came before

  /// Does a come before b? A strict order.
  friend bool operator<(const JobOrder& a, const JobOrder& b) {
    if (a.rank.priority != b.rank.priority) return a.rank.priority > b.rank.priority;
    return std::tie(a.rank.time, a.rank.tie, a.sequence) < std::tie(b.rank.time, b.rank.tie, b.sequence);
  }
};

struct JobRow {
  QueueIndex queue = kNone;
  JobIndex next = kNone;  ///< in its queue, while it has waiting tasks
  JobIndex previous = kNone;
  TaskIndex first_task = kNone;  ///< of those that run
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::uint64_t sequence = 0;  ///< how many jobs came before
  Rank rank = {};
  bool may_be_preempted = true;

  JobOrder order() const { return {.rank = rank, .sequence = sequence}; }
};

struct TaskRow {
  JobIndex job = kNone;
  ServerIndex server = kNone;
  TaskIndex next_of_job = kNone;
  TaskIndex previous_of_job = kNone;
  TaskIndex next_on_server = kNone;
  TaskIndex previous_on_server = kNone;
  Time started = {};
};

struct ServerRow {
  TaskIndex first_task = kNone;
  ServerClassIndex server_class = kNone;
  bool drained = false;
};

/// The server classes: those of one have equal capacities. A class without servers leaves its index to the
/// next new one.
class ServerClasses {
 public:
  /// The server class with this capacity, and one server more of it; a new one has the lowest vacant index,
  /// else the next. O(m log server classes).
  ServerClassIndex hold(ServerIndex server, std::span<const std::int64_t> capacity);
  void release(ServerIndex server, ServerClassIndex server_class);

  /// The server classes of these capacities, [server class][m], without servers as yet; null is an index that
  /// has been left. Requires that there are no server classes. False when a capacity stands there twice.
  bool set_capacities(const IndexedVector<ServerClassIndex, std::optional<Amounts>>& capacities,
                      std::size_t resources);

  const IndexedVector<ServerClassIndex, Amounts>& capacities() const { return capacities_; }  ///< [m] each
  Indices<ServerClassIndex> indices() const { return capacities_.indices(); }
  std::int64_t servers(ServerClassIndex server_class) const { return counts_[server_class]; }

  const ServerSet& set(ServerClassIndex server_class) const { return sets_[server_class]; }

  /// The servers of a server class that a selection admits (see Eligibility). O(servers).
  ServerSet admitted(ServerClassIndex server_class, SelectionIndex selection,
                     const Eligibility& eligibility) const;

  /// How often a server has come or gone: shows whether what was computed from the sets still holds.
  std::uint64_t changes() const { return changes_; }

 private:
  ServerClassIndex next_index();

  std::map<Amounts, ServerClassIndex> known_;
  IndexedVector<ServerClassIndex, Amounts> capacities_;
  IndexedVector<ServerClassIndex, std::int64_t> counts_;
  IndexedVector<ServerClassIndex, ServerSet> sets_;
  std::priority_queue<ServerClassIndex, std::vector<ServerClassIndex>, std::greater<>> vacant_;
  std::uint64_t changes_ = 0;
};

/// The servers of server classes that selections admit, remembered as long as no server comes, goes, or is
/// admitted elsewhere.
class AdmittedServers {
 public:
  /// As ServerClasses::admitted. Valid until servers change. O(servers) when they have changed since it was
  /// last asked for.
  const ServerSet* of(const ServerClasses& server_classes, ServerClassIndex server_class,
                      SelectionIndex selection, const Eligibility& eligibility);

 private:
  struct Known {
    std::uint64_t sequence = 0;  // of the selection; that of no other one
    ServerSet servers;
  };
  std::map<std::pair<ServerClassIndex, SelectionIndex>, Known> known_;
  std::uint64_t changes_ = 0;   // of the server classes, as of then
  std::uint64_t admitted_ = 0;  // and of the selections
};

/// Who has what, and what is free where: the exact ledger of servers, users, queues, jobs and running tasks.
/// Every change here keeps all of it in step.
///
/// Invariants: what runs on a server, what others hold and what is free there make up its capacity, or more
/// than it, and then nothing is free; what a user's tasks take is what it uses; every task is in exactly one
/// list of a job and one of a server.
class Ledger {
 public:
  explicit Ledger(std::size_t resources);

  std::size_t resource_count() const { return resources_; }

  /// Σ of what the user's running tasks take. [m]
  std::span<const std::int64_t> used(UserIndex user) const { return used_[user]; }

  /// Σ of what all running tasks take. [m]
  std::span<const std::int64_t> used() const { return used_by_all_; }

  /// Σ of what the queue's running tasks take. Requires a task class whose demand varies: of another, that is
  /// `running` times its demand. [m]
  std::span<const std::int64_t> taken(QueueIndex queue) const { return taken_[queue]; }

  /// What a task of the queue, of the role in a job with roles, takes on the server. [m]
  std::span<const std::int64_t> demand(const QueueRow& queue, ServerIndex server,
                                       std::uint32_t role = 0) const {
    return task_classes.demand_on(queue.task_class, server, role);
  }

  /// What the running task takes. [m]
  std::span<const std::int64_t> demand(TaskIndex task) const {
    const TaskRow& row = tasks[task];
    return demand(queues[jobs[row.job].queue], row.server, role_of(task));
  }

  /// Of a running task of a job with roles the place of its role among them; of another 0.
  std::uint32_t role_of(TaskIndex task) const { return role_of_.holds(task) ? role_of_[task] : 0; }

  /// How many tasks of each role of the job wait; of a job without roles none.
  std::span<const std::int64_t> waiting_by_role(JobIndex job) const {
    const auto of_job = waiting_by_role_.find(job);
    return of_job == waiting_by_role_.end() ? std::span<const std::int64_t>() : of_job->second;
  }
  /// Is there a job with roles?
  bool has_roles() const { return !waiting_by_role_.empty(); }

  TaskClassIndex task_class_of(JobIndex job) const { return queues[jobs[job].queue].task_class; }

  /// Is the server open, may a task of the task class run there, and has it room?
  /// Of a job with roles a task of one of them.
  bool has_room(TaskClassIndex task_class, ServerIndex server) const {
    return task_classes.any_on(task_class, server, [&](const DemandAlternative& alternative) {
      return server_pool.has_room(server, alternative.demand);
    });
  }

  /// Visits the running tasks there, or of the job, the newest first.
  template <class Visit>
  void for_each_task_on(ServerIndex server, Visit visit) const {
    for (TaskIndex task = servers[server].first_task; task != kNone; task = tasks[task].next_on_server)
      visit(task);
  }
  template <class Visit>
  void for_each_task_of(JobIndex job, Visit visit) const {
    for (TaskIndex task = jobs[job].first_task; task != kNone; task = tasks[task].next_of_job) visit(task);
  }

  /// A server comes, open and empty; gets another capacity, in which what runs there fits unless `adopts` is
  /// set; goes, when nothing runs there.
  ServerIndex add_server(const Eligibility::Description& description, const Amounts& capacity);
  void resize_server(ServerIndex server, const Amounts& capacity);
  void remove_server(ServerIndex server);

  UserIndex add_user(UserRow row);
  void set_user_numbers(Slots<UserRow, UserId>::Numbers numbers);  ///< see Slots::set_numbers
  void put_user_back(UserIndex user, UserRow row);                 ///< with its order; see Slots::put_back
  void change_user(UserIndex user, const Weight& weight, NodeQuota quota);
  void move_user(UserIndex user, GroupIndex group);  ///< with what it uses
  void remove_user(UserIndex user);                  ///< requires that it has no queues

  // The tree: groups.cpp. Requires that the checks of groups.hpp have passed. O(members of the path m), and
  // O(nodes m) while anything is reserved.

  GroupIndex add_group(GroupRow row);
  void put_group_back(GroupIndex group, GroupRow row);  ///< with its parent there; see Slots::put_back
  void change_group(GroupIndex group, const Weight& weight, NodeQuota quota);
  void move_group(GroupIndex group, GroupIndex parent);
  void remove_group(GroupIndex group);  ///< requires that it has no members
  void charge_all();                    ///< once all have been put back

  /// Is there a group, a quota, a tier or a weight of 0? Without them users are compared with each other
  /// only.
  bool has_tree() const { return groups.size() > 1 || users_of_tree_ > 0; }

  std::span<const std::int64_t> used(GroupIndex group) const {
    return group == kRoot ? std::span<const std::int64_t>(used_by_all_) : groups[group].used;
  }
  std::span<const std::int64_t> used(TreeNode node) const {
    return node.is_user() ? used(node.user) : used(node.group);
  }
  std::int64_t running(TreeNode node) const;
  const NodeQuota& quota(TreeNode node) const {
    return node.is_user() ? users[node.user].quota : groups[node.group].quota;
  }
  const Weight& weight(TreeNode node) const {
    return node.is_user() ? users[node.user].weight : groups[node.group].weight;
  }
  const std::string& name(TreeNode node) const {
    return node.is_user() ? users[node.user].name : groups[node.group].name;
  }
  GroupIndex parent(TreeNode node) const {
    return node.is_user() ? users[node.user].group : groups[node.group].parent;
  }

  /// The kinds of tasks of the users below. Not of the root.
  const DemandsSeen& seen(TreeNode node) const {
    return node.is_user() ? seen_[node.user] : groups[node.group].seen;
  }
  /// What a snapshot says of it. Requires that no demand was noted below.
  void set_seen(TreeNode node, DemandsSeen seen) {
    (node.is_user() ? seen_[node.user] : groups[node.group].seen) = std::move(seen);
  }
  /// The user has tasks with this demand. O(depth m).
  /// True when others may count for more by it (order/descent.cpp, task view): when the kind is new at a node
  /// that uses something and has siblings in a group. What uses nothing counts for nothing; and if it gets
  /// one task, that is of a kind that is seen by then, and counts whole.
  bool note_demand(UserIndex user, std::span<const std::int64_t> demand);

  /// ĝ: as given, else Σ ĝ of the members. [m]
  std::span<const std::int64_t> guarantee(TreeNode node) const;

  /// Has any node a guarantee, a limit or a reserve?
  bool has_quotas() const { return nodes_with_quota_ > 0; }
  /// Is anything reserved?
  bool has_reserves() const { return nodes_with_reserve_ > 0; }
  /// q of the root: Σ over its members of what they use, or of what is reserved for them where that is more.
  /// Requires that anything is reserved. [m]
  std::span<const std::int64_t> charged() const { return groups[kRoot].charged; }
  /// What `demand` more of the user adds to q of the root. The same. O(depth m). [m]
  Amounts charge(UserIndex user, std::span<const std::int64_t> demand) const;
  QueueIndex add_queue(UserIndex user, TaskClassIndex task_class);
  void remove_queue(QueueIndex queue);  ///< requires that it has no jobs

  /// Puts the job among those of its queue that wait, by its order. O(jobs in front of it, from either end);
  /// where jobs have ranks O(log jobs of the queue).
  void enqueue(JobIndex job);
  void dequeue(JobIndex job);

  /// One waiting task of the job starts on the server, where it has room, and its queue got a task now. The
  /// index of the task. O(m).
  TaskIndex start(JobIndex job, ServerIndex server, Time now, std::uint32_t role = 0);
  /// The same where a task that runs is put back (see Slots::put_back). Requires room unless `adopts` is set.
  void start_again(TaskIndex task, JobIndex job, ServerIndex server, Time then, std::uint32_t role);

  /// One waiting task of the job is known to run there since then, with or without room. Its queue got a task
  /// now. Requires may_count().
  TaskIndex adopt(JobIndex job, ServerIndex server, Time since, Time now, std::uint32_t role);

  /// Can what all tasks take, now and later, be counted with one more of the job there? See
  /// ServerPool::excess.
  bool may_count(JobIndex job, ServerIndex server, std::uint32_t role) const;

  /// The task is over and its row gone. O(m).
  void end(TaskIndex task);

  /// The tasks that wait of each role of a job with roles. Their sum is `waiting` of its row.
  void set_waiting_by_role(JobIndex job, std::vector<std::int64_t> waiting);
  /// One more task of the job waits, of that role.
  void wait_again(JobIndex job, std::uint32_t role);
  void forget_waiting(JobIndex job);  ///< none of the job waits any more
  void remove_job(JobIndex job);      ///< requires that none waits or runs

  ServerPool server_pool;
  ServerClasses server_classes;
  TaskClasses task_classes;
  Slots<ServerRow, ServerId> servers;
  Slots<UserRow, UserId> users;
  Slots<GroupRow, GroupId> groups;  ///< kRoot is there from the beginning
  Slots<JobRow, JobId> jobs;
  Slots<TaskRow, TaskId> tasks;
  IndexedVector<QueueIndex, QueueRow> queues;  ///< user is kNone where there is none
  std::uint64_t users_before = 0;              ///< how many came before, that is up to now
  std::uint64_t jobs_before = 0;
  std::uint64_t waits_before = 0;

  /// Has it been told of tasks that run where no decision put them, or of servers that changed under them?
  /// Then room, terms and labels need not hold for what runs: for decisions they do.
  bool adopts = false;

  /// Has there been a job with a priority other than 0?
  bool has_priorities = false;

 private:
  friend std::string broken_group(const Ledger& ledger);

  enum class Room { checked, any };
  void set_role(TaskIndex task, std::uint32_t role);
  void run(TaskIndex task, Room room);
  void index_by_rank(QueueIndex queue);
  JobIndex before_in_queue(JobIndex job);
  void enter_group(UserIndex user, GroupIndex group);
  void leave_group(UserIndex user);
  void add_promise(GroupIndex group, std::span<const std::int64_t> guarantee, int sign);
  void add_use_of_groups(GroupIndex group, std::span<const std::int64_t> amounts, std::int64_t tasks,
                         int sign);
  void count_quota(const NodeQuota& quota, int sign);
  void charge_use(UserIndex user, std::span<const std::int64_t> demand, int sign);
  Amounts charged_of(TreeNode node) const;
  void add_use(QueueIndex queue, std::span<const std::int64_t> demand);
  void remove_use(QueueIndex queue, std::span<const std::int64_t> demand);

  std::size_t resources_;
  IndexedAmounts<UserIndex> used_;
  IndexedVector<UserIndex, DemandsSeen> seen_;  // of users
  IndexedVector<QueueIndex, Amounts> taken_;    // [m] each, of those whose demand varies; of others empty
  std::vector<std::int64_t> used_by_all_;       // [m]
  std::vector<QueueIndex> vacant_queues_;
  /// The waiting jobs of queues in which some have had a rank, in their order.
  std::map<QueueIndex, std::map<JobOrder, JobIndex>> by_rank_;
  std::unordered_map<JobIndex, std::vector<std::int64_t>> waiting_by_role_;  // of jobs with roles
  IndexedVector<TaskIndex, std::uint32_t> role_of_;  // up to the last one that was not 0
  std::size_t users_of_tree_ = 0;                    // UserRow::needs_tree
  std::size_t nodes_with_quota_ = 0;
  std::size_t nodes_with_reserve_ = 0;
};

/// May a task of the task class run there, and would it fit if the server were empty?
inline bool fits_when_empty(const Ledger& ledger, TaskClassIndex task_class, ServerIndex server) {
  return ledger.task_classes.any_on(task_class, server, [&](const DemandAlternative& alternative) {
    return is_within(alternative.demand, ledger.server_pool.capacity(server));
  });
}

/// Would such a task fit there if no task ran? What others hold stays.
inline bool fits_without_tasks(const Ledger& ledger, const DemandAlternative& alternative,
                               ServerIndex server) {
  const std::span<const std::int64_t> capacity = ledger.server_pool.capacity(server);
  const std::span<const std::int64_t> held = ledger.server_pool.held(server);
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (alternative.demand[r] > std::max<std::int64_t>(0, capacity[r] - held[r])) return false;
  }
  return true;
}

/// May a task of the task class run there, and would it fit if no task did?
inline bool fits_without_tasks(const Ledger& ledger, TaskClassIndex task_class, ServerIndex server) {
  return ledger.task_classes.any_on(task_class, server, [&](const DemandAlternative& alternative) {
    return fits_without_tasks(ledger, alternative, server);
  });
}

/// Has some of these servers room for a task of the task class? O(servers).
bool fits_somewhere(const Ledger& ledger, TaskClassIndex task_class, const OpenServers& open);

/// Of the running jobs of each user that may be preempted the lowest priority; INT64_MAX where there is none.
/// O(jobs).
IndexedVector<UserIndex, std::int64_t> lowest_running_priorities(const Ledger& ledger);

/// The queue of (user, task class), if there is one. O(queues of the user).
QueueIndex find_queue(const Ledger& ledger, UserIndex user, TaskClassIndex task_class);

/// The first invariant that does not hold, in words; nothing when all do. O(everything + selections ×
/// servers).
std::string broken_invariant(const Ledger& ledger);

}  // namespace mirab::scheduling
