#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>

#include "fairness/exact_part.hpp"
#include "scheduling/ledger/server_pool.hpp"
#include "scheduling/ledger/slots.hpp"
#include "scheduling/ledger/task_classes.hpp"

namespace mirab::scheduling {

/// The number of a row where there is none.
inline constexpr std::uint32_t kNone = UINT32_MAX;
inline constexpr std::uint32_t kMaxNumber = kNone - 1;

using fairness::Weight;
using fairness::weight_from;

struct UserRow {
  std::string name;
  Weight weight;
  std::vector<std::uint32_t> queues = {};  ///< with waiting or running tasks
  std::int64_t running = 0;                ///< X_n
  std::uint64_t order = 0;                 ///< how many users came before
};

/// The tasks of one user that look alike: they wait, in the order of their jobs, for the same thing.
struct QueueRow {
  std::uint32_t user = kNone;
  std::uint32_t task_class = kNone;
  std::uint32_t first_job = kNone;  ///< of those with waiting tasks
  std::uint32_t last_job = kNone;
  std::uint64_t arrival = 0;  ///< when it last began to wait: events before that
  Time since = {};            ///< began to wait or got a task, the latest of these
  std::int64_t running = 0;   ///< x of this task class
  std::uint32_t jobs = 0;     ///< that wait or run
};

struct JobRow {
  std::uint32_t queue = kNone;
  std::uint32_t next = kNone;  ///< in its queue, while it has waiting tasks
  std::uint32_t previous = kNone;
  std::uint32_t first_task = kNone;  ///< of those that run
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::uint64_t sequence = 0;  ///< how many jobs came before
};

struct TaskRow {
  std::uint32_t job = kNone;
  std::uint32_t server = kNone;
  std::uint32_t next_of_job = kNone;
  std::uint32_t previous_of_job = kNone;
  std::uint32_t next_on_server = kNone;
  std::uint32_t previous_on_server = kNone;
  Time started = {};
};

struct ServerRow {
  std::uint32_t first_task = kNone;
  std::uint32_t kind = 0;  ///< servers with equal capacities
  bool drained = false;
};

/// The server classes: those of one have equal capacities. A kind without servers leaves its number to the
/// next new one.
class ServerClasses {
 public:
  /// The server class with this capacity, and one server more of it. O(kinds).
  std::uint32_t hold(std::uint32_t server, std::span<const std::int64_t> capacity);
  void release(std::uint32_t server, std::uint32_t kind);

  /// The kinds of these capacities, [kind][m], without servers as yet; null is a number that has been left.
  /// Requires that there are no kinds. False when a capacity stands there twice.
  bool set_capacities(const std::vector<std::optional<Amounts>>& capacities, std::size_t resources);

  const std::vector<Amounts>& capacities() const { return capacities_; }  ///< [kind][m]
  std::int64_t servers(std::uint32_t kind) const { return counts_[kind]; }

  const ServerSet& set(std::uint32_t kind) const { return sets_[kind]; }

  /// The servers of a kind that a selection admits (see Eligibility). O(servers).
  ServerSet admitted(std::uint32_t kind, std::uint32_t selection, const Eligibility& eligibility) const;

  /// How often a server has come or gone: tells whether what was computed from the sets still holds.
  std::uint64_t changes() const { return changes_; }

 private:
  std::map<Amounts, std::uint32_t> numbers_;
  std::vector<Amounts> capacities_;
  std::vector<std::int64_t> counts_;
  std::vector<ServerSet> sets_;
  std::uint64_t changes_ = 0;
};

/// The servers of server classes that selections admit, remembered as long as no server comes or goes.
class AdmittedServers {
 public:
  /// As ServerClasses::admitted. Valid until servers change. O(servers) when they have changed since it was
  /// last asked for.
  const ServerSet* of(const ServerClasses& server_classes, std::uint32_t kind, std::uint32_t selection,
                      const Eligibility& eligibility);

 private:
  struct Known {
    std::uint64_t sequence = 0;  // of the selection; that of no other one
    ServerSet servers;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;  // by kind and selection
  std::uint64_t changes_ = 0;                                       // of the server classes, as of then
};

/// Who has what, and what is free where: the exact ledger of servers, users, queues, jobs and running tasks.
/// Every change here keeps all of it in step.
///
/// Invariants: what runs on a server and what is free there make up its capacity; what a user's tasks take is
/// what it is booked to use; every task is in exactly one list of a job and one of a server.
class Ledger {
 public:
  explicit Ledger(std::size_t resources)
      : server_pool(resources), resources_(resources), used_by_all_(resources, 0) {}

  std::size_t resource_count() const { return resources_; }

  /// Σ of what the user's running tasks take. [m]
  std::span<const std::int64_t> used(std::uint32_t user) const {
    return std::span(used_).subspan(user * resources_, resources_);
  }

  /// Σ of what all running tasks take. [m]
  std::span<const std::int64_t> used() const { return used_by_all_; }

  /// Σ of what the queue's running tasks take. Requires a task class with several alternatives: of one, that
  /// is `running` times its demand. [m]
  std::span<const std::int64_t> taken(std::uint32_t queue) const { return taken_[queue]; }

  /// What a task of the queue takes on the server. Requires that it may run there. [m]
  std::span<const std::int64_t> demand(const QueueRow& queue, std::uint32_t server) const {
    return task_classes.demand_on(queue.task_class, server);
  }

  std::uint32_t task_class_of(std::uint32_t job) const { return queues[jobs[job].queue].task_class; }

  /// Is the server open, may a task of the task class run there, and has it room?
  bool has_room(std::uint32_t task_class, std::uint32_t server) const {
    const DemandAlternative* const alternative = task_classes.alternative_on(task_class, server);
    return alternative != nullptr && server_pool.has_room(server, alternative->demand);
  }

  /// May a task of the task class run there, and would it fit if the server were empty?
  bool fits_when_empty(std::uint32_t task_class, std::uint32_t server) const {
    const DemandAlternative* const alternative = task_classes.alternative_on(task_class, server);
    return alternative != nullptr && is_within(alternative->demand, server_pool.capacity(server));
  }

  /// Has some of these servers room for a task of the task class? O(servers).
  bool fits_somewhere(std::uint32_t task_class, const OpenServers& open) const;

  /// Visits the running tasks there, or of the job, the newest first.
  template <class Visit>
  void for_each_task_on(std::uint32_t server, Visit visit) const {
    for (std::uint32_t task = servers[server].first_task; task != kNone; task = tasks[task].next_on_server)
      visit(task);
  }
  template <class Visit>
  void for_each_task_of(std::uint32_t job, Visit visit) const {
    for (std::uint32_t task = jobs[job].first_task; task != kNone; task = tasks[task].next_of_job)
      visit(task);
  }

  /// A server comes, open and empty; gets another capacity, in which what runs there fits; goes, when nothing
  /// runs there.
  std::uint32_t add_server(const Eligibility::Description& description, const Amounts& capacity);
  void resize_server(std::uint32_t server, const Amounts& capacity);
  void remove_server(std::uint32_t server);

  std::uint32_t add_user(UserRow row);
  void put_user_back(std::uint32_t user, UserRow row);  ///< with its order; see Slots::put_back
  std::uint32_t add_queue(std::uint32_t user, std::uint32_t task_class);
  void remove_queue(std::uint32_t queue);  ///< requires that it has no jobs

  /// Puts the job among those of its queue that wait, by its sequence. O(jobs in front of it, from either
  /// end).
  void enqueue(std::uint32_t job);
  void dequeue(std::uint32_t job);

  /// One waiting task of the job starts on the server, where it has room, and its queue got a task now. The
  /// number of the task. O(m).
  std::uint32_t start(std::uint32_t job, std::uint32_t server, Time now);
  void start_again(std::uint32_t task, std::uint32_t job, std::uint32_t server,
                   Time then);  ///< see Slots::put_back

  /// The task is over and its row gone. O(m).
  void end(std::uint32_t task);

  /// The queue of (user, task class), if there is one. O(queues of the user).
  std::uint32_t find_queue(std::uint32_t user, std::uint32_t task_class) const;

  /// The first invariant that does not hold, in words; nothing when all do. O(everything).
  std::string broken() const;

  ServerPool server_pool;
  ServerClasses server_classes;
  TaskClasses task_classes;
  Slots<ServerRow, ServerId> servers;
  Slots<UserRow, UserId> users;
  Slots<JobRow, JobId> jobs;
  Slots<TaskRow, TaskId> tasks;
  std::vector<QueueRow> queues;    ///< [queue]; user is kNone where there is none
  std::uint64_t users_before = 0;  ///< how many came before, that is up to now
  std::uint64_t jobs_before = 0;
  std::uint64_t waits_before = 0;

 private:
  void run(std::uint32_t task);
  void book(std::uint32_t queue, std::span<const std::int64_t> demand);
  void unbook(std::uint32_t queue, std::span<const std::int64_t> demand);

  std::size_t resources_;
  std::vector<std::int64_t> used_;         // [user × m]
  std::vector<Amounts> taken_;             // [queue][m], of those with several alternatives; of others empty
  std::vector<std::int64_t> used_by_all_;  // [m]
  std::vector<std::uint32_t> vacant_queues_;
};

}  // namespace mirab::scheduling
